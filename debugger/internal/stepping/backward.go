package stepping

import (
	"context"
	"errors"

	"github.com/triptych-mcp/triptych/debugger/internal/history"
	"github.com/triptych-mcp/triptych/debugger/internal/proc"
)

// RequireSteps says whether history goes back so far.
func (s *Stepper) RequireSteps(n uint64) error {
	h, err := s.RequireHistory()
	if err != nil {
		return err
	}
	if there := h.View().Position() - h.Oldest(); n > there {
		return &history.BeginningError{Oldest: h.Oldest(), Wanted: n, There: there, Reason: h.Begins()}
	}
	return nil
}

// Backward goes back until hit is true, at least one position. When that is
// nowhere it goes to the beginning.
func (s *Stepper) Backward(ctx context.Context, hit func(*history.View) bool) (bool, error) {
	s.followHistory()
	found, err := s.History.ReverseContinue(ctx, hit)
	s.UpdateView()
	s.noteGaps(s.History.Passed())
	return found, err
}

// StopAt is a stop where the way has led to, or where it was cut short.
func (s *Stepper) StopAt(why proc.Why, err error) (proc.Stop, error) {
	stop := s.CurrentStop()
	stop.Why = why
	if errors.Is(err, context.Canceled) {
		stop.Why, err = proc.Paused, nil
	}
	return stop, err
}

// ReverseContinue goes back to where a mark would have stopped, or to the beginning.
func (s *Stepper) ReverseContinue(ctx context.Context) (proc.Stop, error) {
	look := s.newStopConditions(true)
	found, err := s.Backward(ctx, look.stopsBackward)
	stop, err := s.StopAt(AtBeginning, err)
	if !found || err != nil {
		return stop, err
	}
	stop = look.stop(stop)
	if look.found.Watch != nil && s.History.Kind(s.History.View().Position()) == history.Ran {
		s.Notes = append(s.Notes, "it was written while the process ran by itself, some time before the next position")
	}
	return stop, nil
}

// GoTo goes to a position that there is.
func (s *Stepper) GoTo(ctx context.Context, to uint64) (proc.Stop, error) {
	there := func(v *history.View) bool { return v.Position() == to }
	var err error
	switch here := s.History.View().Position(); {
	case to < here:
		_, err = s.Backward(ctx, there)
	case to > here:
		_, err = s.History.Continue(ctx, there)
		s.UpdateView()
		s.noteGaps(s.History.Passed())
	}
	return s.StopAt(AtMoment, err)
}
