package proc

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/ptrace"
)

// stepPhase says what a thread that steps is on the way to.
type stepPhase uint8

const (
	noStep  stepPhase = iota
	toTrap            // the trap after an instruction
	toEntry           // a system call's beginning
	toExit            // its end
)

// blockedAfter limits the time that a system call may take before a step
// returns StepBlocked.
const blockedAfter = 20 * time.Millisecond

// A Stepper drives threads instruction by instruction while the others stand
// still. It is valid inside the function that Process.Step calls, on that
// goroutine.
type Stepper struct {
	p     *Process
	ctx   context.Context //nolint:containedctx // it lives as long as one call
	t     *thread
	enter bool // be content with the beginning of a system call

	patience time.Duration // how long Step waits for the end of a system call

	regs  ptrace.Regs // of t, if valid
	valid bool

	// pin moves the tracer to where the thread runs, at the first step: what is
	// only looked at or interpreted is done wherever a processor is free.
	pin bool
}

// A step is one that a thread has begun.
type step struct {
	phase  stepPhase
	from   uint64 // where it began
	sp     uint64 // the stack pointer there
	kind   codeKind
	traced bool // the program has set the trap flag itself

	// done is the outcome, if it came while another thread stepped.
	done Outcome
}

// Step stops nothing and runs nothing by itself: it calls f with a Stepper for
// a thread, 0 being the current one. Breakpoints are out meanwhile; watching
// for them is f's affair. Pause and the end of ctx make steps answer
// StepPaused. At the end of f a system call that a thread is still in is
// interrupted, and begins again when the thread goes on.
func (p *Process) Step(ctx context.Context, thread int, f func(*Stepper) error) error {
	return p.withTracerRunning(ctx, func() error {
		if p.ended != nil {
			return ErrExited
		}
		if err := p.wide(); err != nil {
			return err
		}
		t, err := p.thread(thread)
		if err != nil {
			return err
		}
		if err := p.installTrapHandler(); err != nil {
			return err
		}
		return errors.Join(f(&Stepper{p: p, ctx: ctx, t: t, pin: true, patience: blockedAfter}), p.noticeEnd(p.rest()))
	})
}

// Thread is the thread that steps.
func (s *Stepper) Thread() int { return s.t.id }

// Switch makes another thread the one that steps. The former may be in a
// system call; Step goes on waiting for it when it is switched to again.
func (s *Stepper) Switch(thread int) error {
	t, err := s.p.thread(thread)
	if err == nil && t != s.t {
		s.t, s.valid = t, false
	}
	return err
}

