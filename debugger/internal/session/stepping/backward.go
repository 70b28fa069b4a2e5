package stepping

import (
	"context"
	"errors"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
)

// RequireSteps returns an error if history does not reach n positions back.
func (s *Stepper) RequireSteps(n uint64) error {
	h, err := s.RequireHistory()
	if err != nil {
		return err
	}
	if there := h.View().Position() - h.Oldest(); n > there {
		return &history.BeginningError{Oldest: h.Oldest(), Wanted: n, There: there, Reason: h.StartReason()}
	}
	return nil
}

// Backward goes back until hit returns true, by at least one position. If it
// never does, Backward goes to the beginning and returns false.
func (s *Stepper) Backward(ctx context.Context, hit func(*history.View) bool) (bool, error) {
	return s.travel(func() (bool, error) { return s.Target.History.ReverseContinue(ctx, hit) })
}

// travel searches through the history.
func (s *Stepper) travel(search func() (found bool, err error)) (bool, error) {
	s.followHistory()
	found, err := search()
	s.UpdateView()
	s.noteGaps(s.Target.History.LastTraversal())
	return found, err
}

// StopAt returns a stop at the current position for a reason, or a pause if
// the context was canceled.
func (s *Stepper) StopAt(why proc.Why, err error) (proc.Stop, error) {
	stop := s.Target.CurrentStop()
	stop.Why = why
	if errors.Is(err, context.Canceled) {
		stop.Why, err = proc.Paused, nil
	}
	return stop, err
}

// ReverseContinue goes back to the last breakpoint or watched write, or to the
// beginning.
func (s *Stepper) ReverseContinue(ctx context.Context) (proc.Stop, error) {
	conditions := s.newStopConditions(true)
	found, err := s.travel(func() (bool, error) { return conditions.goBack(ctx) })
	stop, err := s.StopAt(AtBeginning, err)
	if !found || err != nil {
		return stop, err
	}
	stop = conditions.stop(stop)
	if conditions.found.Watch != nil && s.Target.History.Kind(s.Target.History.View().Position()) == history.Ran {
		s.Notes = append(s.Notes, "it was written while the process ran by itself, some time before the next position")
	}
	return stop, nil
}

// GoTo goes to a position, which history must have.
func (s *Stepper) GoTo(ctx context.Context, to uint64) (proc.Stop, error) {
	travel, err := s.Target.History.SeekContext(ctx, to)
	s.UpdateView()
	s.noteGaps(travel)
	return s.StopAt(AtMoment, err)
}
