package bearer

import (
	"fmt"
	"sync"
	"time"
)

// A tally makes one record of many refusals in a row, so that nobody fills a
// disk with them.
type tally struct {
	mu sync.Mutex
	by map[string]*count
}

type count struct {
	last time.Time
	more int
}

// tallyEvery is the time between two records about one key.
const tallyEvery = time.Second

func (t *tally) init() { t.by = map[string]*count{} }

// due counts a refusal. It reports whether it is to be recorded, and what to
// say of those that were not.
func (t *tally) due(key string, now time.Time) (more string, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.by[key]
	if c == nil {
		if len(t.by) >= maxAddresses {
			clear(t.by) // some say a little less
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
