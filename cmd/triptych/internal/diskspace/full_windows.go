package diskspace

import (
	"errors"

	"golang.org/x/sys/windows"
)

// isFull reports whether an error says that a disk, or a user's part of it, is full.
func isFull(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL) || errors.Is(err, windows.ERROR_DISK_QUOTA_EXCEEDED)
}
