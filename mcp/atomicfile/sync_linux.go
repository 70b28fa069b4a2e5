package atomicfile

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// SyncData puts a file's bytes on disk, and of its other facts only those that
// reading them back needs (fdatasync(2)).
func SyncData(f *os.File) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	if err := raw.Control(func(fd uintptr) {
		failed = again(func() error { return unix.Fdatasync(int(fd)) })
	}); err != nil {
		return err
	}
	if failed != nil {
		return &os.PathError{Op: "fdatasync", Path: f.Name(), Err: failed}
	}
	return nil
}

// again makes a system call until no signal interrupts it.
func again(call func() error) error {
	for {
		if err := call(); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
