package document

import (
	"io/fs"
	"time"
)

// A stamp tells one state of a file from another without reading it.
type stamp struct {
	size          int64
	modified      time.Time
	changed       time.Time // of the inode; zero where there is none
	device, inode uint64    // zero where there are none
}

func (s stamp) equal(other stamp) bool {
	return s.size == other.size && s.modified.Equal(other.modified) &&
		s.changed.Equal(other.changed) && s.device == other.device && s.inode == other.inode
}

// settling is the time in which a file's times cannot distinguish two changes
// apart: file systems count in steps of up to two seconds (FAT).
const settling = 2 * time.Second

// settled reports whether a change after the moment seen would show in the
// stamp: the last one is long enough before it.
func (s stamp) settled(seen time.Time) bool {
	return seen.Sub(s.modified) > settling && seen.Sub(s.changed) > settling
}

// plain is the part of a stamp that every system has.
func plain(info fs.FileInfo) stamp {
	return stamp{size: info.Size(), modified: info.ModTime()}
}
