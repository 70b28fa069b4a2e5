package document

import (
	"io/fs"
	"syscall"
	"time"
)

// openFlags keep a pipe from making open wait for its writer.
const openFlags = syscall.O_NONBLOCK

func stampOf(info fs.FileInfo) stamp {
	s := plain(info)
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		s.device, s.inode = uint64(stat.Dev), stat.Ino //nolint:unconvert // some machines have 32 bits for a device
		s.changed = time.Unix(stat.Ctim.Unix())
	}
	return s
}