// Regs are the registers of the thread, until its next step. They must not be
// changed; SetRegs does that.
func (s *Stepper) Regs() (*ptrace.Regs, error) {
	if !s.valid {
		if err := s.p.noticeEnd(s.p.tracer.Regs(s.t.id, &s.regs)); err != nil {
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
	return s.p.SetRegs(s.t.id, r)
}

// Signal is the signal that the next Step delivers, 0 if none.
func (s *Stepper) Signal() unix.Signal { return s.t.signal.number }

// SignalInfo returns the information that came with the signal.
func (s *Stepper) SignalInfo() ptrace.SigInfo { return s.t.signal.info }

// Action returns the process's action for that signal.
func (s *Stepper) Action() Action { return s.p.actions.of(s.t.signal.number) }

// Hold puts that signal off until the process runs freely again.
func (s *Stepper) Hold() { s.p.hold(s.t) }

// Process is the process, for its methods that look.
func (s *Stepper) Process() *Process { return s.p }

// Paused reports whether Pause was called or the context has ended.
func (s *Stepper) Paused() bool { return s.paused() }

// paused reports whether stepping should stop.
func (s *Stepper) paused() bool { return s.p.mustPause(s.ctx) }

// Step does one instruction. A repeated string instruction is done once. A
// system call is done whole, and may answer StepBlocked any number of times.
func (s *Stepper) Step() (Outcome, error) {
	if s.p.ended != nil {
		return StepEnded, nil
	}
	if s.p.threads[s.t.id] != s.t {
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
		if done, err := s.pushFlags(); done {
			return StepDone, err
		}
		if err := s.begin(); err != nil {
			return s.orEnd(err)
		}
	}
	return s.await()
}

// orEnd turns the error of a thread that is gone into an outcome.
func (s *Stepper) orEnd(err error) (Outcome, error) {
	if !errors.Is(err, ptrace.ErrGone) && !errors.Is(err, ErrExited) {
		return 0, err
	}
	return s.await() // its end is an event
}

// begin lets the thread go for one instruction.
func (s *Stepper) begin() error {
	if s.pin {
		s.pin = false
		s.p.pin(s.t)
	}
	r, err := s.Regs()
	if err != nil {
		return err
	}
	next := step{phase: toTrap, from: r.RIP, sp: r.RSP, kind: s.p.kindAt(r), traced: r.EFlags&ptrace.TrapFlag != 0}
	if s.t.steps && next.kind != popfCode {
		s.p.hold(s.t) // it comes after the steps
		s.t.trap = true
		s.p.settle(s.t)
	}
	sig := s.t.signal.number
	if next.kind == syscallCode || sig != 0 {
		err = s.p.restoreMask(s.t) // both look at the mask
	} else {
		err = s.p.clearMask(s.t)
	}
	if err != nil {
		return err
	}
	s.t.signal, s.t.told, s.t.leave = signalled{}, 0, false
	if next.kind == syscallCode && sig == 0 {
		next.phase = toEntry
	}
	s.t.step = next
	if sig != 0 {
		s.t.mask = trapMask{} // the handler has another one
	}
	return s.goOn(sig)
}

// goOn lets the thread go on to what its phase says.
func (s *Stepper) goOn(sig unix.Signal) error {
	s.valid = false
	s.t.running, s.t.trap, s.t.group, s.t.steps = true, false, false, false
	if s.t.step.phase == toTrap {
		return s.p.tracer.Step(s.t.id, sig)
	}
	return s.p.tracer.ToSyscall(s.t.id, sig)
}

// await waits for the end of the step.
func (s *Stepper) await() (Outcome, error) {
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
		if outcome, err := s.take(e); outcome != 0 || err != nil {
			return outcome, err
		}
	}
}

// event waits for an event of the thread. Those of others end or continue steps
// of their own. Only a system call may take long, so only there is waiting cut
// short, which costs more.
func (s *Stepper) event() (ptrace.Event, error) {
	for {
		e, err := s.anyEvent()
		if err != nil || e.Thread == s.t.id {
			return e, err
		}
		err = s.assign(e)
		if s.p.ended != nil || err != nil {
			return ptrace.Event{}, errors.Join(err, ErrExited)
		}
		if s.p.threads[s.t.id] != s.t {
			return ptrace.Event{}, ptrace.ErrWoken // exec of another thread
		}
	}
}

func (s *Stepper) anyEvent() (ptrace.Event, error) {
	if e, ok := s.p.dequeue(); ok {
		return e, nil
	}
	if s.t.step.kind != syscallCode {
		e, err := s.p.tracer.Wait()
		return e, s.p.noticeLoss(err)
	}
	ctx, cancel := context.WithTimeout(s.ctx, s.patience)
	defer cancel()
	return s.next(ctx)
}

// next waits for an event, a pause or the end of ctx.
func (s *Stepper) next(ctx context.Context) (ptrace.Event, error) {
	e, err := s.p.next(ctx, s.p.pause)
	if errors.Is(err, ptrace.ErrWoken) && ctx.Err() == nil {
		s.p.requestPause() // the wait has taken the request, and paused looks for it
	}
	return e, err
}

// take handles an event of the thread. It returns no outcome when the step
// goes on.
func (s *Stepper) take(e ptrace.Event) (Outcome, error) {
	if e.Gone() {
		s.p.absorb(e)
		if e.Kind == ptrace.Killed { // a signal never ends one thread alone
			s.p.awaitEnd()
		}
		if s.p.ended != nil {
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
		s.p.code.drop() // it may have changed the maps
		return StepDone, nil
	case e.Kind == ptrace.SignalStop && e.Signal == unix.SIGTRAP && s.t.step.phase == toTrap:
		return s.trapped()
	case e.Kind == ptrace.SignalStop:
		return s.signalled(e.Signal)
	case e.Kind == ptrace.Exec:
		s.p.absorb(e)
		s.t, s.valid = s.p.threads[s.p.pid], false
		return StepExec, nil
	case e.Kind == ptrace.Clone, e.Kind == ptrace.Fork, e.Kind == ptrace.Vfork:
		s.p.born(e)
		if err := s.p.awaitBirth(int(e.Message)); err != nil {
			return 0, err
		}
	case e.Kind == ptrace.VforkDone:
		s.p.forgetSharers()
	}
	return 0, s.p.noticeEnd(s.goOn(0))
}

// trapped handles the trap after an instruction, or a SIGTRAP that another
// process sent or that was pending before: then nothing was done.
func (s *Stepper) trapped() (Outcome, error) {
	r, err := s.Regs()
	if err != nil {
		return s.orEnd(err)
	}
	if r.RIP == s.t.step.from {
		info, err := s.p.tracer.SigInfo(s.t.id)
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

// signalled leaves the thread with a signal that it is about to get, unless
// the table says that it does not get it, or it is a trap of its own that waited
// while the thread blocked it.
func (s *Stepper) signalled(sig unix.Signal) (Outcome, error) {
	info, err := s.p.tracer.SigInfo(s.t.id)
	if err != nil {
		return s.orEnd(err)
	}
	if sig == unix.SIGTRAP && !info.Sent() {
		s.p.hitLate(s.t, info)
		return 0, s.p.noticeEnd(s.goOn(0))
	}
	if action := s.p.actions.of(sig); action == Drop {
		return 0, s.p.noticeEnd(s.goOn(0))
	}
	begun := s.t.step
	s.t.signal = signalled{sig, info}
	s.t.step = step{}
	return StepSignal, s.unmark(begun)
}
