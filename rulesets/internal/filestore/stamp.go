package filestore

import (
	"io/fs"
	"time"
)

// A stamp changes when a file does.
type stamp struct {
	size     int64
	modified time.Time
	inode    uint64 // 0 where the system has none
}

// stampOf returns the stamp of a file.
func stampOf(info fs.FileInfo) stamp {
	return stamp{size: info.Size(), modified: info.ModTime(), inode: inode(info)}
}

// settling is the time after a change during which another one may leave the stamp
// unchanged: file systems count time in steps of up to two seconds (FAT).
const settling = 2 * time.Second

// settled reports whether any later change will show in the stamp, so that what
// was read of the file may be kept.
func (s stamp) settled() bool { return time.Since(s.modified) >= settling }
