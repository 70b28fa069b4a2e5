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

// TestWait: without pressure requests pass at once; under pressure they pass one by
// one as it goes, and fail when it stays for two seconds.
func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var heap, limit atomic.Int64
		garbage := false
		g := pressure.NewWith(heap.Load, limit.Load, func() {
			if garbage {
				heap.Store(0)
			}
		})
		began := time.Now()
		for _, now := range []struct{ heap, limit int64 }{{1 << 40, math.MaxInt64}, {49, 100}} {
			heap.Store(now.heap)
			limit.Store(now.limit)
			if err := g.Wait(t.Context()); err != nil || time.Since(began) > 0 {
				t.Errorf("heap %d of %d: %v after %v", now.heap, now.limit, err, time.Since(began))
			}
		}
		heap.Store(50)
		if err := g.Wait(t.Context()); !errors.Is(err, pressure.ErrBusy) || time.Since(began) != 2*time.Second {
			t.Errorf("under pressure: %v after %v, want ErrBusy after 2s", err, time.Since(began))
		}
		ctx, stop := context.WithCancel(t.Context())
		stop()
		if err := g.Wait(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
		garbage = true
		if err := g.Wait(t.Context()); err != nil || heap.Load() != 0 {
			t.Errorf("with garbage: %v, heap %d", err, heap.Load())
		}
		garbage = false
		heap.Store(50)
		var all sync.WaitGroup
		var passed atomic.Int64
		for range 10 {
			all.Go(func() {
				if g.Wait(t.Context()) == nil && passed.Add(1)%2 == 0 {
					heap.Store(50) // every second one takes what is free
				}
			})
		}
		for range 5 {
			time.Sleep(100 * time.Millisecond)
			if n := passed.Load(); heap.Load() == 50 && n%2 != 0 {
				t.Errorf("%d passed", n)
			}
			heap.Store(0)
		}
		all.Wait()
		if got := passed.Load(); got != 10 {
			t.Errorf("%d of 10 passed", got)
		}
	})
}
