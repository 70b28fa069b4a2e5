package audit

import (
	"bytes"
	"os"
)

// A room is the space behind the lines of a file: newlines, which the next lines overwrite.
// Syncing bytes that replace others takes a tenth of the time of bytes that make a file
// longer, for the file system need not record a new length. The file stays a text, and lines
// have no empty line among them, so readers find their end.
type room struct {
	end  int64 // where the file ends
	next int64 // how much is reserved next
}

// Bytes that are reserved at one time: twice as many each time, within these
// bounds, so that a chain of a few records stays small and a long one seldom waits.
// In a new file, and where they did not fit, it is the fewest again: a disk that is
// nearly full is not filled up for a moment with each group.
const (
	minRoom = 64 << 10
	maxRoom = 8 << 20
)

// roomEnd is the least room behind the lines, unless the disk is full: the end of an empty
// line, at which readers stop.
const roomEnd = 2

// reserve makes a file with lines up to size long enough for n bytes and more. If there is no
// space for more, the n bytes may still fit: the write of the lines fails if not. It reports
// no error, for room is only a help.
func (r *room) reserve(f *os.File, size, n int64) {
	if size+n+roomEnd <= r.end {
		return
	}
	r.next = min(max(2*r.next, minRoom), maxRoom)
	start, end := max(size, r.end), size+n+r.next
	blank := bytes.Repeat([]byte{'\n'}, minRoom)
	for at := start; at < end; at += minRoom {
		if _, err := f.WriteAt(blank[:min(minRoom, end-at)], at); err != nil {
			_ = f.Truncate(start) // the write of the lines reports the error
			r.next = 0
			return
		}
	}
	r.end = end
}

// giveBack cuts the room off, so that a file that was ended has nothing behind its lines.
func (r *room) giveBack(f *os.File, size int64) error {
	if r.end <= size {
		return nil
	}
	r.end = size
	return f.Truncate(size)
}
