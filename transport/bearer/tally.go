package bearer

import (
	"fmt"
	"sync"
	"time"
)

// A tally merges many refusals in a row into one record, so that they cannot fill a disk.
// Its method due may be called from any goroutine.
type tally struct {
	mu sync.Mutex
	by map[string]*count
}

// A count is the time of the last message of a kind, and how many were left out since.
type count struct {
	last time.Time
	more int
}

// tallyEvery is the time between two records about one key.
const tallyEvery = time.Second

// init makes the table.
func (t *tally) init() { t.by = map[string]*count{} }

// due counts a refusal. It reports whether to record it, and returns a note on those
// that were not recorded.
func (t *tally) due(key string, now time.Time) (more string, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.by[key]
	if c == nil {
		if len(t.by) >= maxAddresses {
			clear(t.by) // some notes are lost
		}
		c = &count{}
		t.by[key] = c
	}
	if since := now.Sub(c.last); since >= 0 && since < tallyEvery {
		c.more++
		return "", false
	}
	if c.more > 0 {
		more = fmt.Sprintf(" (and %d more)", c.more)
	}
	c.last, c.more = now, 0
	return more, true
}
