package stepping

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recording"
)

// fewRecorded is the largest number of steps that are recorded one by one: beginning a
// recording costs more.
const fewRecorded = 1 << 16

// errTimeOver ends a recording that has a limit of time.
var errTimeOver = errors.New("the time is over")

// recordTranslated is Record by translation in place. It returns false if the steps must be
// recorded one by one, and notes why.
func (s *Stepper) recordTranslated(ctx context.Context, steps uint64, most time.Duration) (stop proc.Stop, done bool, err error) {
	if s.NoTranslate || steps > 0 && steps <= fewRecorded || s.Timeline.Recorder.Exiting() {
		return stop, false, nil
	}
	if reason := s.untranslatable(); reason != "" {
		s.noteSlow(reason)
		return stop, false, nil
	}
	s.Breakpoints.placePanicStops(ctx)
	if most > 0 {
		timed, cancel := context.WithTimeoutCause(ctx, most, errTimeOver)
		defer cancel()
		ctx = timed
	}
	limit := uint64(0)
	if steps > 0 {
		limit = s.Target.History.End() + steps
	}
	for {
		stop, more, err := s.recordStretch(ctx, limit)
		if !more || err != nil {
			return stop, stop.Why != 0 || err != nil, err
		}
	}
}

// untranslatable returns why steps must be recorded one by one, or "".
func (s *Stepper) untranslatable() string {
	for _, b := range s.Breakpoints.Sorted() {
		switch {
		case b.Watch != nil:
			return fmt.Sprintf("watchpoint %d is checked at each of them", b.ID)
		case b.Syscalls != nil:
			return fmt.Sprintf("breakpoint %d is at system calls", b.ID)
		}
	}
	return ""
}

// noteSlow notes why steps are recorded one by one, once until the reason changes.
func (s *Stepper) noteSlow(reason string) {
	if s.slow == reason {
		return
	}
	s.slow = reason
	s.Timeline.Notes = append(s.Timeline.Notes, "the instructions were recorded one by one, which is slow: "+reason)
}

// recordStretch records up to a stop. It returns true if the process is to go on at once. If
// it cannot be recorded, the stop has no reason.
func (s *Stepper) recordStretch(ctx context.Context, limit uint64) (stop proc.Stop, more bool, err error) {
	first := s.Target.History.End()
	conditions := s.newStopConditions(false)
	until := conditions.until(nil)
	limits := recording.Stretch{
		Limit: limit, Code: slices.Collect(maps.Keys(conditions.at)),
		Stops: func(v *history.View) bool { return s.Target.History.Show(v, conditions.arrives(until)) },
		Shown: func(position uint64) { s.RecordedSteps.Store(int64(position - first)) },
	}
	if conditions.loader != 0 {
		limits.Code = append(limits.Code, conditions.loader)
	}
	s.Timeline.follow()
	s.Timeline.translates = true
	end, err := s.past().Record(ctx, s.Target.Process, s.Timeline.Recorder, limits)
	s.Timeline.translates = false
	s.Timeline.UpdateView()
	if err != nil {
		if _, ended := s.Target.Process.End(); ended || errors.Is(err, proc.ErrRunning) || errors.Is(err, proc.ErrDetached) {
			return stop, false, err
		}
		if ctx.Err() != nil { // while the recording began
			return s.stopOfStretch(ctx, recording.StretchEnd{Why: recording.EndPaused}, conditions), false, nil
		}
		s.noteSlow(err.Error())
		return stop, false, nil
	}
	if end.Why == recording.EndCut && s.Target.History.End() == first {
		s.noteSlow(end.Text)
		return stop, false, nil
	}
	if conditions.loading {
		s.Breakpoints.setPending(ctx)
	}
	if end.Why == recording.EndFull || end.Why == recording.EndPlace && conditions.onlyLoading {
		return stop, true, nil
	}
	return s.stopOfStretch(ctx, end, conditions), false, nil
}

// past returns what was recorded of the process.
func (s *Stepper) past() *recording.Past {
	if earlier, _ := s.Target.History.Earlier(); earlier != nil {
		if p, ok := earlier.(*recording.Past); ok {
			return p
		}
	}
	memory := cmp.Or(s.Timeline.budget.Memory, history.DefaultBudget)
	return recording.NewPast(recording.Place{Memory: memory, File: s.Timeline.budget.File, Folder: s.Timeline.HistoryFolder})
}

// arrives returns until for a view that has come from elsewhere.
func (l *stopConditions) arrives(until func(*history.View) bool) func(*history.View) bool {
	return func(v *history.View) bool {
		l.last.thread, l.last.pc = 0, 0
		return until(v)
	}
}

// stopOfStretch converts the end of a recording into a stop.
func (s *Stepper) stopOfStretch(ctx context.Context, end recording.StretchEnd, conditions *stopConditions) proc.Stop {
	if stop, ended := s.Target.Process.End(); ended {
		return stop
	}
	stop := s.Target.CurrentStop()
	switch end.Why {
	case recording.EndPlace:
		return conditions.stop(stop)
	case recording.EndSignal:
		stop.Why, stop.Signal = proc.Signalled, end.Signal.Signal()
		stop.Explain(end.Signal)
	case recording.EndExit:
		s.Timeline.Recorder.Exits()
		stop.Why = AtExit
	case recording.EndExec:
		stop.Why = proc.Executed
	case recording.EndLimit:
		stop.Why = AtLimit
	case recording.EndCut, recording.EndLost:
		stop.Why = AtLimit
		s.Timeline.Notes = append(s.Timeline.Notes, "the recording ends here: "+end.Text+"; debugger/continue with record records what follows instruction by instruction, without record it runs at full speed")
	default:
		if stop.Why = proc.Paused; errors.Is(context.Cause(ctx), errTimeOver) {
			stop.Why = AtLimit
		}
	}
	return stop
}
