package streamable

import (
	"context"
	"sync"
)

// running counts the handlers that run. Unlike a [sync.WaitGroup] it may grow while a
// goroutine waits: requests that were half sent when the server was told to end get their
// answers. Any number of goroutines may wait.
type running struct {
	mu   sync.Mutex
	n    int
	none chan struct{} // closed when n is 0; nil unless a goroutine waits
}

// add counts one more.
func (r *running) add() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.n++
}

// done counts one less, and wakes the goroutines that wait when it was the last.
func (r *running) done() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.n--; r.n == 0 && r.none != nil {
		close(r.none)
		r.none = nil
	}
}

// wait waits until nothing runs, or until ctx is done. Handlers that begin meanwhile are
// waited for, too.
func (r *running) wait(ctx context.Context) {
	r.mu.Lock()
	if r.n > 0 && r.none == nil {
		r.none = make(chan struct{})
	}
	none := r.none
	r.mu.Unlock()
	if none == nil {
		return
	}
	select {
	case <-none:
	case <-ctx.Done():
	}
}
