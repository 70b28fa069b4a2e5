//go:build unix

package diskspace

import (
	"errors"
	"syscall"
)

// isFull reports whether an error says that a disk, or a user's part of it, is full.
func isFull(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }
