package proc

import (
	"context"
	"sync/atomic"
	"time"
)

// A freeRun lets the process run, without breakpoints and stops, after it was
// stopped for [Options.MaxStop]. It is created with the timer and ends with the
// next Resume, Step, Pause, Kill or Detach.
type freeRun struct {
	timer *time.Timer
	stop  chan struct{} // closed to end the run
	done  chan struct{} // closed when the process is stopped again
	going atomic.Bool
}

// moving reports whether the process runs. A nil freeRun does not.
func (d *freeRun) moving() bool { return d != nil && d.going.Load() }

// startMaxStopLocked starts the timer. The caller must hold mu.
func (a *access) startMaxStopLocked() {
	if a.tracee.options.MaxStop <= 0 || a.detached || a.freeRun != nil {
		return
	}
	d := &freeRun{stop: make(chan struct{}), done: make(chan struct{})}
	d.timer = time.AfterFunc(a.tracee.options.MaxStop, func() { a.runFree(d) })
	a.freeRun = d
}

// endFreeRunLocked stops the timer, or the process if it runs. The caller must
// hold mu.
func (a *access) endFreeRunLocked() {
	d := a.freeRun
	if d == nil {
		return
	}
	a.freeRun = nil
	close(d.stop)
	if !d.timer.Stop() {
		<-d.done
	}
}

// runFree runs on the timer's goroutine. It waits for calls that have begun.
func (a *access) runFree(d *freeRun) {
	defer close(d.done)
	if !a.beginFreeRun(d) {
		return
	}
	defer d.going.Store(false)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	unhook := make(chan struct{})
	defer close(unhook)
	go func() { // ends with this function
		select {
		case <-d.stop:
			cancel()
		case <-unhook:
		}
	}()
	err := a.tracer.Do(ctx, func() error {
		if a.tracee.ended != nil {
			return nil
		}
		a.tracee.log.Warn("the process was stopped for too long and continues without breakpoints", "dur", a.tracee.options.MaxStop)
		return a.execution.runFreeUntil(ctx)
	})
	if err != nil && ctx.Err() == nil {
		a.tracee.log.Warn("the process cannot continue", "err", err)
	}
}

// beginFreeRun makes other calls return ErrRunning. It polls mu, because
// endFreeRunLocked holds mu while it waits for this goroutine.
func (a *access) beginFreeRun(d *freeRun) bool {
	for !a.mu.TryLock() {
		select {
		case <-d.stop:
			return false
		case <-time.After(time.Millisecond):
		}
	}
	defer a.mu.Unlock()
	d.going.Store(a.freeRun == d)
	return a.freeRun == d
}

// runFreeUntil lets the process run until ctx is done.
func (x *execution) runFreeUntil(ctx context.Context) error {
	x.tracee.runningFree = true
	defer func() { x.tracee.runningFree = false }()
	x.threads.unpin()
	x.code.drop()
	clear(x.cache.threads)
	for _, t := range x.threads.byID {
		t.report = nil // its signal is delivered, its breakpoint removed
	}
	for ctx.Err() == nil && x.tracee.ended == nil {
		for _, t := range x.threads.byID {
			t.skipBreakpoint = false
			x.resumeThread(t)
		}
		e, err := x.events.next(ctx, nil)
		if err == nil {
			x.events.handle(e)
			x.threads.forgetReports()
		}
	}
	return x.quiesce()
}
