package disktest

import (
	"os"
	"testing"
)

// Mount puts a disk of that many bytes in place of what dir has until the test
// ends, or skips where that is not allowed.
func Mount(t testing.TB, dir string, size int) {
	t.Helper()
	if err := mount(dir, size); err != nil {
		t.Skipf("a small disk cannot be mounted: %v", err)
	}
	t.Cleanup(func() { detach(t, dir) })
}

// Fill takes all the space that is left, to the last byte, with a file that is
// new.
func Fill(t testing.TB, path string) {
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
	if !isFull(err) {
		t.Errorf("filling the disk: %v", err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}
