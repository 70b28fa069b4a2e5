package stepping

import (
	"context"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
)

// StepThread makes a step of a thread, and goes on until its next instruction
// is outside of the addresses from start to before end. In the past the steps
// that other threads have made in between pass, too, and so do changes that the debugger
// has made: they are no steps.
func (s *Stepper) StepThread(ctx context.Context, thread int, start, end uint64) (proc.Stop, error) {
	if err := s.Target.View.SetCurrentThread(thread); err != nil {
		return proc.Stop{}, err
	}
	w := &walk{s}
	stop, _, err := w.until(ctx, func(v *history.View) bool {
		return v.Thread() == thread && (v.PC() < start || v.PC() >= end) && s.Target.History.Steps.Kind(v.Position()-1) != history.Changed
	})
	return stop, err
}

// ContinueThread records the steps of one thread until a breakpoint or signal stops it, or
// its end. The others stay where they are, unless it waits for them. In the past it goes to
// the next breakpoint, as continue does.
func (s *Stepper) ContinueThread(ctx context.Context, thread int) (proc.Stop, error) {
	if err := s.Target.View.SetCurrentThread(thread); err != nil {
		return proc.Stop{}, err
	}
	w := &walk{s}
	stop, _, err := w.until(ctx, func(*history.View) bool { return false })
	return stop, err
}

// StepThreadBack undoes the last step of a thread, and what other threads have
// done since. A stretch that was not recorded counts as a step, a change by the debugger
// does not.
func (s *Stepper) StepThreadBack(ctx context.Context, thread int) (proc.Stop, error) {
	conditions := s.newStopConditions(true)
	found, err := s.Timeline.Backward(ctx, func(v *history.View) bool {
		if conditions.stopsBackward(v) {
			return true
		}
		kind := s.Target.History.Steps.Kind(v.Position())
		return kind == history.Ran || v.Thread() == thread && kind != history.Changed
	})
	switch stop, err := s.Timeline.StopAt(proc.Stepped, err); {
	case err != nil || stop.Why == proc.Paused:
		return stop, err
	case conditions.found != nil:
		return conditions.stop(stop), nil
	case !found:
		stop.Why = AtBeginning
		return stop, nil
	default:
		return stop, nil
	}
}
