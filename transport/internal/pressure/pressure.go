// Package pressure delays requests while the heap is near the memory limit of Go's
// runtime (GOMEMLIMIT), so that many large answers are made one after the other and
// not at once. Without a limit it delays nothing.
//
// A request that has just begun has not taken yet what it needs, so the heap does not show it: it
// counts with a share of the limit until it has settled.
//
//	settled, err := gate.Wait(ctx)
//	if err != nil {
//		return err // [ErrBusy], or that of the context
//	}
//	defer settled() // the answer is made
//
// # Concurrency
//
// A Gate may be used by many goroutines.
package pressure

import (
	"context"
	"errors"
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"
)

// ErrBusy is returned by [Gate.Wait] when memory stays short.
var ErrBusy = errors.New("the server is short of memory")

const (
	every   = 5 * time.Millisecond   // before the first collection
	again   = 50 * time.Millisecond  // between collections
	settles = 250 * time.Millisecond // after which the heap shows what a request has taken
	longest = 2 * time.Second        // that a request waits
)

// share is the part of the limit that an answer of some MiB takes while it is made, at a limit of
// 400 MiB: the file, the result, its JSON twice and the buffers that these grow in.
const share = 6

// A Gate lets requests pass one by one while memory is short. Make one with [New].
type Gate struct {
	heap    func() int64
	limit   func() int64
	collect func()
	turn    chan struct{} // held by the request that is next
	freed   chan struct{} // has a token when a request has settled

	mu    sync.Mutex
	young int64 // requests that have not settled
}

// New returns a gate for the heap of this process.
func New() *Gate { return NewWith(heapBytes, memoryLimit, runtime.GC) }

// NewWith returns a gate with functions for the bytes of the heap, their limit, and
// what collects garbage.
func NewWith(heap, limit func() int64, collect func()) *Gate {
	return &Gate{heap: heap, limit: limit, collect: collect, turn: make(chan struct{}, 1), freed: make(chan struct{}, 1)}
}

// Pass counts a request that is not to wait. The function that it returns is called when the
// request has taken what it needs.
func (g *Gate) Pass() (settled func()) {
	if g.limit() == math.MaxInt64 {
		return func() {}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.begin()
}

// Wait returns when the heap takes less than half of the limit, with what requests will take that
// have just begun. It returns ErrBusy after two seconds, or the error of the context. The function
// is called when the request has taken what it needs, and after 250 ms no more is expected of it.
func (g *Gate) Wait(ctx context.Context) (settled func(), err error) {
	limit := g.limit()
	if limit == math.MaxInt64 {
		return func() {}, nil
	}
	if settled = g.enter(limit); settled != nil {
		return settled, nil
	}
	ctx, stop := context.WithTimeoutCause(ctx, longest, ErrBusy)
	defer stop()
	select {
	case g.turn <- struct{}{}:
		defer func() { <-g.turn }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	return g.next(ctx, limit)
}

// next waits until there is room. The caller holds the turn.
func (g *Gate) next(ctx context.Context, limit int64) (settled func(), err error) {
	look := time.NewTimer(every)
	defer look.Stop()
	for {
		if settled = g.enter(limit); settled != nil {
			return settled, nil
		}
		select {
		case <-g.freed:
		case <-look.C:
			if g.heap() >= limit/2 {
				g.collect() // the heap may be garbage, and no other request may be there to trigger it
			}
			look.Reset(again)
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// enter admits a request if there is room for it, and returns nil otherwise.
func (g *Gate) enter(limit int64) (settled func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.young*(limit/share)+g.heap() >= limit/2 {
		return nil
	}
	return g.begin()
}

// begin counts a request as begun. The caller holds the lock.
func (g *Gate) begin() (settled func()) {
	g.young++
	timer := time.AfterFunc(settles, g.settle)
	return func() {
		if timer.Stop() { // only once, and not after it has fired
			g.settle()
		}
	}
}

// settle no longer counts a request as begun, and wakes the one that waits for room.
func (g *Gate) settle() {
	g.mu.Lock()
	g.young--
	g.mu.Unlock()
	select {
	case g.freed <- struct{}{}:
	default:
	}
}

// heapBytes returns the bytes of objects on the heap, garbage included.
func heapBytes() int64 {
	samples := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(samples)
	return int64(samples[0].Value.Uint64())
}

func memoryLimit() int64 { return debug.SetMemoryLimit(-1) }
