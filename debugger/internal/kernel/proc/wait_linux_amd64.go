package proc

import (
	"context"
	"errors"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// SetSyscallTimeout sets how long Step waits for the end of a system call before it
// returns StepBlocked. The default is 20 ms.
func (s *Stepper) SetSyscallTimeout(d time.Duration) { s.syscallTimeout = d }

// Waiting reports whether the system call of a thread's step had not returned when
// events were last read.
func (s *Stepper) Waiting(thread int) bool {
	t := s.x.threads.byID[thread]
	return t != nil && t.step.phase != noStep && t.step.done == 0
}

// Pending reports whether a thread has begun a step that Step has not returned, so
// that its registers are not those before an instruction.
func (s *Stepper) Pending(thread int) bool {
	t := s.x.threads.byID[thread]
	return t != nil && (t.step.phase != noStep || t.step.done != 0)
}

// Poll handles pending events and reports whether a step that was blocked has
// ended.
func (s *Stepper) Poll() (bool, error) {
	for s.x.tracee.ended == nil {
		e, ok, err := s.x.events.poll()
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

// Await waits until a step that was blocked has ended, for at most d. It returns
// early if the process is paused or has ended.
func (s *Stepper) Await(d time.Duration) error {
	ctx, cancel := context.WithTimeout(s.ctx, d)
	defer cancel()
	for !s.ready() && !s.paused() && s.x.tracee.ended == nil {
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
	for _, t := range s.x.threads.byID {
		if t.step.done != 0 {
			return true
		}
	}
	return false
}

// assign passes an event to the step of its thread, or to the process if it has
// none.
func (s *Stepper) assign(e ptrace.Event) error {
	t := s.x.threads.byID[e.Thread]
	if t == nil || t.step.phase == noStep || e.Gone() {
		s.x.events.handle(e)
		return nil
	}
	o := &Stepper{x: s.x, ctx: s.ctx, t: t, syscallTimeout: s.syscallTimeout}
	done, err := o.handle(e)
	o.t.step.done = done // exec replaces the thread
	return err
}
