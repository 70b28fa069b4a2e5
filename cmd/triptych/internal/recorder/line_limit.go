package recorder

import (
	"sync"
	"time"
)

// maxLines is the number of lines that a [lineLimit] allows in a second.
const maxLines = 50

// A lineLimit bounds the lines that strangers can make a server log: a client that sends
// invalid requests in a loop must not fill a disk.
type lineLimit struct {
	mu      sync.Mutex
	second  int64 // of the Unix time in which lines were counted
	lines   int   // allowed in it
	dropped int   // since the last allowed line
}

// allow reports whether a line may be logged, and how many were not since the last one.
func (l *lineLimit) allow(now time.Time) (dropped int, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if second := now.Unix(); second != l.second {
		l.second, l.lines = second, 0
	}
	if l.lines == maxLines {
		l.dropped++
		return 0, false
	}
	l.lines++
	dropped, l.dropped = l.dropped, 0
	return dropped, true
}
