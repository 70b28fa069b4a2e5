package proc

import (
	"context"
	"sync"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// An access makes calls of a Process run one after another, while the process is stopped or as
// the one that lets it run, and on the tracer's thread where that is necessary.
type access struct {
	tracer    *ptrace.Tracer
	tracee    *tracee
	queue     *eventQueue
	cache     *registerCache
	threads   *threads
	execution *execution

	// mu is held by short calls, not by runs. It is locked before a call to the
	// tracer's thread, and guards the fields below.
	mu       sync.Mutex
	running  bool
	idle     *sync.Cond // signaled when running becomes false
	detached bool
	freeRun  *freeRun // the timer of MaxStop, or the run that it started; nil if neither
}

// withTracer runs f on the tracer's thread while the process is stopped. f may
// change threads, so what is cached of them is dropped, and the current thread is
// read again.
func (a *access) withTracer(f func() error) error {
	if a.tracer.Inside() {
		clear(a.cache.threads)
		return a.tracee.unlessEnded(f)
	}
	return a.withTracerReadOnly(func() error {
		clear(a.cache.threads)
		defer a.cacheCurrent()
		return f()
	})
}

// withTracerReadOnly is withTracer for an f that changes no thread.
func (a *access) withTracerReadOnly(f func() error) error {
	if a.tracer.Inside() {
		return a.tracee.unlessEnded(f)
	}
	return a.withStopped(func() error {
		return a.tracer.Do(context.Background(), func() error { return a.tracee.unlessEnded(f) })
	})
}

// withStopped runs f on the caller's goroutine with mu held, while the process is
// stopped. It returns ErrRunning or ErrDetached if it is not.
func (a *access) withStopped(f func() error) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.checkStoppedLocked(); err != nil {
		return err
	}
	return f()
}

// withTracerOrEnded runs f on the tracer's thread, of a process that is stopped or
// has ended.
func (a *access) withTracerOrEnded(f func()) error {
	run := func() { clear(a.cache.threads); f() }
	if a.tracer.Inside() {
		run()
		return nil
	}
	return a.withStopped(func() error {
		return a.tracer.Do(context.Background(), func() error { run(); return nil })
	})
}

// checkStoppedLocked returns why the process is not stopped. It expects mu.
func (a *access) checkStoppedLocked() error {
	switch {
	case a.detached:
		return ErrDetached
	case a.running, a.freeRun.moving():
		return ErrRunning
	}
	return nil
}

// withTracerRunning runs f, which lets the process run, on the tracer's thread. mu
// is not held meanwhile, and all other entry points return ErrRunning. f must
// treat the end of ctx as a pause.
func (a *access) withTracerRunning(ctx context.Context, f func() error) error {
	if a.tracer.Inside() {
		return ErrRunning
	}
	if err := a.markRunning(); err != nil {
		return err
	}
	defer a.markStopped()
	return a.tracer.Do(context.WithoutCancel(ctx), func() error {
		defer a.cacheCurrent()
		return f()
	})
}

// markRunning marks the process as running.
func (a *access) markRunning() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.detached {
		return ErrDetached
	}
	if a.running {
		return ErrRunning
	}
	a.running = true
	a.endFreeRunLocked()
	select {
	case <-a.execution.pause: // of an earlier run
	default:
	}
	return nil
}

// markStopped marks the process as stopped.
func (a *access) markStopped() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.running = false
	a.startMaxStopLocked()
	a.idle.Broadcast()
}

// withoutTracer runs f on the caller's goroutine with mu held, while the process is
// stopped. f may use the fields that belong to the tracer's thread, which is idle
// as long as mu is held, but not ptrace.
func (a *access) withoutTracer(f func() error) error {
	if a.tracer.Inside() {
		return a.tracee.unlessEnded(f)
	}
	return a.withStopped(func() error { return a.tracee.unlessEnded(f) })
}

// beginDetach waits for the end of the current run and marks the process as
// detached, so that no other call can begin.
func (a *access) beginDetach(ctx context.Context) error {
	stop := context.AfterFunc(ctx, a.idle.Broadcast)
	defer stop()
	a.mu.Lock()
	defer a.mu.Unlock()
	for a.running && !a.detached {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		a.execution.requestPause()
		a.idle.Wait()
	}
	if a.detached {
		return ErrDetached
	}
	a.endFreeRunLocked()
	a.detached = true
	return nil
}
