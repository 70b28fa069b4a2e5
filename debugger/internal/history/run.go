package history

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/proc"
)

// A Why says why recording stopped.
type Why uint8

// The reasons.
const (
	Counted     Why = iota + 1 // as many steps as were wanted are done
	Hit                        // the condition is true
	TimedOut                   // the time is up
	Paused                     // the process was paused, or the context ended
	GotSignal                  // Signal came; the next step delivers it
	Exiting                    // the next step ends the process, and its history
	Executed                   // another program was begun; history begins there
	ThreadEnded                // the thread has ended; another one is the current one
	Gone                       // the process has ended
)

// whyNames are the words for reasons.
var whyNames = [...]string{
	"", "counted", "hit", "timed out", "paused", "signal", "exiting", "executed", "thread ended", "gone",
}

// String is the reason in words.
func (w Why) String() string { return whyNames[min(int(w), len(whyNames)-1)] }

// A Result tells how steps went.
type Result struct {
	Why      Why
	Thread   int
	Signal   syscall.Signal // GotSignal
	Code     int            // GotSignal: the kernel's si_code
	Fault    uint64         // GotSignal: the address that the signal is about
	Steps    uint64         // recorded anew
	Replayed Travel         // steps in the past, before those
	Position uint64         // of the view now
}

// Limits end a run.
type Limits struct {
	Steps uint64        // 0: no limit
	Time  time.Duration // 0: no limit

	// Until, unless nil, is asked after each step and ends the run when it is
	// true. It may read the view and nothing else.
	Until func(*View) bool

	// HoldSignals puts signals that the process gets silently off until it runs
	// freely, so that steps do not lead into handlers.
	HoldSignals bool

	// AllThreads makes steps of all threads, each in its turn, beginning with
	// the one that is named. A run goes on when one of them ends. Without it
	// the others step only while that one waits in the kernel.
	AllThreads bool

	// Progress, unless nil, is called after each turn of AllThreads.
	Progress func(*View)
}

// Step makes n steps of a thread, 0 being the current one. In the past it goes
// forward through what was recorded; at the end of that the process goes on.
func (r *Recorder) Step(ctx context.Context, thread int, n uint64) (Result, error) {
	travel, err := r.history.Forward(n)
	if err != nil || travel.Steps == n {
		return r.result(Result{Why: Counted, Replayed: travel}), err
	}
	result, err := r.live(ctx, thread, Limits{Steps: n - travel.Steps, HoldSignals: true})
	result.Replayed = travel
	return result, err
}

// Run makes steps until one of the limits is reached. In the past it looks for
// the condition in what was recorded, without limits; at the end of that the
// process goes on. While a thread waits in the kernel the others step in turns.
func (r *Recorder) Run(ctx context.Context, thread int, limits Limits) (Result, error) {
	var travel Travel
	if !r.view().end {
		from := r.view().position
		hit, err := r.history.Continue(ctx, func(v *View) bool { return limits.Until != nil && limits.Until(v) })
		travel.Steps = r.view().position - from
		if err != nil || hit {
			return r.result(Result{Why: Hit, Replayed: travel}), err
		}
	}
	result, err := r.live(ctx, thread, limits)
	result.Replayed = travel
	return result, err
}

// result completes one.
func (r *Recorder) result(result Result) Result {
	result.Position = r.view().position
	if result.Thread == 0 && r.view().current < len(r.view().threads) {
		result.Thread = r.view().Thread()
	}
	return result
}

// live lets the process go on, recorded.
func (r *Recorder) live(ctx context.Context, thread int, limits Limits) (Result, error) {
	if err := r.refresh(); err != nil {
		return r.result(Result{}), err
	}
	r.learnStacks()
	run := &run{r: r, ctx: ctx, limits: limits}
	if limits.Time > 0 {
		run.deadline = time.Now().Add(limits.Time)
	}
	err := r.target.Step(ctx, thread, func(s Stepper) error {
		run.s = s
		return run.steps()
	})
	r.abandon()
	if run.result.Why == Executed {
		r.fresh = false
		err = errors.Join(err, r.refresh())
	}
	return r.result(run.result), err
}

// abandon forgets system calls that are not done. They begin again, but may have
// written already.
func (r *Recorder) abandon() {
	if len(r.pending) > 0 {
		clear(r.pending)
		r.forgetCode()
	}
}

