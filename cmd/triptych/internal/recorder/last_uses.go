package recorder

import (
	"strings"
	"sync"
	"time"

	"github.com/triptych-mcp/triptych/transport/keys"
)

// lastUses holds the time when each key was last used.
type lastUses struct {
	mu sync.Mutex
	by map[string]time.Time // by id
}

// saw records a request of a principal. It ignores principals other than keys, so that the
// map stays small.
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

// last returns when a key was last used, zero if not since the process started.
func (u *lastUses) last(id string) time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.by[id]
}
