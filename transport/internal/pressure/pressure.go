// Package pressure delays requests while the heap is near the memory limit of Go's
// runtime (GOMEMLIMIT), so that many large answers are made one after the other and
// not at once. Without a limit it delays nothing.
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
	"time"
)

// ErrBusy is returned by [Gate.Wait] when memory stays short.
var ErrBusy = errors.New("the server is short of memory")

const (
	every   = 5 * time.Millisecond  // before the first look at the heap
	again   = 50 * time.Millisecond // between collections
	longest = 2 * time.Second       // that a request waits
)

// A Gate lets requests pass one by one while memory is short. Make one with [New].
type Gate struct {
	heap    func() int64
	limit   func() int64
	collect func()
	turn    chan struct{} // held by the request that is next
}

// New returns a gate for the heap of this process.
func New() *Gate { return NewWith(heapBytes, memoryLimit, runtime.GC) }

// NewWith returns a gate with functions for the bytes of the heap, their limit, and
// what collects garbage.
func NewWith(heap, limit func() int64, collect func()) *Gate {
	return &Gate{heap: heap, limit: limit, collect: collect, turn: make(chan struct{}, 1)}
}

// Wait returns when the heap takes less than half of the limit, or ErrBusy after two
// seconds, or the error of the context.
func (g *Gate) Wait(ctx context.Context) error {
	limit := g.limit()
	if limit == math.MaxInt64 || g.heap() < limit/2 {
		return nil
	}
	ctx, stop := context.WithTimeoutCause(ctx, longest, ErrBusy)
	defer stop()
	select {
	case g.turn <- struct{}{}:
		defer func() { <-g.turn }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	for wait := every; ; wait = again {
		select { // also before the first look: the request before has just begun
		case <-time.After(wait):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if g.heap() < limit/2 {
			return nil
		}
		g.collect() // the heap may be garbage, and no other request may be there to trigger it
		if g.heap() < limit/2 {
			return nil
		}
	}
}

// heapBytes returns the bytes of objects on the heap, garbage included.
func heapBytes() int64 {
	samples := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(samples)
	return int64(samples[0].Value.Uint64())
}

func memoryLimit() int64 { return debug.SetMemoryLimit(-1) }
