package attack_test

import (
	"fmt"
	"io"
	"net/http"
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
	s := (&server{data: data, mayFail: true, note: `msg="the disk is full`}).start(t)
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
	s.awaitDisk(t, true)

	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	eventually(t, patience, func() bool { return c.post(t, list).status == 200 })
	answered++
	s.awaitDisk(t, false)
	if n := s.noted.Load(); n != 1 {
		t.Errorf("the log has %d lines about the full disk, want 1", n)
	}
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

// TestFullDiskOfTheData lets the disk of all data run full, twice. It is told where operators
// look, also while no client changes anything, and changes succeed when there is room again.
func TestFullDiskOfTheData(t *testing.T) {
	data := t.TempDir()
	disktest.Mount(t, data, 8<<20)
	_, token := key(t, data)
	s := (&server{data: data, mayFail: true, note: `msg="the disk is full`}).start(t)
	c := s.client(t, token, "", true)
	filler := filepath.Join(data, "filler")
	for round := range 2 {
		disktest.Fill(t, filler)
		s.awaitDisk(t, true)
		create := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_ruleset","arguments":{"name":"r%d","description":"d","markdown":%q}}}`,
			round, strings.Repeat("x", 64<<10))
		if r := c.post(t, create); r.status != 503 {
			t.Errorf("a change on a full disk: %d %.300s, want 503", r.status, r.text)
		}
		if err := os.Remove(filler); err != nil {
			t.Fatal(err)
		}
		s.awaitDisk(t, false)
		eventually(t, patience, func() bool { return strings.Contains(c.post(t, create).text, "Successfully created") })
	}
	if n := s.noted.Load(); n != 2 {
		t.Errorf("the log has %d lines about the full disk, want one each time", n)
	}
}

// awaitDisk waits until /readyz and the metrics say that a disk is full, or that none is.
func (s *server) awaitDisk(t *testing.T, full bool) {
	t.Helper()
	status, text, number := http.StatusOK, "ready\n", 0.0
	if full {
		status, text, number = http.StatusServiceUnavailable, "not ready: the disk is full\n", 1
	}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: s.tls, DisableKeepAlives: true}}
	eventually(t, patience, func() bool {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, strings.TrimSuffix(s.url, "mcp")+"readyz", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close() // it was read
		return err == nil && resp.StatusCode == status && string(body) == text && s.number(t, "triptych_disk_full") == number
	})
}
