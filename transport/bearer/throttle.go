package bearer

import (
	"context"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/triptych-mcp/triptych/transport/internal/connlimit"
)

// A throttle delays answers to addresses that fail repeatedly, longer each time: five
// failures are free, then 0.1 s, doubled up to 3 s. A failure is forgiven every six
// seconds. Good keys from the same address are not delayed.
type throttle struct {
	mu sync.Mutex
	by map[netip.Prefix]*attempts
}

// attempts are the failed ones from a network: how many are not forgiven yet, when the
// last was, and how many requests wait now.
type attempts struct {
	failed  int
	last    time.Time
	waiting int
}

const (
	freeAttempts = 5 // that are answered at once
	firstDelay   = 100 * time.Millisecond
	longestDelay = 3 * time.Second
	forgiveness  = 6 * time.Second // in which one failure is forgotten
	maxWaiting   = 8               // answers that an address may have waiting
	maxAddresses = 10_000          // that are remembered
	roomToMake   = 1000            // that are dropped at once when there are too many
)

// init makes the table.
func (t *throttle) init() { t.by = map[netip.Prefix]*attempts{} }

// hold counts a failure and waits for the delay of the address, or until ctx is done. It
// reports false, without waiting, when too many of its answers wait already. The lock is
// not held meanwhile.
func (t *throttle) hold(ctx context.Context, from netip.Addr, now time.Time) bool {
	delay, ok := t.fail(connlimit.Network(from), now)
	if !ok || delay == 0 {
		return ok
	}
	defer t.waited(connlimit.Network(from))
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	return true
}

// fail notes a failed attempt from a network. It returns how long the refusal is to be
// delayed, and false if too many others from there are being delayed already, in which
// case it is sent at once.
func (t *throttle) fail(from netip.Prefix, now time.Time) (time.Duration, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	a := t.by[from]
	if a == nil {
		t.makeRoomLocked(now)
		a = &attempts{last: now}
		t.by[from] = a
	}
	forgiven := int(now.Sub(a.last) / forgiveness)
	a.failed, a.last = max(0, a.failed-max(forgiven, 0))+1, now
	if a.failed <= freeAttempts {
		return 0, true
	}
	if a.waiting >= maxWaiting {
		return 0, false
	}
	a.waiting++
	return min(firstDelay<<min(a.failed-freeAttempts-1, 10), longestDelay), true
}

// waited ends a delay that fail asked for.
func (t *throttle) waited(from netip.Prefix) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if a := t.by[from]; a != nil {
		a.waiting--
	}
}

// makeRoomLocked drops addresses that have been quiet, or else any without waiting
// answers: many at once, for it visits all of them.
func (t *throttle) makeRoomLocked(now time.Time) {
	if len(t.by) < maxAddresses {
		return
	}
	for from, a := range t.by {
		if a.waiting == 0 && now.Sub(a.last) > forgiveness*freeAttempts {
			delete(t.by, from)
		}
	}
	for from, a := range t.by {
		if len(t.by) <= maxAddresses-roomToMake {
			return
		}
		if a.waiting == 0 {
			delete(t.by, from)
		}
	}
}

// WithKey returns a request from the same client that shows a key and nothing else.
func WithKey(r *http.Request, key string) *http.Request {
	with := r.Clone(r.Context())
	with.Header = http.Header{"Authorization": {"Bearer " + key}}
	if hops := r.Header["X-Forwarded-For"]; hops != nil {
		with.Header["X-Forwarded-For"] = hops
	}
	return with
}

// Guessed delays a request that has shown wrong credentials elsewhere than in the Authorization
// header, as [Authenticator.Authenticate] does. It reports false if as many requests from its
// address as may wait are being delayed already.
func (d *Authenticator) Guessed(r *http.Request) bool {
	return d.failures.hold(r.Context(), d.client(r).Addr(), d.cfg.Now())
}
