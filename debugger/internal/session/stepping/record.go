package stepping

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
)

// Record records the instructions of all threads until one of them stops. In
// the past it goes to the next breakpoint or to the present, as continue does. It
// ends after the given number of steps and time; 0 means no limit.
func (s *Stepper) Record(ctx context.Context, steps uint64, most time.Duration) (proc.Stop, error) {
	if s.Timeline.InPast() {
		return s.Continue(ctx)
	}
	if _, err := s.Timeline.Start(); err != nil {
		return proc.Stop{}, err
	}
	defer s.RecordedSteps.Store(0)
	if stop, done, err := s.recordTranslated(ctx, steps, most); done || err != nil {
		return stop, err
	}
	first := s.Target.History.End()
	stop, err := s.live(ctx, history.Limits{
		Steps: steps, Time: most, AllThreads: true,
		Progress: func(v *history.View) { s.RecordedSteps.Store(int64(v.Position() - first)) },
	})
	if err == nil && stop.Why == proc.Stepped {
		if end, ended := s.Target.Process.End(); ended {
			return end, nil
		}
		stop.Why = AtLimit
	}
	return stop, err
}

// Rewind sets the process back to the position in the past that is shown, and
// notes what cannot be undone.
func (s *Stepper) Rewind(ctx context.Context) error {
	h := s.Target.History
	from, end := h.View().Position(), h.End()
	effects, err := h.Steps.SideEffects(ctx)
	if err != nil {
		return err
	}
	if err := s.Timeline.Recorder.Rewind(ctx); err != nil {
		return err
	}
	s.Timeline.UpdateView()
	s.Timeline.Notes = append(s.Timeline.Notes, fmt.Sprintf("the process went on from position %d; what was recorded after it, to %d, is dropped", from, end))
	if len(effects) > 0 {
		s.Timeline.Notes = append(s.Timeline.Notes, "not taken back: "+listEffects(effects))
	}
	return nil
}

// maxEffects is the maximum number of kinds of effects in an answer.
const maxEffects = 20

func listEffects(effects []history.SideEffect) string {
	var parts []string
	for i, d := range effects {
		if i == maxEffects {
			parts = append(parts, "and more")
			break
		}
		what := d.What
		switch what {
		case history.Ran.String():
			what = "what it did while it ran by itself"
		case history.Signalled.String():
			what = "a signal"
		}
		if d.Count > 1 {
			what += fmt.Sprintf(" (%d times)", d.Count)
		}
		parts = append(parts, what)
	}
	return strings.Join(parts, ", ")
}
