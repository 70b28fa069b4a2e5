package attack_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/conformance/disktest"
)

// TestFullDiskOfTheTrail lets the disk of the audit trail run full. Nothing is
// answered that cannot be recorded, callers are told why, and when there is room
// again the server goes on by itself, with a trail that is whole.
func TestFullDiskOfTheTrail(t *testing.T) {
	data := t.TempDir()
	id, token := key(t, data)
	trail := filepath.Join(data, "audit")
	if err := os.MkdirAll(trail, 0o700); err != nil {
		t.Fatal(err)
	}
	disktest.Mount(t, trail, 4<<20)
	s := (&server{data: data, mayFail: true}).start(t)
	c := s.client(t, token, "", true)
	answered := 0
	for ; answered < 20; answered++ {
		c.post(t, list).is(t, "while there is room", 200, 0)
	}

	filler := filepath.Join(trail, "filler")
	disktest.Fill(t, filler)
	full := time.Now()
	for refused := 0; refused < 20; {
		r := c.post(t, list)
		switch {
		case r.status == 200 && r.code() == 0 && time.Since(full) < patience: // there was room inside the file
			answered++
		case r.status != 503 || r.code() != -32603 || !strings.Contains(r.text, "the audit trail in the data folder cannot be written"):
			t.Fatalf("got %d %.300s, want 503 that says what cannot be written", r.status, r.text)
		default:
			refused++
		}
		if strings.Contains(r.text, trail) {
			t.Errorf("the answer names a folder of ours: %s", r.text)
		}
	}
	c.post(t, ping).is(t, "ping, which leaves no record", 200, 0)

	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	eventually(t, patience, func() bool { return c.post(t, list).status == 200 })
	answered++
	for range 20 {
		c.post(t, list).is(t, "when there is room again", 200, 0)
		answered++
	}
	wait := s.terminate(t)
	if err := wait(); err != nil {
		t.Errorf("the server ended with %v, want status 0", err)
	}
	if got := recorded(t, data, id); got < answered {
		t.Errorf("%d calls were answered, %d are recorded", answered, got)
	}
}
