package stepping

import (
	"context"
	"errors"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
)

// A walk goes forward by instructions, through the past and on from the
// present.
type walk struct{ s *Stepper }

// step executes one instruction. over reports that the walk has ended, at a
// breakpoint for example.
func (w *walk) step(ctx context.Context) (stop proc.Stop, over bool, err error) {
	if ctx.Err() != nil { // the past does not look at each step
		stop = w.s.Target.CurrentStop()
		stop.Why = proc.Paused
		return stop, true, nil //nolint:nilerr // to be paused is no failure
	}
	stop, err = w.s.Forward(ctx, 1)
	return stop, err != nil || stop.Why != proc.Stepped, err
}

// until goes on until holds returns true, asking after each instruction. over
// reports that something else has stopped it.
func (w *walk) until(ctx context.Context, holds func(*history.View) bool) (stop proc.Stop, over bool, err error) {
	s := w.s
	if s.Timeline.InPast() || s.Target.Process == nil {
		stop, reached, err := s.replayTo(ctx, holds)
		if err != nil || reached || stop.Why != AtPresent || s.Target.Process == nil {
			return stop, !reached, err
		}
	}
	reached := false
	stop, err = s.live(ctx, history.Limits{DeferSignals: true, Until: func(v *history.View) bool {
		reached = holds(v)
		return reached
	}})
	return stop, !reached || stop.Why != proc.Stepped, err
}

// Limits of one round of recording a call; after the last round the call runs
// freely.
const (
	maxRecorded     = 1 << 20
	maxRecordedTime = 200 * time.Millisecond
)

// runOut goes on until a call ends. At the present the call is recorded for
// some rounds and then runs freely; only while it is recorded can it be seen
// to unwind instead of return.
func (s *Stepper) runOut(ctx context.Context, o *callEnd) (stop proc.Stop, err error) {
	if s.Timeline.InPast() {
		stop, ended, err := s.replayTo(ctx, o.done)
		o.reached, o.escaped = ended && o.reached, ended && o.escaped
		return stop, err
	}
	began, limited := s.Timeline.end(), true
	for rounds := 0; limited && s.recordsMore(rounds, s.Timeline.end()-began); rounds++ {
		stop, err = s.live(ctx, history.Limits{Steps: maxRecorded, Time: maxRecordedTime, DeferSignals: true, Until: o.done})
		limited = err == nil && !o.reached && !o.escaped && (stop.Why == AtLimit || stop.Why == proc.Stepped)
	}
	if limited {
		return s.runOutFreely(ctx, o)
	}
	if stop.Why != proc.Stepped {
		o.reached, o.escaped = false, false
	}
	return stop, err
}

// replayTo replays the past up to a position for which there returns true, or
// to a breakpoint before it.
func (s *Stepper) replayTo(ctx context.Context, there func(*history.View) bool) (stop proc.Stop, reached bool, err error) {
	conditions := s.newStopConditions(true)
	hit, err := s.Timeline.travel(func() (bool, error) {
		return s.Target.History.Continue(ctx, func(v *history.View) bool {
			reached = there(v)
			return conditions.stopsForward(v) || reached
		})
	})
	stop = s.Target.CurrentStop()
	stop.Why = proc.Stepped
	switch {
	case errors.Is(err, context.Canceled):
		stop.Why, err = proc.Paused, nil
	case conditions.found != nil:
		stop, reached = conditions.stop(stop), false
	case !hit:
		stop.Why = AtPresent
	}
	return stop, reached, err
}

// runOutFreely lets the process run without recording until a call returns.
func (s *Stepper) runOutFreely(ctx context.Context, o *callEnd) (stop proc.Stop, err error) {
	thread, err := s.Target.View.CurrentThread()
	if err != nil {
		return proc.Stop{}, err
	}
	spec := proc.BreakpointSpec{Address: o.addr, Thread: thread, Condition: func(hit proc.Hit) (bool, error) {
		at, err := s.Inspector.LevelOf(hit.Thread, 0)
		return at.Outside(o.out), err
	}}
	if o.isGo {
		spec.Thread = 0 // goroutines change threads
	}
	stop, o.reached, err = s.RunTo(ctx, spec)
	return stop, err
}
