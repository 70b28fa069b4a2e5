package proc

import (
	"context"
	"errors"
)

// turn is the number of steps that another thread gets while one waits for it.
const turn = 5000

// StepInstruction does one instruction of a thread, 0 being the current one,
// which becomes that thread. A signal that is passed silently waits; another
// one ends the step, and the next step begins its handler. While a system call
// does not end, the other threads step in turns.
func (p *Process) StepInstruction(ctx context.Context, thread int) (Stop, error) {
	var stop Stop
	err := p.access.withTracerRunning(ctx, func() (err error) {
		stop, err = p.stepInstruction(ctx, thread)
		return err
	})
	return stop, err
}

func (p *Process) stepInstruction(ctx context.Context, thread int) (Stop, error) {
	if p.execution.endReported {
		return Stop{}, ErrExited
	}
	if err := p.tracee.require64Bit(); err != nil {
		return Stop{}, err
	}
	t, err := p.threads.find(thread)
	if err != nil {
		return Stop{}, err
	}
	if err := p.traps.install(); err != nil {
		return Stop{}, err
	}
	s := &Stepper{x: p.execution, ctx: ctx, t: t, pin: true, syscallTimeout: blockedAfter}
	why, err := s.instruction()
	sig := s.Signal()
	err = p.tracee.checkEnded(errors.Join(err, p.execution.quiesce()))
	switch {
	case p.tracee.ended != nil:
		p.execution.endReported = true
		return *p.tracee.ended, nil
	case err != nil:
		return Stop{}, err
	}
	if t := p.threads.byID[s.Thread()]; t != nil {
		p.threads.current, t.reportedSignal = t.id, sig
	}
	return p.threads.stopOf(p.threads.byID[p.threads.current], Stop{Why: why, Signal: sig}), nil
}

// instruction steps until one instruction is done or something is in its way.
func (s *Stepper) instruction() (Why, error) {
	for {
		outcome, err := s.Step()
		if err != nil {
			return 0, err
		}
		switch outcome {
		case StepSignal:
			if s.Action().stops() {
				return Signalled, nil
			}
			s.DeferSignal()
		case StepBlocked:
			if err := s.others(); err != nil {
				return 0, err
			}
		case StepPaused:
			return Paused, nil
		case StepExec:
			s.t.report = nil
			return Executed, nil
		case StepGone:
			s.x.threads.current = s.x.tracee.pid
			return Stepped, nil
		default:
			return Stepped, nil
		}
	}
}

// others gives each other thread a turn, until the thread's step is done.
func (s *Stepper) others() error {
	for _, id := range s.x.threads.ids() {
		if id == s.t.id || s.x.threads.byID[id] == nil {
			continue
		}
		other := &Stepper{x: s.x, ctx: s.ctx, t: s.x.threads.byID[id], syscallTimeout: s.syscallTimeout}
		for range turn {
			if s.t.step.phase == noStep || s.paused() {
				return nil
			}
			outcome, err := other.Step()
			if err != nil {
				return err
			}
			if outcome != StepDone && outcome != StepSignal {
				break
			}
		}
	}
	return nil
}
