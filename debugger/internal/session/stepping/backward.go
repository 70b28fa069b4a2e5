package stepping

import (
	"context"
	"errors"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
)

// RequireSteps returns an error if history does not reach n positions back.
func (tl *Timeline) RequireSteps(n uint64) error {
	h, err := tl.Require()
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
func (tl *Timeline) Backward(ctx context.Context, hit func(*history.View) bool) (bool, error) {
	return tl.travel(func() (bool, error) { return tl.target.History.ReverseContinue(ctx, hit) })
}

// travel searches through the history.
func (tl *Timeline) travel(search func() (found bool, err error)) (bool, error) {
	tl.follow()
	found, err := search()
	tl.UpdateView()
	tl.noteGaps(tl.target.History.LastTraversal())
	return found, err
}

// StopAt returns a stop at the current position for a reason, or a pause if
// the context was canceled.
func (tl *Timeline) StopAt(why proc.Why, err error) (proc.Stop, error) {
	stop := tl.target.CurrentStop()
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
	found, err := s.Timeline.travel(func() (bool, error) { return conditions.goBack(ctx) })
	stop, err := s.Timeline.StopAt(AtBeginning, err)
	if !found || err != nil {
		return stop, err
	}
	stop = conditions.stop(stop)
	if conditions.found.Watch != nil && s.Target.History.Steps.Kind(s.Target.History.View().Position()) == history.Ran {
		s.Timeline.Notes = append(s.Timeline.Notes, "it was written while the process ran by itself, some time before the next position")
	}
	return stop, nil
}

// GoTo goes to a position, which history must have.
func (tl *Timeline) GoTo(ctx context.Context, to uint64) (proc.Stop, error) {
	travel, err := tl.target.History.SeekContext(ctx, to)
	tl.UpdateView()
	tl.noteGaps(travel)
	return tl.StopAt(AtMoment, err)
}
