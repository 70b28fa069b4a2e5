package console

import (
	"context"
	"sync"
	"time"
)

// A refusedCount remembers the number of refusals, which is costly to find. Visitors who ask
// while it is found see the number before.
type refusedCount struct {
	reading sync.Mutex // held while the trail is read

	mu    sync.Mutex
	at    time.Time
	n     int
	whole bool
}

// countEvery is the time for which the number is remembered.
const countEvery = time.Minute

// count returns the number of refusals of a day, and whether the trail was read to its end.
// The trail is read for all visitors, so that a request which ends does not end it.
func (r *refusedCount) count(ctx context.Context, c *Console) (n int, whole bool) {
	if n, whole, fresh := r.known(c.cfg.Now()); fresh || !r.reading.TryLock() {
		return n, whole
	}
	defer r.reading.Unlock()
	n, whole = c.countRefusals(context.WithoutCancel(ctx))
	r.mu.Lock()
	defer r.mu.Unlock()
	r.at, r.n, r.whole = c.cfg.Now(), n, whole
	return n, whole
}

// known returns the number that is remembered, and whether it is fresh.
func (r *refusedCount) known(now time.Time) (n int, whole, fresh bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.n, r.whole, !r.at.IsZero() && now.Sub(r.at) < countEvery
}