// A run is one series of recorded steps.
type run struct {
	r        *Recorder
	s        Stepper
	ctx      context.Context //nolint:containedctx // it lives as long as one call
	limits   Limits
	deadline time.Time
	result   Result
}

// steps makes steps until there is a reason to stop. The end of the context is
// looked for before each row, since interpreted steps do not ask the processor's:
// a caller who makes one after the other would never be stopped.
func (n *run) steps() error {
	if n.limits.AllThreads {
		return n.allThreads()
	}
	for n.result.Why == 0 {
		if n.ctx.Err() != nil {
			n.result.Why = Paused
			return nil //nolint:nilerr // to be paused is no failure
		}
		if err := n.row(); err != nil {
			return fmt.Errorf("interpret: %w", err)
		}
		if n.result.Why != 0 {
			return nil
		}
		outcome, err := n.r.record(n.s)
		if err != nil {
			return fmt.Errorf("record step: %w", err)
		}
		if err := n.after(outcome); err != nil {
			return err
		}
	}
	return nil
}

// after decides how to go on.
func (n *run) after(outcome proc.Outcome) error {
	switch outcome {
	case proc.StepDone:
		n.done()
	case proc.StepBlocked:
		return n.others()
	case proc.StepSignal:
		n.signal()
	case proc.StepPaused:
		n.result.Why = Paused
	case proc.StepExec:
		n.result.Why = Executed
		n.r.restart("another program was begun")
		n.r.view().threads = nil
	case proc.StepGone:
		n.result.Why = ThreadEnded
	case stepExiting:
		n.result.Why = Exiting
	default:
		n.result.Why = Gone
		n.r.restart("the process has ended")
	}
	return nil
}

// clockEvery is the number of steps between checks of the clock.
const clockEvery = 64

// done counts a step and looks at the limits.
func (n *run) done() {
	n.result.Steps++
	l := &n.limits
	switch {
	case l.Until != nil && l.Until(n.r.view()):
		n.result.Why = Hit
	case n.result.Steps == l.Steps:
		n.result.Why = Counted
	case !n.deadline.IsZero() && n.result.Steps%clockEvery == 0 && !time.Now().Before(n.deadline):
		n.result.Why = TimedOut
	}
}

func (n *run) signal() {
	switch {
	case n.s.Action() == proc.StopAndPass || n.s.Action() == proc.StopAndDrop:
		stop := n.s.Report()
		n.result.Why, n.result.Thread = GotSignal, stop.Thread
		n.result.Signal, n.result.Code, n.result.Fault = stop.Signal, stop.Code, stop.Fault
	case n.limits.HoldSignals:
		n.s.Hold()
	}
}

// turn is the number of processor steps that another thread gets while one
// waits in the kernel, and longTurn the number of all steps, interpreted ones
// included: these take no longer.
const (
	turn     = 5000
	longTurn = 8 * maxRow
)

// others gives each other thread a turn. The one that waits is looked after
// between the turns, and when all others wait too.
func (n *run) others() error {
	waiting := n.s.Thread()
	infos, err := n.r.target.Threads()
	if err != nil {
		return err
	}
	for _, info := range infos {
		if info.ID == waiting {
			continue
		}
		if err := n.s.Switch(info.ID); err != nil {
			continue // it has ended
		}
		if err := n.turn(); err != nil || n.result.Why != 0 {
			return err
		}
	}
	n.checkTime()
	return n.s.Switch(waiting)
}

// turn lets the thread that the stepper has now go on, until it waits too.
func (n *run) turn() error {
	enough := n.result.Steps + longTurn
	for k := 0; k < turn && n.result.Steps < enough; k++ {
		if n.ctx.Err() != nil {
			n.result.Why = Paused
			return nil //nolint:nilerr // to be paused is no failure
		}
		if err := n.row(); err != nil || n.result.Why != 0 {
			return err
		}
		outcome, err := n.r.record(n.s)
		if err != nil || outcome == proc.StepBlocked || outcome == proc.StepGone {
			return err
		}
		if err := n.after(outcome); err != nil || n.result.Why != 0 {
			return err
		}
		if ready, err := n.othersReady(); ready || err != nil {
			return err
		}
	}
	return nil
}
