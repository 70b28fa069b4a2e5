package stepping

import (
	"context"
	"fmt"
	"math"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
)

// Continue goes on to the next breakpoint. In the past it replays, up to the
// present at most; at the present the process runs.
func (s *Stepper) Continue(ctx context.Context) (proc.Stop, error) {
	if s.Timeline.InPast() || s.Target.Process == nil {
		_, stop, err := s.replay(ctx, math.MaxUint64)
		if stop.Why == proc.Stepped {
			stop.Why = AtPresent
		}
		return stop, err
	}
	if _, err := s.Timeline.Start(); err != nil {
		s.Inspector.Log.Warn("there is no history", "err", err)
	}
	return s.Run(ctx)
}

// RunTo lets the process run to an address. reached is false if it stopped
// elsewhere.
func (s *Stepper) RunTo(ctx context.Context, spec proc.BreakpointSpec) (stop proc.Stop, reached bool, err error) {
	spec.Once = true
	bp, err := s.Target.Process.SetBreakpoint(spec)
	if err != nil {
		return proc.Stop{}, false, err
	}
	stop, err = s.Run(ctx)
	if err == nil && stop.Why == proc.AtBreakpoint && stop.Breakpoint == bp.ID {
		stop.Why, stop.Breakpoint = proc.Stepped, 0
		return stop, true, nil
	}
	_ = s.Target.Process.ClearBreakpoint(bp.ID) // it is gone if the process is
	return stop, false, err
}

// Run lets the process run without recording until something stops it. In a
// history that has begun this takes one position, and one more for each library
// that is loaded while a breakpoint waits for one.
func (s *Stepper) Run(ctx context.Context) (proc.Stop, error) {
	s.Breakpoints.placePanicStops(ctx)
	for {
		stop, err := s.runOnce(ctx)
		s.noteLeft(stop)
		if err == nil && stop.Why == proc.AtSyscall {
			var stops bool
			if stop, stops = s.Breakpoints.atSyscall(stop); stops {
				return stop, nil
			}
			continue
		}
		if err != nil || !s.Breakpoints.atLoader(stop) {
			return s.Breakpoints.explainPanic(stop), err
		}
		s.Breakpoints.setPending(ctx)
	}
}

func (s *Stepper) runOnce(ctx context.Context) (proc.Stop, error) {
	if s.Timeline.Recorder == nil {
		return s.Target.Process.Resume(ctx)
	}
	stop, err := s.Timeline.Recorder.Resume(ctx)
	s.Timeline.UpdateView()
	return stop, err
}

// noteLeft notes that the process is a child of the one before.
func (s *Stepper) noteLeft(stop proc.Stop) {
	if stop.Left != 0 {
		s.Maps.Stale = true
		s.Timeline.Notes = append(s.Timeline.Notes, fmt.Sprintf("the session went on with process %d, a child of process %d, which runs on without it", s.Target.ProcessID(), stop.Left))
	}
}
