package proc

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// stepPhase is the stop that a stepping thread is expected to reach next.
type stepPhase uint8

const (
	noStep  stepPhase = iota
	toTrap            // the trap after an instruction
	toEntry           // the entry stop of a system call
	toExit            // the exit stop of a system call
)

// blockedAfter is the default of SetSyscallTimeout.
const blockedAfter = 20 * time.Millisecond

// A Stepper single-steps threads, one at a time, while the others are stopped. It
// is valid within the function that Process.Step calls, on that goroutine.
type Stepper struct {
	x     *execution
	ctx   context.Context //nolint:containedctx // it lives as long as one call
	t     *thread
	enter bool // a step ends at the entry of a system call

	syscallTimeout time.Duration // how long Step waits for the end of a system call

	regs  ptrace.Regs // of t, if valid
	valid bool

	// pin is set until the first step, which pins the tracer to the processor of
	// the thread.
	pin bool
}

// A step is the state of a step that a thread has begun.
type step struct {
	phase  stepPhase
	from   uint64 // RIP before it
	sp     uint64 // RSP before it
	kind   codeKind
	traced bool // the program itself has set the trap flag

	// done is the outcome, if the step ended while another thread was stepped.
	done Outcome
}

// Step calls f with a Stepper for a thread; 0 is the current one. Breakpoints are
// disabled meanwhile, so f has to check for them. Pause and the end of ctx make
// steps return StepPaused. When f returns, a system call that has not returned is
// interrupted; the kernel restarts it when the thread continues.
func (p *Process) Step(ctx context.Context, thread int, f func(*Stepper) error) error {
	return p.access.withTracerRunning(ctx, func() error {
		if p.tracee.ended != nil {
			return ErrExited
		}
		if err := p.tracee.require64Bit(); err != nil {
			return err
		}
		t, err := p.threads.find(thread)
		if err != nil {
			return err
		}
		if err := p.traps.install(); err != nil {
			return err
		}
		return errors.Join(f(&Stepper{x: p.execution, ctx: ctx, t: t, pin: true, syscallTimeout: blockedAfter}), p.tracee.checkEnded(p.execution.quiesce()))
	})
}

// Thread returns the id of the thread that steps.
func (s *Stepper) Thread() int { return s.t.id }

// Switch selects the thread that steps. The previous thread may be in a system
// call; after switching back, Step continues to wait for it.
func (s *Stepper) Switch(thread int) error {
	t, err := s.x.threads.find(thread)
	if err == nil && t != s.t {
		s.t, s.valid = t, false
	}
	return err
}

// Regs returns the registers of the thread. The result is valid until the next step
// and must not be modified; use SetRegs.
func (s *Stepper) Regs() (*ptrace.Regs, error) {
	if !s.valid {
		if err := s.x.tracee.checkEnded(s.x.tracer.Regs(s.t.id, &s.regs)); err != nil {
			return nil, err
		}
		s.regs.EFlags &^= ptrace.ResumeFlag // as Process.Regs
		s.valid = true
	}
	return &s.regs, nil
}

// SetRegs replaces the registers of the thread.
func (s *Stepper) SetRegs(r ptrace.Regs) error {
	s.valid = false
	clear(s.x.cache.threads)
	return s.x.tracee.unlessEnded(func() error { return s.x.threads.setRegs(s.t.id, r) })
}

// Signal returns the signal that the next Step delivers, or 0.
func (s *Stepper) Signal() unix.Signal { return s.t.signal.number }

// Action returns the process's action for that signal.
func (s *Stepper) Action() Action { return s.x.tracee.actions.of(s.t.signal.number) }

// DeferSignal defers that signal until the process runs freely again.
func (s *Stepper) DeferSignal() { s.x.threads.deferSignal(s.t) }

// Paused reports whether Pause was called or the context is done.
func (s *Stepper) Paused() bool { return s.paused() }

// paused reports whether stepping should stop.
func (s *Stepper) paused() bool { return s.x.mustPause(s.ctx) }

