package disktest_test

import (
	"os"
	"path/filepath"
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
