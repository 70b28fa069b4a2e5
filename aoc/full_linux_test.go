package aoc

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// smallDisk mounts a disk of 128 KiB, or skips where that is not allowed.
func smallDisk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=128k"); err != nil {
		t.Skipf("a small disk cannot be mounted: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Errorf("unmounting: %v", err)
		}
	})
	return dir
}

// fill takes all the space that is left.
func fill(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = f.Write(make([]byte, 1024))
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("filling the disk: %v", err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

func TestFullDisk(t *testing.T) {
	disk := smallDisk(t)
	b, filler := Open(filepath.Join(disk, "aoc")), filepath.Join(disk, "filler")
	first, second := Speed{"a", 1, 10, noon}, Speed{"a", 1, 21, noon}
	if _, err := b.Record(t.Context(), 1, first); err != nil {
		t.Fatal(err)
	}
	fill(t, filler)
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
