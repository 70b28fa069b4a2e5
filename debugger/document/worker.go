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

// A crew runs work of which it is not known when it ends. A place in it is taken
// for as long as a goroutine really works, so there are never more of them than
// places, however many were given up.
type crew struct {
	places    chan struct{}
	abandoned atomic.Int64 // workers whose callers have given up
	growth    int64        // how far the heap may grow under one piece of work
	log       *slog.Logger
}

func newCrew(places int, growth int64, log *slog.Logger) *crew {
	return &crew{places: make(chan struct{}, places), growth: growth, log: log}
}

const (
	// grace is the time that work gets to notice its deadline.
	grace = 250 * time.Millisecond
	// watching is the interval at which the heap is measured.
	watching = 20 * time.Millisecond
)

// A job is one piece of work that a worker does and a caller waits for.
type job[T any] struct {
	value T
	err   error
	done  chan struct{} // closed when value and err are set
	left  atomic.Bool   // the first of worker and caller to set it left first
}

// work runs do on a worker and waits for it, but no longer than ctx and a little
// grace. A result that comes later is dropped.
func work[T any](ctx context.Context, c *crew, doing string, do func(context.Context) (T, error)) (T, error) {
	var none T
	select {
	case c.places <- struct{}{}:
	case <-ctx.Done():
		return none, c.busy(ctx)
	}
	start := time.Now()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	j := &job[T]{done: make(chan struct{})}
	go func() {
		defer func() { <-c.places }()
		j.run(ctx, c, doing, do)
	}()
	if !c.attend(ctx, cancel, j.done) && j.left.CompareAndSwap(false, true) {
		c.abandoned.Add(1)
		c.log.Warn("gave up work on a document", "doing", doing, "dur", time.Since(start))
		return none, overdue(ctx, doing, time.Since(start))
	}
	<-j.done // at hand, or just about to be
	if j.err != nil && ctx.Err() != nil {
		return none, overdue(ctx, doing, time.Since(start))
	}
	return j.value, j.err
}

// run does the work on the worker's goroutine.
func (j *job[T]) run(ctx context.Context, c *crew, doing string, do func(context.Context) (T, error)) {
	j.value, j.err = guarded(ctx, c, doing, do)
	close(j.done)
	if !j.left.CompareAndSwap(false, true) {
		c.abandoned.Add(-1)
	}
}

// guarded turns a panic of the engine into an error.
func guarded[T any](ctx context.Context, c *crew, doing string, do func(context.Context) (T, error)) (value T, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			c.log.Error("the XML engine panicked", "doing", doing, "err", cause, "stack", string(debug.Stack()))
			err = &EngineError{doing, fmt.Sprint(cause)}
		}
	}()
	return do(ctx)
}

// attend waits until the work is done, and cancels it when the heap grows too
// far. It returns false when the work's time and its grace are over.
func (c *crew) attend(ctx context.Context, cancel context.CancelCauseFunc, done <-chan struct{}) bool {
	tick := time.NewTicker(watching)
	defer tick.Stop()
	before := heap()
	for {
		select {
		case <-done:
			return true
		case <-ctx.Done():
			return waited(done, grace)
		case <-tick.C:
			if heap()-before > c.growth && collected()-before > c.growth {
				cancel(&LimitError{Subject: "request", What: "memory in bytes", Limit: c.growth})
			}
		}
	}
}

// waited reports whether done comes within d.
func waited(done <-chan struct{}, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}

// heap returns the bytes of objects, including dead ones that were not
// collected yet.
func heap() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

// collected returns the size of the heap after a collection. It takes long, but
// the result decides whether work is stopped.
func collected() int64 {
	runtime.GC()
	return heap()
}

// overdue is the error for work whose context ended: the limit that ended it, or
// for a caller who left the context's own error.
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

// busy is the error for work that found no place.
func (c *crew) busy(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return context.Cause(ctx)
	}
	return &BusyError{Workers: cap(c.places), Abandoned: int(c.abandoned.Load())}
}
