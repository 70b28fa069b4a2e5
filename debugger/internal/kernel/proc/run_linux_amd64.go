package proc

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"syscall"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// Resume lets all threads run until a breakpoint, a signal, the end of the process,
// or a pause, which the end of ctx also is. If several threads stop at once, the
// next calls return their stops before anything runs.
//
// The current thread continues past a breakpoint at its pc.
func (p *Process) Resume(ctx context.Context) (Stop, error) {
	var s Stop
	err := p.withTracerRunning(ctx, func() (err error) {
		if p.endReported {
			return ErrExited
		}
		p.unpin()
		p.code.drop()
		p.skipCurrentBreakpoint()
		s, err = p.run(ctx)
		s.Left, p.left = p.left, 0
		return err
	})
	return s, err
}

// skipCurrentBreakpoint makes the current thread continue past the breakpoint at
// its pc, unless it has not reported that stop yet.
func (p *Process) skipCurrentBreakpoint() {
	if t := p.threads[p.current]; t != nil && t.report == nil {
		t.skipBreakpoint = true
	}
}

// run returns the next stop.
func (p *Process) run(ctx context.Context) (Stop, error) {
	for {
		if err := p.succeed(); err != nil {
			return Stop{}, err
		}
		if s, ok := p.takeReport(); ok {
			return s, nil
		}
		paused, err := p.runOnce(ctx)
		if err = p.checkEnded(err); err != nil && p.ended == nil {
			return Stop{}, err
		}
		if err := p.succeed(); err != nil {
			return Stop{}, err
		}
		if s, ok := p.takeReport(); ok {
			return s, nil
		}
		if paused {
			return p.stopOf(p.threads[p.current], Stop{Why: Paused}), nil
		}
	}
}

// takeReport returns the end or the oldest unreported stop, if there is one.
func (p *Process) takeReport() (Stop, bool) {
	for p.ended == nil {
		t := p.firstReport()
		if t == nil {
			return Stop{}, false
		}
		s := t.report.stop
		t.report = nil
		if s.Breakpoint != 0 && !p.consumeBreakpoint(s.Breakpoint) {
			continue // the breakpoint was cleared since
		}
		p.current = t.id
		t.reportedSignal = t.signal.number
		return p.stopOf(t, s), true
	}
	p.endReported = true
	return *p.ended, true
}

// stopOf adds thread and address to a stop.
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

// runOnce lets all threads run until one needs attention, and stops them. That
// includes a breakpoint that does not stop, because its instruction must be
// stepped over while the int3 is removed.
func (p *Process) runOnce(ctx context.Context) (paused bool, err error) {
	if len(p.locations) > 0 {
		err = p.installTrapHandler()
	}
	if err := errors.Join(err, p.passBreakpoints(ctx)); err != nil || p.needsAttention() {
		return p.mustPause(ctx), errors.Join(err, p.quiesce())
	}
	if err := errors.Join(p.deliverTraps(), p.arm()); err != nil {
		return false, errors.Join(err, p.disarm())
	}
	paused, err = p.runFreely(ctx)
	if p.ended != nil {
		return false, err
	}
	return paused, errors.Join(err, p.stopAll(), p.disarm(), p.quiesce())
}

// runFreely resumes threads, again after each event, until one needs attention.
func (p *Process) runFreely(ctx context.Context) (paused bool, err error) {
	for {
		for _, t := range p.threads {
			p.resumeThread(t)
		}
		if p.mustPause(ctx) { // even if there is always another event
			return true, nil
		}
		e, err := p.next(ctx, p.pause)
		if errors.Is(err, ptrace.ErrWoken) {
			return true, nil
		}
		if err != nil {
			return false, err
		}
		if p.handleEvent(e); p.needsAttention() {
			return false, nil
		}
	}
}

// mustPause reports whether a stop of the process was requested.
func (p *Process) mustPause(ctx context.Context) bool {
	return len(p.pause) > 0 || ctx.Err() != nil
}

// needsAttention reports whether the process has ended, a stop is to be reported, or
// a thread must step over a breakpoint.
func (p *Process) needsAttention() bool {
	if p.ended != nil || p.successor.id != 0 {
		return true
	}
	for _, t := range p.threads {
		if t.report != nil || !t.running && (p.mustStepOver(t) || p.mustCount(t)) {
			return true
		}
	}
	return false
}

