package proc

import (
	"context"
	"sync/atomic"
	"time"
)

// A drift is the process running by itself because it had stood still for
// MaxStop: nothing stops it, neither breakpoints nor signals. It begins with a
// timer and ends with the next Resume, Step, Pause or Detach.
type drift struct {
	timer *time.Timer
	stop  chan struct{} // closed by its end
	done  chan struct{} // closed when the process stands still again
	going atomic.Bool
}

// moving says whether the process drifts now. There may be no drift at all.
func (d *drift) moving() bool { return d != nil && d.going.Load() }

// startDriftLocked starts the clock. It expects mu.
func (p *Process) startDriftLocked() {
	if p.options.MaxStop <= 0 || p.detached || p.drift != nil {
		return
	}
	d := &drift{stop: make(chan struct{}), done: make(chan struct{})}
	d.timer = time.AfterFunc(p.options.MaxStop, func() { p.float(d) })
	p.drift = d
}

// endDriftLocked stops the clock, or the process if it drifts. It expects mu.
func (p *Process) endDriftLocked() {
	d := p.drift
	if d == nil {
		return
	}
	p.drift = nil
	close(d.stop)
	if !d.timer.Stop() {
		<-d.done
	}
}

// float runs on the timer's goroutine. A call that is just looking is over
// before the tracer's thread is free.
func (p *Process) float(d *drift) {
	defer close(d.done)
	if !p.setAfloat(d) {
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
		if p.ended != nil {
			return nil
		}
		p.log.Warn("the process stood still for too long and runs on without breakpoints", "dur", p.options.MaxStop)
		return p.floatNow(ctx)
	})
	if err != nil && ctx.Err() == nil {
		p.log.Warn("the process cannot run on", "err", err)
	}
}

// setAfloat keeps others from looking. Who ends the drift holds mu and waits
// for its end, so mu cannot simply be waited for.
func (p *Process) setAfloat(d *drift) bool {
	for !p.mu.TryLock() {
		select {
		case <-d.stop:
			return false
		case <-time.After(time.Millisecond):
		}
	}
	defer p.mu.Unlock()
	d.going.Store(p.drift == d)
	return p.drift == d
}

// floatNow lets the process run until ctx ends.
func (p *Process) floatNow(ctx context.Context) error {
	p.drifting = true
	defer func() { p.drifting = false }()
	p.unpin()
	p.code.drop()
	clear(p.cached)
	for _, t := range p.threads {
		t.report = nil // its signal is delivered, its breakpoint is out
	}
	for ctx.Err() == nil && p.ended == nil {
		for _, t := range p.threads {
			t.leave = false
			p.letGo(t)
		}
		e, err := p.next(ctx, nil)
		if err == nil {
			p.absorb(e)
			p.forgetExec()
		}
	}
	return p.rest()
}

// forgetExec drops the report of another program: no caller waits for it.
func (p *Process) forgetExec() {
	for _, t := range p.threads {
		t.report = nil
	}
}
