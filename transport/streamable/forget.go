package streamable

import (
	"maps"
	"slices"
	"sync"
)

// principals is the set of principals that were served without a session: families may
// keep state for them. Those with sessions are found through these.
type principals struct {
	mu sync.RWMutex
	by map[string]struct{}
}

// init makes the set.
func (v *principals) init() { v.by = map[string]struct{}{} }

// add adds a principal, unless there are maxPrincipals. Most calls find it in the set
// and take the lock for reading only.
func (v *principals) add(principal string) {
	v.mu.RLock()
	_, known := v.by[principal]
	v.mu.RUnlock()
	if known {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.by) < maxPrincipals {
		v.by[principal] = struct{}{}
	}
}

// maxPrincipals bounds the set. The state of further principals goes when it has
// been idle for long enough.
const maxPrincipals = 100_000

// Principals returns the principals for which state may be kept, in no order and each once. A
// caller looks their keys up from time to time and calls [Handler.Forget] for those that were
// revoked: a key that is not used any more sends no request by which its revocation would be
// noticed.
func (h *Handler) Principals() []string {
	all := map[string]struct{}{}
	h.principals.mu.RLock()
	maps.Copy(all, h.principals.by)
	h.principals.mu.RUnlock()
	for _, s := range h.sessions.all(false) {
		all[s.principal] = struct{}{}
	}
	return slices.Collect(maps.Keys(all))
}

// Forget ends the sessions of a principal at this server, such as that of a revoked key, and
// makes the families drop its state. Requests that run are cancelled, not waited for. For a
// principal that is not known it does nothing.
func (h *Handler) Forget(principal string) {
	h.principals.mu.Lock()
	delete(h.principals.by, principal)
	h.principals.mu.Unlock()
	for _, s := range h.sessions.all(false) {
		if s.principal == principal && h.sessions.remove(s) {
			s.end()
		}
	}
	h.cfg.Server.Forget(principal)
}
