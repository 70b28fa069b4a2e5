package pressure_test

import (
	"context"
	"errors"
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/triptych-mcp/triptych/transport/internal/pressure"
)

// A gate is one whose heap, limit and garbage a test sets, in bytes.
type gate struct {
	*pressure.Gate
	heap, limit atomic.Int64
	garbage     atomic.Bool // a collection frees all
}

func newGate(limit int64) *gate {
	g := &gate{}
	g.limit.Store(limit)
	g.Gate = pressure.NewWith(g.heap.Load, g.limit.Load, func() {
		if g.garbage.Load() {
			g.heap.Store(0)
		}
	})
	return g
}

// passes waits at the gate, expects how long that took, and returns settled.
func (g *gate) passes(t *testing.T, after time.Duration) (settled func()) {
	t.Helper()
	began := time.Now()
	settled, err := g.Wait(t.Context())
	if err != nil || time.Since(began) != after {
		t.Errorf("%v after %v, want that it passes after %v", err, time.Since(began), after)
	}
	return settled
}

// Without a limit, or far from it, requests pass at once.
func TestRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(math.MaxInt64)
		g.heap.Store(1 << 40)
		for range 100 {
			g.passes(t, 0)
		}
		g.limit.Store(100)
		g.heap.Store(49)
		g.passes(t, 0)
	})
}

// While memory is short, a request waits until a collection has freed some, fails when there is
// none after two seconds, and ends with its context.
func TestPressure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(100)
		g.heap.Store(50)
		began := time.Now()
		if _, err := g.Wait(t.Context()); !errors.Is(err, pressure.ErrBusy) || time.Since(began) != 2*time.Second {
			t.Errorf("%v after %v, want ErrBusy after 2s", err, time.Since(began))
		}
		ctx, stop := context.WithCancel(t.Context())
		stop()
		if _, err := g.Wait(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
		g.garbage.Store(true)
		g.passes(t, 5*time.Millisecond)
	})
}

// A request that has not settled counts with a sixth of the limit, for a quarter of a second: with
// an empty heap three pass at once, and with a third of the limit in use one does.
func TestYoungRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(600)
		first := g.passes(t, 0)
		g.passes(t, 0)
		g.passes(t, 0)
		time.AfterFunc(100*time.Millisecond, first)
		g.passes(t, 100*time.Millisecond) // when the first one has settled
		first()                           // again, which changes nothing
		g.passes(t, 150*time.Millisecond) // when the second and third are old
		time.Sleep(time.Second)
		for range 1000 {
			g.passes(t, 0)()
		}
		time.Sleep(time.Second)
		g.heap.Store(200)
		g.passes(t, 0)
		g.passes(t, 250*time.Millisecond)
		time.Sleep(time.Second)
		for range 10 {
			g.Pass()
		}
		g.passes(t, 250*time.Millisecond)
	})
}

// While memory is short, waiting requests pass one by one as it becomes free.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(100)
		g.heap.Store(50)
		var all sync.WaitGroup
		var passed atomic.Int64
		for range 10 {
			all.Go(func() {
				settled, err := g.Wait(t.Context())
				if err != nil {
					return
				}
				if passed.Add(1)%2 == 0 {
					g.heap.Store(50) // every second one takes what is free
				}
				settled()
			})
		}
		for n := range int64(5) {
			time.Sleep(100 * time.Millisecond)
			if got := passed.Load(); got != 2*n {
				t.Errorf("%d passed, want %d", got, 2*n)
			}
			g.heap.Store(0)
		}
		all.Wait()
		if got := passed.Load(); got != 10 {
			t.Errorf("%d of 10 passed", got)
		}
	})
}
