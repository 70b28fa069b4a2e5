package disktest

import (
	"errors"
	"strconv"
	"syscall"
)

func mount(dir string, size int) error {
	return syscall.Mount("tmpfs", dir, "tmpfs", 0, "mode=0700,size="+strconv.Itoa(size))
}

// unmount takes away what is still open, too: that ends when it is closed.
func unmount(dir string) error { return syscall.Unmount(dir, syscall.MNT_DETACH) }

func isFull(err error) bool { return errors.Is(err, syscall.ENOSPC) }
