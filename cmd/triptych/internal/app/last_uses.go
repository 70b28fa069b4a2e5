package app

import (
	"strings"
	"sync"
	"time"

	"github.com/triptych-mcp/triptych/transport/keys"
)

// lastUses hold when each key was used last.
type lastUses struct {
	mu sync.Mutex
	by map[string]time.Time
}

// saw records a request of a principal; only keys are counted, which are not many.
func (u *lastUses) saw(id string, at time.Time) {
	if !strings.HasPrefix(id, keys.IDPrefix) {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.by == nil {
		u.by = map[string]time.Time{}
	}
	u.by[id] = at
}

// Last returns when a key was used last, zero if not since the process started.
func (u *lastUses) Last(id string) time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.by[id]
}
