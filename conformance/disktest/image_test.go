package disktest_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/triptych-mcp/triptych/conformance/disktest"
)

// A power cut leaves what was synced, and takes what waits in memory.
func TestPowerCut(t *testing.T) {
	dir, after := t.TempDir(), t.TempDir()
	disk := disktest.Format(t, dir, "-O", "has_journal")
	synced, err := os.Create(filepath.Join(dir, "synced"))
	if err != nil {
		t.Fatal(err)
	}
	if err := synced.Sync(); err != nil { // with a journal its name is synced, too
		t.Fatal(err)
	}
	if err := synced.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "waiting"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	disk.PowerCut(t, after, func() {
		if _, err := os.Stat(filepath.Join(after, "synced")); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(filepath.Join(after, "waiting")); !os.IsNotExist(err) {
			t.Errorf("what was not synced: %v", err)
		}
	})
	for _, name := range []string{"synced", "waiting"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Errorf("on the disk itself: %v", err)
		}
	}
	if left, err := os.ReadDir(after); err != nil || len(left) > 0 {
		t.Errorf("afterwards there are %v, %v", left, err)
	}
}

// A power cut takes from a disk with a cache what was not flushed; what is synced is
// flushed.
func TestPowerCutWithCache(t *testing.T) {
	dir, after := t.TempDir(), t.TempDir()
	disk := disktest.FormatVolatile(t, dir)
	r := rand.New(rand.NewPCG(1, 2)) // for a test
	const rounds = 20
	for n := range rounds {
		before := disk.Flushes()
		synced, err := os.Create(filepath.Join(dir, strconv.Itoa(n)))
		if err == nil {
			_, err = synced.WriteString("synced")
		}
		if err == nil {
			err = errors.Join(synced.Sync(), synced.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
		if disk.Flushes() == before {
			t.Fatal("a sync did not flush the disk")
		}
		if err := os.WriteFile(filepath.Join(dir, "waiting"), []byte("waiting"), 0o600); err != nil {
			t.Fatal(err)
		}
		disk.PowerCut(t, r, after, func() {
			for i := range n + 1 {
				if text, err := os.ReadFile(filepath.Join(after, strconv.Itoa(i))); string(text) != "synced" {
					t.Errorf("file %d after cut %d: %q, %v", i, n, text, err)
				}
			}
		})
	}
}
