package streamable

import (
	"sync"
	"time"
)

// maxEnded bounds the ended sessions that a server remembers. Beyond it the oldest are
// forgotten: a client that then uses the id of one again finds its session open.
const maxEnded = 100_000

// An endedSet remembers the sealed sessions that clients have ended, where no store does:
// their ids would otherwise open them again. It may be used by many goroutines.
type endedSet struct {
	mu    sync.Mutex
	at    map[string]time.Time
	order []string // oldest first
}

// add remembers a session for [SessionLife].
func (e *endedSet) add(id string, now time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.at == nil {
		e.at = map[string]time.Time{}
	}
	for len(e.order) > 0 && (len(e.order) >= maxEnded || now.Sub(e.at[e.order[0]]) > SessionLife) {
		delete(e.at, e.order[0])
		e.order = e.order[1:]
	}
	if _, known := e.at[id]; !known {
		e.at[id], e.order = now, append(e.order, id)
	}
}

// has reports whether a session was ended.
func (e *endedSet) has(id string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	_, ended := e.at[id]
	return ended
}