// Step executes one instruction, or one iteration of a repeated string instruction.
// It waits for the end of a system call, and may return StepBlocked any number of
// times before that.
func (s *Stepper) Step() (Outcome, error) {
	if s.x.tracee.ended != nil {
		return StepEnded, nil
	}
	if s.x.threads.byID[s.t.id] != s.t {
		return StepGone, nil
	}
	if s.paused() {
		return StepPaused, nil
	}
	if done := s.t.step.done; done != 0 {
		s.t.step.done = 0
		return done, nil
	}
	if s.t.step.phase == noStep {
		if done, err := s.emulatePushf(); done {
			return StepDone, err
		}
		if err := s.beginStep(); err != nil {
			return s.orEnd(err)
		}
	}
	return s.awaitStep()
}

// orEnd converts the error for an ended thread to an outcome.
func (s *Stepper) orEnd(err error) (Outcome, error) {
	if !errors.Is(err, ptrace.ErrGone) && !errors.Is(err, ErrExited) {
		return 0, err
	}
	return s.awaitStep() // the end of a thread is an event
}

// beginStep starts a step.
func (s *Stepper) beginStep() error {
	if s.pin {
		s.pin = false
		s.x.threads.pin(s.t)
	}
	r, err := s.Regs()
	if err != nil {
		return err
	}
	next := step{phase: toTrap, from: r.RIP, sp: r.RSP, kind: s.x.code.kindAt(r), traced: r.EFlags&ptrace.TrapFlag != 0}
	if s.t.staleStep && next.kind != popfCode {
		s.x.threads.deferSignal(s.t)
		s.t.trap = true
		s.x.threads.leaveTrap(s.t)
	}
	sig := s.t.signal.number
	if next.kind == syscallCode || sig != 0 {
		err = s.x.threads.restoreMask(s.t) // both depend on the mask
	} else {
		err = s.x.threads.clearMask(s.t)
	}
	if err != nil {
		return err
	}
	s.t.signal, s.t.reportedSignal, s.t.skipBreakpoint = signalled{}, 0, false
	if !s.enter {
		s.t.call = callState{} // what the step makes is not caught
	}
	if next.kind == syscallCode && sig == 0 {
		next.phase = toEntry
	}
	s.t.step = next
	if sig != 0 {
		s.t.mask = trapMask{} // the handler has another mask
	}
	return s.resume(sig)
}

// resume lets the thread run to the stop of its phase.
func (s *Stepper) resume(sig unix.Signal) error {
	s.valid = false
	s.t.running, s.t.trap, s.t.group, s.t.staleStep = true, false, false, false
	if s.t.step.phase == toTrap {
		return s.x.tracer.Step(s.t.id, sig)
	}
	return s.x.tracer.ToSyscall(s.t.id, sig)
}

// awaitStep waits for the end of the step.
func (s *Stepper) awaitStep() (Outcome, error) {
	for {
		e, err := s.event()
		switch {
		case errors.Is(err, ptrace.ErrWoken) && s.paused():
			return StepPaused, nil
		case errors.Is(err, ptrace.ErrWoken):
			return StepBlocked, nil
		case errors.Is(err, ErrExited):
			return StepEnded, nil
		case err != nil:
			return 0, err
		}
		if outcome, err := s.handle(e); outcome != 0 || err != nil {
			return outcome, err
		}
	}
}

// event waits for an event of the thread. Events of other threads end or continue
// their own steps. Only a system call may take long, so only there is the wait
// limited, which costs more.
func (s *Stepper) event() (ptrace.Event, error) {
	for {
		e, err := s.anyEvent()
		if err != nil || e.Thread == s.t.id {
			return e, err
		}
		err = s.assign(e)
		if s.x.tracee.ended != nil || err != nil {
			return ptrace.Event{}, errors.Join(err, ErrExited)
		}
		if s.x.threads.byID[s.t.id] != s.t {
			return ptrace.Event{}, ptrace.ErrWoken // exec of another thread
		}
	}
}

