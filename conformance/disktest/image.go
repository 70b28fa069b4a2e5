package disktest

import (
	"os"
	"path/filepath"
	"testing"
)

// An Image is a disk in a file, with a file system of Linux, ext4, on it.
type Image struct {
	path string
}

// Format puts a disk that is new in place of what dir has until the test ends, or
// skips where that is not allowed. Options are passed to mkfs.ext4.
func Format(t testing.TB, dir string, options ...string) *Image {
	t.Helper()
	d := &Image{path: filepath.Join(t.TempDir(), "image")}
	if err := format(t.Context(), d.path, options); err != nil {
		t.Skipf("a disk cannot be made: %v", err)
	}
	if err := attach(t.Context(), d.path, dir); err != nil {
		t.Skipf("a disk in a file cannot be mounted: %v", err)
	}
	t.Cleanup(func() { detach(t, dir) })
	return d
}

// PowerCut calls look while dir has what a power cut at this moment would leave of
// the disk: what was written to it, and not what waits in memory. The disk itself
// stays as it was.
func (d *Image) PowerCut(t testing.TB, dir string, look func()) {
	t.Helper()
	data, err := os.ReadFile(d.path)
	if err != nil {
		t.Fatal(err)
	}
	left := d.path + ".left"
	if err := os.WriteFile(left, data, 0o600); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.Remove(left) }() // goes with the folder at the latest
	if err := attach(t.Context(), left, dir); err != nil {
		t.Fatalf("after a power cut: %v", err)
	}
	defer detach(t, dir)
	look()
}

func detach(t testing.TB, dir string) {
	t.Helper()
	if err := unmount(dir); err != nil {
		t.Errorf("unmounting: %v", err)
	}
}
