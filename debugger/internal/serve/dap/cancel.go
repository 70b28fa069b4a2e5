package dap

import (
	"context"
	"maps"
	"sync"
)

// maxCanceled bounds the requests that are remembered as canceled.
const maxCanceled = 1000

// An inflight cancels requests: the one that is handled, or those that wait.
// Its methods may be called from any goroutine.
type inflight struct {
	mu       sync.Mutex
	seq      int // of the request that is handled
	cancel   context.CancelFunc
	canceled map[int]bool
}

// begin returns the context for a request; false if it was canceled already.
// The caller calls end afterwards.
func (f *inflight) begin(ctx context.Context, seq int) (context.Context, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	canceled := f.canceled[seq]
	maps.DeleteFunc(f.canceled, func(each int, _ bool) bool { return each <= seq }) // numbers grow
	if canceled {
		return nil, false
	}
	ctx, f.cancel = context.WithCancel(ctx)
	f.seq = seq
	return ctx, true
}

func (f *inflight) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cancel()
	f.cancel, f.seq = nil, 0
}

// cancelRequest cancels a request, or lets it be refused when its turn comes.
func (f *inflight) cancelRequest(seq int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.cancel != nil && f.seq == seq:
		f.cancel()
	case len(f.canceled) < maxCanceled && seq > 0:
		if f.canceled == nil {
			f.canceled = map[int]bool{}
		}
		f.canceled[seq] = true
	}
}

// cancelCurrent cancels the request that is handled, if any.
func (f *inflight) cancelCurrent() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.cancel != nil {
		f.cancel()
	}
}

// current returns the number of the request that is handled.
func (f *inflight) current() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.seq
}
