package spool

import (
	"errors"
	"math"
	"os"

	"golang.org/x/sys/unix"
)

// createUnnamed creates a file that never has a name, if the file system can (O_TMPFILE). It
// cannot get one later.
func createUnnamed(folder string) (*os.File, error) {
	file, err := os.OpenFile(folder, unix.O_TMPFILE|unix.O_EXCL|os.O_RDWR, 0o600)
	if errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.EISDIR) {
		return createNamed(folder)
	}
	return file, err
}

// sizeLimit returns how large a file of this process may be, see setrlimit(2). A write
// beyond it would end the process.
func sizeLimit() int64 {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &limit); err != nil || limit.Cur > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(limit.Cur)
}