// resumeThread resumes a stopped thread. A thread in a group stop stays in it until
// SIGCONT.
func (p *Process) resumeThread(t *thread) {
	if t.running {
		return
	}
	p.setResumeFlag(t)
	sig := t.signal.number
	t.running, t.signal, t.reportedSignal = true, signalled{}, 0
	t.mask, t.entered = trapMask{}, false
	t.call.inside = t.call.inside && (sig == 0 || !p.handles(t, sig)) // a handler ends the call
	if t.group && sig == 0 {
		p.halted.Store(int32(cmp.Or(t.groupSignal, syscall.SIGSTOP)))
		_ = p.tracer.Listen(t.id) // the end of a thread is an event
		return
	}
	p.halted.Store(0)
	if p.catching() {
		_ = p.tracer.ToSyscall(t.id, sig)
		return
	}
	t.call = callState{}
	_ = p.tracer.Cont(t.id, sig)
}

// setResumeFlag keeps a hardware breakpoint at the pc from stopping the thread
// again: the resume flag suppresses it for one instruction (Intel SDM volume 3,
// 19.3.1.1).
func (p *Process) setResumeFlag(t *thread) {
	if !t.skipBreakpoint {
		return
	}
	t.skipBreakpoint = false
	var r ptrace.Regs
	if err := p.tracer.Regs(t.id, &r); err != nil || p.locationAt(r.RIP, Execute) == nil {
		return
	}
	r.EFlags |= ptrace.ResumeFlag
	_ = p.tracer.SetRegs(t.id, &r)
}

// mustStepOver reports whether a thread continues at an int3 of ours.
func (p *Process) mustStepOver(t *thread) bool {
	if !t.skipBreakpoint || t.report != nil || t.group {
		return false
	}
	var r ptrace.Regs
	return p.tracer.Regs(t.id, &r) == nil && p.softwareAt(r.RIP) != nil
}

// hardwareAt returns the hardware breakpoint at which a thread continues; nil if there
// is none.
func (p *Process) hardwareAt(t *thread) *location {
	if !t.skipBreakpoint || t.report != nil || t.group {
		return nil
	}
	var r ptrace.Regs
	if p.tracer.Regs(t.id, &r) != nil {
		return nil
	}
	if l := p.locationAt(r.RIP, Execute); l != nil && l.hardware() {
		return l
	}
	return nil
}

// mustCount reports whether a thread continues at a hardware breakpoint each of whose
// hits counts.
func (p *Process) mustCount(t *thread) bool {
	l := p.hardwareAt(t)
	return l != nil && slices.ContainsFunc(l.breakpoints, func(b *breakpoint) bool { return b.Spec.Counted })
}

// passBreakpoints steps the threads that continue at a breakpoint over it, one at a
// time, while the breakpoints are removed. The resume flag alone would do at a hardware
// breakpoint but for signals: the handler of one that is delivered before the
// instruction may let another thread go on there, as that of Go's runtime does, and
// the breakpoint would stop twice for one execution.
func (p *Process) passBreakpoints(ctx context.Context) error {
	var errs error
	for _, t := range p.threads {
		if p.ended == nil && (p.mustStepOver(t) || p.hardwareAt(t) != nil) {
			errs = errors.Join(errs, p.stepOver(ctx, t))
		}
	}
	return errs
}

// stepOver single-steps a thread and defers signals. A system call is only entered,
// because it may return only after other threads have run.
func (p *Process) stepOver(ctx context.Context, t *thread) error {
	reported := t.reportedSignal
	p.deferSignal(t)
	s := &Stepper{p: p, ctx: ctx, t: t, enter: true, syscallTimeout: blockedAfter}
	outcome, err := s.Step()
	for ; err == nil && (outcome == StepSignal || outcome == StepBlocked); outcome, err = s.Step() {
		p.deferSignal(t)
	}
	if err != nil || outcome == StepEnded || outcome == StepGone || outcome == StepExec {
		return err
	}
	if outcome == StepEntered {
		p.onSyscall(t)
		return nil
	}
	if t.running {
		return nil // deferred signals cannot be sent within a system call; quiesce does it
	}
	t.skipBreakpoint = outcome == StepPaused // it was not stepped
	p.leaveTrap(t)
	err = errors.Join(p.restoreMask(t), p.sendDeferred(t))
	t.reportedSignal = reported
	return err
}
