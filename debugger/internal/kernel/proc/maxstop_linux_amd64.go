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
func (p *Process) startMaxStopLocked() {
	if p.tracee.options.MaxStop <= 0 || p.detached || p.freeRun != nil {
		return
	}
	d := &freeRun{stop: make(chan struct{}), done: make(chan struct{})}
	d.timer = time.AfterFunc(p.tracee.options.MaxStop, func() { p.runFree(d) })
	p.freeRun = d
}

// endFreeRunLocked stops the timer, or the process if it runs. The caller must
// hold mu.
func (p *Process) endFreeRunLocked() {
	d := p.freeRun
	if d == nil {
		return
	}
	p.freeRun = nil
	close(d.stop)
	if !d.timer.Stop() {
		<-d.done
	}
}

// runFree runs on the timer's goroutine. It waits for calls that have begun.
func (p *Process) runFree(d *freeRun) {
	defer close(d.done)
	if !p.beginFreeRun(d) {
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
	err := p.tracer.Do(ctx, func() error {
		if p.tracee.ended != nil {
			return nil
		}
		p.tracee.log.Warn("the process was stopped for too long and continues without breakpoints", "dur", p.tracee.options.MaxStop)
		return p.execution.runFreeUntil(ctx)
	})
	if err != nil && ctx.Err() == nil {
		p.tracee.log.Warn("the process cannot continue", "err", err)
	}
}

// beginFreeRun makes other calls return ErrRunning. It polls mu, because
// endFreeRunLocked holds mu while it waits for this goroutine.
func (p *Process) beginFreeRun(d *freeRun) bool {
	for !p.mu.TryLock() {
		select {
		case <-d.stop:
			return false
		case <-time.After(time.Millisecond):
		}
	}
	defer p.mu.Unlock()
	d.going.Store(p.freeRun == d)
	return p.freeRun == d
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
