package proc

import (
	"context"
	"errors"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/ptrace"
)

// SetPatience sets how long Step waits for the end of a system call before it
// returns StepBlocked. At first that is 20 ms.
func (s *Stepper) SetPatience(d time.Duration) { s.patience = d }

// Waiting reports whether a thread is in a system call of its step that had not
// ended when events were last read.
func (s *Stepper) Waiting(thread int) bool {
	t := s.p.threads[thread]
	return t != nil && t.step.phase != noStep && t.step.done == 0
}

// Pending reports whether the next Step of a thread finishes a step that was
// begun, so that its registers are not those of an instruction to come.
func (s *Stepper) Pending(thread int) bool {
	t := s.p.threads[thread]
	return t != nil && (t.step.phase != noStep || t.step.done != 0)
}

// Poll reads the events that are there and reports whether a thread whose step
// did not end before can go on.
func (s *Stepper) Poll() (bool, error) {
	for s.p.ended == nil {
		e, ok, err := s.p.poll()
		if err != nil && !errors.Is(err, ErrExited) {
			return false, err
		}
		if err != nil || !ok {
			break
		}
		if err := s.assign(e); err != nil {
			return false, err
		}
	}
	return s.ready(), nil
}

// Await waits until a thread whose step did not end before can go on. It returns
// after d at the latest, and when the process is paused or has ended.
func (s *Stepper) Await(d time.Duration) error {
	ctx, cancel := context.WithTimeout(s.ctx, d)
	defer cancel()
	for !s.ready() && !s.paused() && s.p.ended == nil {
		e, err := s.next(ctx)
		if errors.Is(err, ptrace.ErrWoken) || errors.Is(err, ErrExited) {
			return nil
		}
		if err == nil {
			err = s.assign(e)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// ready reports whether a step has ended that Step has not returned.
func (s *Stepper) ready() bool {
	for _, t := range s.p.threads {
		if t.step.done != 0 {
			return true
		}
	}
	return false
}

// assign gives an event to the step of its thread, or else to the process.
func (s *Stepper) assign(e ptrace.Event) error {
	t := s.p.threads[e.Thread]
	if t == nil || t.step.phase == noStep || e.Gone() {
		s.p.absorb(e)
		return nil
	}
	o := &Stepper{p: s.p, ctx: s.ctx, t: t, patience: s.patience}
	done, err := o.take(e)
	o.t.step.done = done // exec makes another thread of it
	return err
}

// awaitBirth waits for the first stop of a thread that was just announced. The
// kernel stops it before its first instruction.
func (p *Process) awaitBirth(id int) error {
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	for t := p.threads[id]; t != nil && t.fresh && p.ended == nil; t = p.threads[id] {
		e, err := p.tracer.Next(ctx, nil)
		switch {
		case err != nil:
			return p.noticeLoss(err)
		case e.Thread == id:
			p.absorb(e)
		default:
			p.later(e)
		}
	}
	return nil
}
