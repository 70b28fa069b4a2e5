//go:build unix

package target

import (
	"os"
	"syscall"
)

// setBlocking makes reads of a file wait.
func setBlocking(f *os.File) error { return syscall.SetNonblock(int(f.Fd()), false) }
