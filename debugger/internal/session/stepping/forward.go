package stepping

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
)

// Forward makes up to n steps of the current thread: recorded ones in the
// past, new ones at the present. A breakpoint ends them.
func (s *Stepper) Forward(ctx context.Context, n uint64) (proc.Stop, error) {
	done, stop, err := s.replay(ctx, n)
	if err != nil || stop.Why != proc.Stepped || done == n {
		return stop, err
	}
	if s.Target.Process == nil {
		stop.Why = AtPresent
		return stop, nil
	}
	return s.live(ctx, history.Limits{Steps: n - done, DeferSignals: true})
}

// replay goes through at most n recorded positions, up to a breakpoint or the
// present.
func (s *Stepper) replay(ctx context.Context, n uint64) (done uint64, stop proc.Stop, err error) {
	if s.Target.History == nil || s.Target.History.View().Present() {
		stop = s.Target.CurrentStop()
		stop.Why = proc.Stepped
		return 0, stop, nil
	}
	conditions := s.newStopConditions(true)
	start := s.Target.History.View().Position()
	hit, err := s.Timeline.travel(func() (bool, error) {
		if n >= s.Target.History.End()-start {
			return conditions.goForward(ctx)
		}
		return s.Target.History.Continue(ctx, func(v *history.View) bool {
			return conditions.stopsForward(v) || v.Position() == start+n
		})
	})
	done = s.Target.History.View().Position() - start
	if errors.Is(err, context.Canceled) {
		stop = s.Target.CurrentStop()
		stop.Why = proc.Paused
		return done, stop, nil
	}
	stop = s.Target.CurrentStop()
	stop.Why = proc.Stepped
	if hit && conditions.found != nil {
		stop = conditions.stop(stop)
	}
	return done, stop, err
}

// live lets the process run from the present, recording every step.
func (s *Stepper) live(ctx context.Context, limits history.Limits) (proc.Stop, error) {
	r, err := s.Timeline.Start()
	if err != nil {
		return proc.Stop{}, err
	}
	s.Breakpoints.placePanicStops(ctx)
	for {
		began, first := time.Now(), s.Target.History.End()
		conditions, now := s.newStopConditions(false), limits
		now.Until = conditions.until(limits.Until)
		s.Timeline.follow()
		result, err := r.Run(ctx, 0, now)
		s.Timeline.UpdateView()
		if err != nil {
			return proc.Stop{}, err
		}
		if conditions.loading {
			s.Breakpoints.setPending(ctx)
		}
		if !conditions.onlyLoading || result.Why != history.ConditionMet || !spend(&limits, s.Target.History.End()-first, time.Since(began)) {
			return s.stopOf(result, conditions), nil
		}
	}
}

// spend takes steps and time off limits, and reports whether something is left.
func spend(limits *history.Limits, steps uint64, took time.Duration) bool {
	if limits.Steps > 0 {
		if limits.Steps <= steps {
			return false
		}
		limits.Steps -= steps
	}
	if limits.Time > 0 {
		if limits.Time <= took {
			return false
		}
		limits.Time -= took
	}
	return true
}

// stopOf converts the result of recording into a stop.
func (s *Stepper) stopOf(result history.Result, conditions *stopConditions) proc.Stop {
	if now, _ := s.Target.Process.CurrentThread(); result.Thread != now {
		_ = s.Target.Process.SetCurrentThread(result.Thread) // one that has ended cannot be chosen
	}
	stop := s.Target.CurrentStop()
	stop.Why, stop.Signal, stop.Code, stop.Fault = whys[result.Why], result.Signal, result.Code, result.Fault
	switch {
	case result.Why == history.ThreadEnded:
		s.Timeline.Notes = append(s.Timeline.Notes, fmt.Sprintf("thread %d has ended", result.Thread))
	case result.Why == history.ConditionMet && conditions.found != nil:
		stop = conditions.stop(stop)
	}
	return stop
}
