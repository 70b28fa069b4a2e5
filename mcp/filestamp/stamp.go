// Package filestamp reports whether a file has changed, without reading it. It imports none
// of ours, so that every package may import it.
//
//	before := filestamp.Of(info)
//	...
//	if filestamp.Of(info) != before || !before.Settled(seen) {
//		// read it again
//	}
package filestamp

import (
	"io/fs"
	"os"
	"time"
)

// A Stamp is one state of a file. Stamps are compared with ==.
type Stamp struct {
	size          int64
	modified      int64  // nanoseconds since 1970
	changed       int64  // of the inode, likewise; 0 where the system has none
	device, inode uint64 // 0 where the system has none
}

// Of returns the stamp of a file.
func Of(info fs.FileInfo) Stamp {
	s := Stamp{size: info.Size(), modified: info.ModTime().UnixNano()}
	s.addInode(info)
	return s
}

// Stat returns the stamp of the file at a path. Links are followed.
func Stat(path string) (Stamp, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Stamp{}, err
	}
	return Of(info), nil
}

// Size returns the size of the file in bytes.
func (s Stamp) Size() int64 { return s.size }

// Modified returns the time of the last change of the file's content.
func (s Stamp) Modified() time.Time { return time.Unix(0, s.modified) }

// Content returns the stamp without the time of the inode, which a new link, name or mode
// changes, too.
func (s Stamp) Content() Stamp {
	s.changed = 0
	return s
}

// Unique reports whether no other file has the same stamp, because it names the inode.
func (s Stamp) Unique() bool { return s.inode != 0 }

// Settling is the time after a change during which another one may leave the stamp
// unchanged: file systems count time in steps of up to two seconds (FAT).
const Settling = 2 * time.Second

// Settled reports whether any change after the time seen, at which the stamp was
// taken, shows in the stamp: the last one is long enough before it. A time in the near
// future is not settled either, for clocks differ.
func (s Stamp) Settled(seen time.Time) bool {
	away := func(at int64) bool { return seen.Sub(time.Unix(0, at)).Abs() > Settling }
	return away(s.modified) && away(s.changed)
}
