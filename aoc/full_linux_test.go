package aoc

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/conformance/disktest"
)

func TestFullDisk(t *testing.T) {
	disk := t.TempDir()
	disktest.Mount(t, disk, 128<<10)
	b, filler := Open(filepath.Join(disk, "aoc")), filepath.Join(disk, "filler")
	first, second := Speed{"a", 1, 10, noon, Details{}}, Speed{"a", 1, 21, noon, Details{}}
	if _, err := b.Record(t.Context(), 1, first); err != nil {
		t.Fatal(err)
	}
	disktest.Fill(t, filler)
	_, err := b.Record(t.Context(), 1, second)
	if err == nil || !strings.Contains(err.Error(), "no space left on device") || strings.Contains(err.Error(), disk) {
		t.Errorf("Record: %v, want that there is no space, without the folder", err)
	}
	if got, err := b.Speeds(1); err != nil || !cmp.Equal(got, []Speed{first}) {
		t.Errorf("afterwards there are %v, %v", got, err)
	}
	if left, err := filepath.Glob(filepath.Join(b.speeds(), ".day*")); err != nil || len(left) > 0 {
		t.Errorf("half files are left: %v, %v", left, err)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	if mean, err := b.Record(t.Context(), 1, second); err != nil || mean != 15 { // 31 / 2, cut
		t.Errorf("with space again: mean %d, %v, want 15", mean, err)
	}
}
