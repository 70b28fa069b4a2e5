package proc

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
		if got, err := readProc(path); err != nil || got != string(want) {
			t.Errorf("%s has %d bytes, %v; want %d", path, len(got), err, len(want))
		}
	}
	if _, err := readProc("/proc/self/nothing"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	if _, err := readProc("/proc/self"); !errors.Is(err, unix.EISDIR) {
		t.Errorf("a folder: %v", err)
	}
}

// The line of a process goes over its parent to the first process, which has
// none.
func TestAncestors(t *testing.T) {
	line := ancestors(os.Getpid())
	if len(line) < 2 || line[0] != os.Getpid() || line[1] != os.Getppid() {
		t.Errorf("the line is %v, want %d, %d and so on", line, os.Getpid(), os.Getppid())
	}
	if line := ancestors(1 << 30); len(line) != 1 {
		t.Errorf("the line of nobody is %v", line)
	}
}
