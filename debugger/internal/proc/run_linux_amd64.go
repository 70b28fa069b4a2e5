package proc

import (
	"context"
	"errors"

	"github.com/triptych-mcp/triptych/debugger/internal/ptrace"
)

// Resume lets all threads run until something stops them: a breakpoint, a
// signal, the end, Pause, or the end of ctx, which is a pause too. Stops that
// came at the same time are returned by the next calls, before anything runs.
//
// The current thread goes on past a breakpoint that it is at.
func (p *Process) Resume(ctx context.Context) (Stop, error) {
	var s Stop
	err := p.withTracerRunning(ctx, func() (err error) {
		if p.told {
			return ErrExited
		}
		p.unpin()
		p.code.drop()
		p.leaveCurrent()
		s, err = p.run(ctx)
		return err
	})
	return s, err
}

// leaveCurrent makes the current thread pass the breakpoint it is at, unless
// it has not reported that yet.
func (p *Process) leaveCurrent() {
	if t := p.threads[p.current]; t != nil && t.report == nil {
		t.leave = true
	}
}

// run returns the next stop.
func (p *Process) run(ctx context.Context) (Stop, error) {
	for {
		if s, ok := p.take(); ok {
			return s, nil
		}
		paused, err := p.runOnce(ctx)
		if err = p.noticeEnd(err); err != nil && p.ended == nil {
			return Stop{}, err
		}
		if s, ok := p.take(); ok {
			return s, nil
		}
		if paused {
			return p.stopOf(p.threads[p.current], Stop{Why: Paused}), nil
		}
	}
}

// take returns the end or the first report, if there is one.
func (p *Process) take() (Stop, bool) {
	for p.ended == nil {
		t := p.firstReport()
		if t == nil {
			return Stop{}, false
		}
		s := t.report.stop
		t.report = nil
		if s.Breakpoint != 0 && !p.fulfil(s.Breakpoint) {
			continue // it was cleared meanwhile
		}
		p.current = t.id
		t.told = t.signal.number
		return p.stopOf(t, s), true
	}
	p.told = true
	return *p.ended, true
}

// stopOf completes a stop with where the thread is.
func (p *Process) stopOf(t *thread, s Stop) Stop {
	if t == nil {
		return s
	}
	s.Thread = t.id
	var r ptrace.Regs
	if err := p.tracer.Regs(t.id, &r); err == nil {
		s.Address = r.RIP
	}
	return s
}

// runOnce lets all threads run until there is something to say or do, and
// stops them. A breakpoint that does not want to stop is something to do: its
// instruction must run while it is out.
func (p *Process) runOnce(ctx context.Context) (paused bool, err error) {
	if len(p.locations) > 0 {
		err = p.installTrapHandler()
	}
	if err := errors.Join(err, p.passBreakpoints(ctx)); err != nil || p.attention() {
		return p.mustPause(ctx), errors.Join(err, p.rest())
	}
	if err := errors.Join(p.deliverTraps(), p.arm()); err != nil {
		return false, errors.Join(err, p.disarm())
	}
	paused, err = p.loose(ctx)
	if p.ended != nil {
		return false, err
	}
	return paused, errors.Join(err, p.stopAll(), p.disarm(), p.rest())
}

// loose lets threads go, and again after each event, until one is of interest.
func (p *Process) loose(ctx context.Context) (paused bool, err error) {
	for {
		for _, t := range p.threads {
			p.letGo(t)
		}
		if p.mustPause(ctx) { // also when events never end
			return true, nil
		}
		e, err := p.next(ctx, p.pause)
		if errors.Is(err, ptrace.ErrWoken) {
			return true, nil
		}
		if err != nil {
			return false, err
		}
		if p.absorb(e); p.attention() {
			return false, nil
		}
	}
}

// mustPause reports whether a stop of the process was requested.
func (p *Process) mustPause(ctx context.Context) bool {
	return len(p.pause) > 0 || ctx.Err() != nil
}

// attention says whether threads must not simply run on.
func (p *Process) attention() bool {
	if p.ended != nil {
		return true
	}
	for _, t := range p.threads {
		if t.report != nil || !t.running && p.mustStepOver(t) {
			return true
		}
	}
	return false
}

// letGo lets a stopped thread run. One in a group stop stays in it and hears
// SIGCONT.
func (p *Process) letGo(t *thread) {
	if t.running {
		return
	}
	p.leaveHardware(t)
	sig := t.signal.number
	t.running, t.signal, t.told = true, signalled{}, 0
	t.mask, t.entered = trapMask{}, false
	if t.group && sig == 0 {
		_ = p.tracer.Listen(t.id) // a thread that is gone is told
		return
	}
	_ = p.tracer.Cont(t.id, sig)
}

// leaveHardware keeps the processor's breakpoint from stopping the thread
// where it is: the resume flag does so for one instruction (Intel SDM volume
// 3, 19.3.1.1).
func (p *Process) leaveHardware(t *thread) {
	if !t.leave {
		return
	}
	t.leave = false
	var r ptrace.Regs
	if err := p.tracer.Regs(t.id, &r); err != nil || p.locationAt(r.RIP, Execute) == nil {
		return
	}
	r.EFlags |= ptrace.ResumeFlag
	_ = p.tracer.SetRegs(t.id, &r)
}

// mustStepOver says whether a thread goes on at an int3 instruction of ours.
func (p *Process) mustStepOver(t *thread) bool {
	if !t.leave || t.report != nil || t.group {
		return false
	}
	var r ptrace.Regs
	return p.tracer.Regs(t.id, &r) == nil && p.softwareAt(r.RIP) != nil
}

// passBreakpoints lets the threads that go on at int3 instructions past them,
// one at a time, while the breakpoints are out.
func (p *Process) passBreakpoints(ctx context.Context) error {
	var errs error
	for _, t := range p.threads {
		if p.ended == nil && p.mustStepOver(t) {
			errs = errors.Join(errs, p.stepOver(ctx, t))
		}
	}
	return errs
}

// stepOver does one instruction of a thread. Signals wait for its end. A
// system call is only begun: other threads may have to run for it to end.
func (p *Process) stepOver(ctx context.Context, t *thread) error {
	told := t.told
	p.hold(t)
	s := &Stepper{p: p, ctx: ctx, t: t, enter: true, patience: blockedAfter}
	outcome, err := s.Step()
	for ; err == nil && (outcome == StepSignal || outcome == StepBlocked); outcome, err = s.Step() {
		p.hold(t)
	}
	if err != nil || outcome == StepEnded || outcome == StepGone || outcome == StepExec {
		return err
	}
	if t.running || outcome == StepEntered {
		return nil // in a system call no signal can be sent; rest does it
	}
	t.leave = outcome == StepPaused // it has still to go
	p.settle(t)
	err = errors.Join(p.restoreMask(t), p.sendHeld(t))
	t.told = told
	return err
}
