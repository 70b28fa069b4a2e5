package streamable

import (
	"maps"
	"slices"
	"sync"
)

// visitors are the principals who were served without a session: families may
// keep state under their name.
type visitors struct {
	mu sync.RWMutex
	by map[string]struct{}
}

func (v *visitors) init() { v.by = map[string]struct{}{} }

func (v *visitors) note(principal string) {
	v.mu.RLock()
	_, known := v.by[principal]
	v.mu.RUnlock()
	if known {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.by) < maxVisitors {
		v.by[principal] = struct{}{}
	}
}

// maxVisitors is how many are remembered. What families keep for more of them
// goes when it has been idle.
const maxVisitors = 100_000

// Principals are those for whom something may be kept, in no order.
func (h *Handler) Principals() []string {
	all := map[string]struct{}{}
	h.visitors.mu.RLock()
	maps.Copy(all, h.visitors.by)
	h.visitors.mu.RUnlock()
	for _, s := range h.sessions.living(false) {
		all[s.principal] = struct{}{}
	}
	return slices.Collect(maps.Keys(all))
}

// Forget ends the sessions of a principal who will not come back, and lets the
// families drop what they keep for it. One who does come back begins anew.
func (h *Handler) Forget(principal string) {
	h.visitors.mu.Lock()
	delete(h.visitors.by, principal)
	h.visitors.mu.Unlock()
	for _, s := range h.sessions.living(false) {
		if s.principal == principal && h.sessions.remove(s) {
			s.end()
		}
	}
	h.cfg.Server.Forget(principal)
}
