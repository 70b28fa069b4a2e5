package filestamp

import (
	"io/fs"
	"syscall"
)

// addInode adds the facts of the inode.
func (s *Stamp) addInode(info fs.FileInfo) {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		s.device, s.inode = uint64(stat.Dev), stat.Ino //nolint:unconvert // some machines have 32 bits for a device
		s.changed = stat.Ctim.Nano()
	}
}
