package atomicfile_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/triptych-mcp/triptych/conformance/disktest"
	"github.com/triptych-mcp/triptych/mcp/atomicfile"
)

// text returns a text that shows when a part of it is missing; each has another
// length, some more than a page.
func text(number int) string {
	return strings.Repeat(fmt.Sprintln(number), 1+number*97%1500) + "end\n"
}

// What Write has returned for is on disk, with a journal and without one.
func TestPowerCutLeavesWhatWasPromised(t *testing.T) {
	for _, features := range []string{"has_journal", "^has_journal"} {
		t.Run(features, func(t *testing.T) {
			disk, after := t.TempDir(), t.TempDir()
			image := disktest.Format(t, disk, "-O", features)
			for number := range 8 {
				if err := atomicfile.Write(filepath.Join(disk, "file"), []byte(text(number)), 0o600); err != nil {
					t.Fatal(err)
				}
				image.PowerCut(t, after, func() {
					if got, err := os.ReadFile(filepath.Join(after, "file")); string(got) != text(number) {
						t.Errorf("%d bytes that begin with %.10q, %v; want text %d", len(got), got, err, number)
					}
				})
			}
		})
	}
}

// A disk without space leaves the old content and no half files.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	disktest.Format(t, dir, "-O", "^has_journal")
	path, filler := filepath.Join(dir, "file"), filepath.Join(dir, "filler")
	if err := atomicfile.Write(path, []byte(text(1)), 0o600); err != nil {
		t.Fatal(err)
	}
	disktest.Fill(t, filler)
	for range 3 {
		if err := atomicfile.Write(path, make([]byte, 1<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("got %v, want that there is no space", err)
		}
		if got, err := os.ReadFile(path); string(got) != text(1) {
			t.Errorf("%d bytes are left, %v", len(got), err)
		}
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Write(path, []byte(text(2)), 0o600); err != nil {
		t.Error(err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".file*")); err != nil || len(left) > 0 {
		t.Errorf("half files are left: %v, %v", left, err)
	}
}
