package filestore

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"time"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// A stamp changes when a file does. A store has one of each file in memory, so it is
// small and has no pointer.
type stamp struct {
	size     int64
	modified int64  // in nanoseconds since 1970
	inode    uint64 // 0 where the system has none
}

// stampOf returns the stamp of a file.
func stampOf(info fs.FileInfo) stamp {
	return stamp{size: info.Size(), modified: info.ModTime().UnixNano(), inode: inode(info)}
}

// settling is the time after a change during which another one may leave the stamp
// unchanged: file systems count time in steps of up to two seconds (FAT).
const settling = 2 * time.Second

// settled reports whether any later change will show in the stamp, so that what
// was read of the file may be kept.
func (s stamp) settled() bool { return time.Since(time.Unix(0, s.modified)) >= settling }

// stampOf returns the stamp of the file of a ruleset; ok is false if there is none.
func (s *Store) stampOf(name ruleset.Name) (_ stamp, ok bool) {
	info, err := os.Lstat(s.path(name))
	if err != nil {
		return stamp{}, false
	}
	return stampOf(info), true
}

// sumOf returns the SHA-256 of a content.
func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
