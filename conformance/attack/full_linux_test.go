package attack_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestFullDiskOfTheTrail lets the disk of the audit trail run full. Nothing is
// answered that cannot be recorded, callers are told why, and when there is room
// again the server goes on by itself, with a trail that is whole.
func TestFullDiskOfTheTrail(t *testing.T) {
	data := t.TempDir()
	id, token := key(t, data)
	trail := filepath.Join(data, "audit")
	smallDisk(t, trail)
	s := (&server{data: data, mayFail: true}).start(t)
	c := s.client(t, token, "", true)
	answered := 0
	for ; answered < 20; answered++ {
		c.post(t, list).is(t, "while there is room", 200, 0)
	}

	filler := filepath.Join(trail, "filler")
	fill(t, filler)
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

// smallDisk mounts a disk of some MiB, or skips where that is not allowed.
func smallDisk(t *testing.T, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=4m,mode=0700"); err != nil {
		t.Skipf("a small disk cannot be mounted: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Errorf("unmounting: %v", err)
		}
	})
}

// fill takes all the space that is left.
func fill(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	for size := 64 << 10; size > 0; {
		if _, err = f.Write(make([]byte, size)); err != nil {
			size /= 2
		}
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("filling the disk: %v", err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}
