package wholefile_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/triptych-mcp/triptych/conformance/disktest"
	"github.com/triptych-mcp/triptych/mcp/wholefile"
)

// What was told to be written is on disk, with a journal and without one.
func TestPowerCutLeavesWhatWasPromised(t *testing.T) {
	writers := map[string]func(path string, data []byte) error{
		"Write": func(path string, data []byte) error { return wholefile.Write(path, data, 0o600) },
		"Swap": func(path string, data []byte) error {
			return wholefile.Swap(path, filepath.Join(filepath.Dir(path), ".spare"), data, 0o600)
		},
	}
	for name, write := range writers {
		for _, features := range []string{"has_journal", "^has_journal"} {
			t.Run(name+" "+features, func(t *testing.T) {
				disk, after := t.TempDir(), t.TempDir()
				image := disktest.Format(t, disk, "-O", features)
				for want := range 8 {
					if err := write(filepath.Join(disk, "file"), text(want)); err != nil {
						t.Fatal(err)
					}
					image.PowerCut(t, after, func() {
						if got := newSwapper(t, after).number(); got != want {
							t.Errorf("text %d is left of %d", got, want)
						}
					})
				}
			})
		}
	}
}

// A disk without space leaves the text that there was.
func TestSwapOnAFullDisk(t *testing.T) {
	dir := t.TempDir()
	disktest.Format(t, dir, "-O", "^has_journal")
	s := newSwapper(t, dir)
	for range 3 {
		s.swap()
	}
	filler := filepath.Join(dir, "filler")
	disktest.Fill(t, filler)
	for range 3 {
		if err := wholefile.Swap(s.path, s.spare, make([]byte, 1<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("got %v, want that there is no space", err)
		}
		if got := s.number(); got != s.lastNumber {
			t.Errorf("text %d is left of %d", got, s.lastNumber)
		}
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	s.swap()
	if left, err := filepath.Glob(filepath.Join(dir, ".file*")); err != nil || len(left) > 0 {
		t.Errorf("half files are left: %v, %v", left, err)
	}
}
