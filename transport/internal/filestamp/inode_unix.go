//go:build unix

package filestamp

import (
	"io/fs"
	"syscall"
)

// inode is the number of a file; a file that was replaced has another one.
func inode(info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return stat.Ino
	}
	return 0
}
