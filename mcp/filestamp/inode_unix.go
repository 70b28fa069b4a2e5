//go:build unix && !linux

package filestamp

import (
	"io/fs"
	"syscall"
)

// addInode adds the number of the inode. Its time has another name on each system.
func (s *Stamp) addInode(info fs.FileInfo) {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		s.device, s.inode = uint64(stat.Dev), uint64(stat.Ino) //nolint:unconvert // some systems have other types
	}
}
