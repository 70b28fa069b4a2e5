package procfs

import (
	"errors"
	"io/fs"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// Files are read whole, however long they are.
func TestReadProc(t *testing.T) {
	for _, path := range []string{"/proc/version", "/proc/self/cmdline", "/proc/kallsyms"} {
		want, err := os.ReadFile(path)
		if err != nil {
			t.Skip("it cannot be read: ", err)
		}
		if got, err := ReadFile(path); err != nil || got != string(want) {
			t.Errorf("%s has %d bytes, %v; want %d", path, len(got), err, len(want))
		}
	}
	if _, err := ReadFile("/proc/self/nothing"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	if _, err := ReadFile("/proc/self"); !errors.Is(err, unix.EISDIR) {
		t.Errorf("a folder: %v", err)
	}
}