func (s *Stepper) anyEvent() (ptrace.Event, error) {
	if e, ok := s.x.queue.take(); ok {
		return e, nil
	}
	if s.t.step.kind != syscallCode {
		e, err := s.x.tracer.Wait()
		return e, s.x.events.checkLost(err)
	}
	ctx, cancel := context.WithTimeout(s.ctx, s.syscallTimeout)
	defer cancel()
	return s.next(ctx)
}

// next waits for an event, a pause or the end of ctx.
func (s *Stepper) next(ctx context.Context) (ptrace.Event, error) {
	e, err := s.x.events.next(ctx, s.x.pause)
	if errors.Is(err, ptrace.ErrWoken) && ctx.Err() == nil {
		s.x.requestPause() // the wait has consumed the request that paused checks
	}
	return e, err
}

// handle handles an event of the thread. It returns outcome 0 if the step is not
// over.
func (s *Stepper) handle(e ptrace.Event) (Outcome, error) {
	if e.Gone() {
		s.x.events.handle(e)
		if e.Kind == ptrace.Killed { // a signal ends all threads
			s.x.events.awaitKilled()
		}
		if s.x.tracee.ended != nil {
			return StepEnded, nil
		}
		return StepGone, nil
	}
	s.t.running = false
	switch {
	case e.Kind == ptrace.SyscallStop && s.t.step.phase == toEntry:
		s.t.step.phase = toExit
		if s.enter {
			s.t.step, s.t.entered = step{}, true
			return StepEntered, nil
		}
	case e.Kind == ptrace.SyscallStop:
		s.t.step, s.t.mask = step{}, trapMask{}
		s.x.code.drop() // it may have changed the maps
		return StepDone, nil
	case e.Kind == ptrace.SignalStop && e.Signal == unix.SIGTRAP && s.t.step.phase == toTrap:
		return s.trapped()
	case e.Kind == ptrace.SignalStop:
		return s.signalled(e.Signal)
	case e.Kind == ptrace.Exec:
		s.x.events.handle(e)
		s.t, s.valid = s.x.threads.byID[s.x.tracee.pid], false
		return StepExec, nil
	case e.Kind == ptrace.Clone, e.Kind == ptrace.Fork, e.Kind == ptrace.Vfork:
		s.x.events.handleNewTask(e)
		if err := s.x.events.awaitBirth(int(e.Message)); err != nil {
			return 0, err
		}
	case e.Kind == ptrace.VforkDone:
		s.x.breakpoints.forgetSharers()
	}
	return 0, s.x.tracee.checkEnded(s.resume(0))
}

// trapped handles the trap after an instruction. It may also be a SIGTRAP that was
// sent or pending, in which case the instruction was not executed.
func (s *Stepper) trapped() (Outcome, error) {
	r, err := s.Regs()
	if err != nil {
		return s.orEnd(err)
	}
	if r.RIP == s.t.step.from {
		info, err := s.x.tracer.SigInfo(s.t.id)
		if err != nil {
			return s.orEnd(err)
		}
		if code := info.Code(); info.Sent() || code == ptrace.CodeKernel || code == ptrace.CodePerf {
			return s.signalled(unix.SIGTRAP)
		}
	}
	done := s.t.step
	s.t.step, s.t.trap = step{}, true
	return StepDone, s.hideTrapFlag(done, r)
}

// signalled ends the step with StepSignal, unless the action for the signal is Drop
// or it is a breakpoint's SIGTRAP that was pending while the thread blocked it.
func (s *Stepper) signalled(sig unix.Signal) (Outcome, error) {
	info, err := s.x.tracer.SigInfo(s.t.id)
	if err != nil {
		return s.orEnd(err)
	}
	if sig == unix.SIGTRAP && !info.Sent() {
		s.x.breakpoints.hitLate(s.t, info)
		return 0, s.x.tracee.checkEnded(s.resume(0))
	}
	if action := s.x.tracee.actions.of(sig); action == Drop {
		return 0, s.x.tracee.checkEnded(s.resume(0))
	}
	begun := s.t.step
	s.t.signal = signalled{sig, info}
	s.t.step = step{}
	return StepSignal, s.clearStaleFlag(begun)
}
