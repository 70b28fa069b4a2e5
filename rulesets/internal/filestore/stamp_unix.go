//go:build unix

package filestore

import (
	"io/fs"
	"syscall"
)

func stampOf(info fs.FileInfo) stamp {
	s := stamp{size: info.Size(), modified: info.ModTime()}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		s.inode = stat.Ino
	}
	return s
}
