package peers

import (
	"context"
	"time"
)

// SetStoreWait sets the limit of one request to the store, for tests on a busy machine.
func SetStoreWait(d time.Duration) { storeWait = d }

// SetMaxBytes sets the bytes of the tasks of one principal.
func (t *Tasks) SetMaxBytes(n int) { t.maxBytes = n }

// SetMaxOwned limits the sessions that owners remember, until the function is called that it
// returns.
func SetMaxOwned(n int) (restore func()) {
	before := maxOwned
	maxOwned = n
	return func() { maxOwned = before }
}

// Show writes the entry of a server at once.
func Show(ctx context.Context, r *Registry) error { return r.show(ctx) }
