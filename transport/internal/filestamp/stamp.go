// Package filestamp reports whether a file changed, without reading it.
//
//	before := filestamp.Of(info)
//	...
//	if filestamp.Of(info) != before || !before.Settled() {
//		// read it again
//	}
package filestamp

import (
	"fmt"
	"io/fs"
	"time"
)

// A Stamp is one state of a file. Stamps are compared with ==.
type Stamp struct {
	size     int64
	modified int64  // nanoseconds since 1970
	inode    uint64 // 0 where the system has none
}

// Of returns the stamp of a file.
func Of(info fs.FileInfo) Stamp {
	return Stamp{size: info.Size(), modified: info.ModTime().UnixNano(), inode: inode(info)}
}

// String returns a text that is equal for equal stamps only.
func (s Stamp) String() string { return fmt.Sprintf("%d %d %d", s.size, s.modified, s.inode) }

// settling is the time after a change during which another one may leave the stamp
// unchanged: file systems count time in steps of up to two seconds (FAT).
const settling = 2 * time.Second

// Settled reports whether any later change will show in the stamp. A time in the
// near future is not settled either: clocks differ.
func (s Stamp) Settled() bool { return time.Since(time.Unix(0, s.modified)).Abs() >= settling }
