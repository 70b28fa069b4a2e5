package document

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
	"time"
)

// A crew runs work that may not end in time. A worker occupies a slot until its
// goroutine ends, even if its caller has given up, so that there are never more
// goroutines than slots.
type crew struct {
	places    chan struct{}
	abandoned atomic.Int64  // workers whose callers have given up
	time      time.Duration // processor time for one piece of work
	growth    int64         // limit of the growth of the heap during one piece of work
	log       *slog.Logger
}

func newCrew(places int, limit time.Duration, growth int64, log *slog.Logger) *crew {
	return &crew{places: make(chan struct{}, places), time: limit, growth: growth, log: log}
}

const (
	// grace is the processor time for work to return after its limit, and
	// graceWait the same by the clock.
	grace     = 250 * time.Millisecond
	graceWait = 20 * grace
	// watching is the interval at which processor time and heap are measured.
	watching = 20 * time.Millisecond
)

// A job is a piece of work that a worker does while a caller waits.
type job[T any] struct {
	value T
	err   error
	clock threadClock   // set before begun is closed
	begun chan struct{} // closed when a thread has started the work
	done  chan struct{} // closed when value and err are set
	left  atomic.Bool   // set by the first of worker and caller that leaves
}

// work runs do on a worker and waits for it, at most until ctx ends or the work's
// processor time is used up, plus grace. It drops later results.
func work[T any](ctx context.Context, c *crew, doing string, do func(context.Context) (T, error)) (T, error) {
	var none T
	if err := c.enter(ctx); err != nil {
		return none, err
	}
	start := time.Now()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	j := &job[T]{begun: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer func() { <-c.places }()
		j.run(ctx, c, doing, do)
	}()
	<-j.begun
	w := watch{crew: c, doing: doing, clock: j.clock, cancel: cancel, done: j.done}
	if !w.attend(ctx) && j.left.CompareAndSwap(false, true) {
		c.abandoned.Add(1)
		c.log.Warn("gave up work on a document", "doing", doing, "dur", time.Since(start))
		return none, overdue(ctx, doing, time.Since(start))
	}
	<-j.done // it is done, or will be at once
	if j.err != nil && ctx.Err() != nil {
		return none, overdue(ctx, doing, time.Since(start))
	}
	return j.value, j.err
}

// enter waits for a slot, at most as long by the clock as work may take of the
// processor.
func (c *crew) enter(ctx context.Context) error {
	timer := time.NewTimer(c.time)
	defer timer.Stop()
	select {
	case c.places <- struct{}{}:
		return nil
	case <-timer.C:
		return c.busy()
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.Canceled) {
			return context.Cause(ctx)
		}
		return c.busy()
	}
}

// busy returns the error for work that found no free slot.
func (c *crew) busy() error {
	return &BusyError{Workers: cap(c.places), Abandoned: int(c.abandoned.Load())}
}

// run runs the work on the worker's goroutine, which is locked to a thread so
// that the thread's processor time is that of the work.
func (j *job[T]) run(ctx context.Context, c *crew, doing string, do func(context.Context) (T, error)) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	j.clock = newThreadClock()
	close(j.begun)
	j.value, j.err = guarded(ctx, c, doing, do)
	close(j.done)
	if !j.left.CompareAndSwap(false, true) {
		c.abandoned.Add(-1)
	}
}

// guarded converts a panic of the engine to an error.
func guarded[T any](ctx context.Context, c *crew, doing string, do func(context.Context) (T, error)) (value T, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			c.log.Error("the XML engine panicked", "doing", doing, "err", cause, "stack", string(debug.Stack()))
			err = &EngineError{doing, fmt.Sprint(cause)}
		}
	}()
	return do(ctx)
}

// A watch cancels work that exceeds its limits.
type watch struct {
	crew   *crew
	doing  string
	clock  threadClock
	cancel context.CancelCauseFunc
	done   <-chan struct{} // closed when the work is done
}

// attend waits until the work is done, and cancels it if it has used its time or
// the heap grows too much. It returns false when ctx and the grace period have
// ended.
func (w *watch) attend(ctx context.Context) bool {
	tick := time.NewTicker(watching)
	defer tick.Stop()
	begun, before := w.clock.spent(), heap()
	var sizes chan int64 // sizes of the heap after a collection; nil if none is running
	for {
		select {
		case <-w.done:
			return true
		case <-ctx.Done():
			return w.waited()
		case size := <-sizes:
			sizes = nil
			if size-before > w.crew.growth {
				w.cancel(&LimitError{Subject: "request", What: LimitMemory, Limit: w.crew.growth})
			}
		case <-tick.C:
			if w.clock.spent()-begun > w.crew.time {
				w.cancel(&LimitError{Subject: w.doing, What: "processor time", Elapsed: w.crew.time})
			} else if sizes == nil && heap()-before > w.crew.growth {
				sizes = make(chan int64, 1)
				go collected(sizes)
			}
		}
	}
}

// waited reports whether the work is done within its grace period.
func (w *watch) waited() bool {
	tick := time.NewTicker(watching)
	defer tick.Stop()
	limit := w.clock.spent() + grace
	for over := time.Now().Add(graceWait); time.Now().Before(over) && w.clock.spent() < limit; {
		select {
		case <-w.done:
			return true
		case <-tick.C:
		}
	}
	return false
}

// heap returns the bytes of objects on the heap, including dead ones that have
// not been collected.
func heap() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

// collected sends the size of the heap after a garbage collection. That takes
// long, but the result decides whether work is canceled.
func collected(size chan<- int64) {
	runtime.GC()
	size <- heap()
}

// overdue returns the error for work whose context ended: that of the limit, or
// the context's own error if the caller canceled.
func overdue(ctx context.Context, doing string, elapsed time.Duration) error {
	cause := context.Cause(ctx)
	if limit, ok := errors.AsType[*LimitError](cause); ok {
		return limit
	}
	if errors.Is(cause, context.DeadlineExceeded) {
		return &LimitError{Subject: doing, What: "time", Elapsed: elapsed.Round(time.Millisecond)}
	}
	return cause
}
