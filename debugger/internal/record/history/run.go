package history

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
)

// A StopReason is the reason why recording stopped.
type StopReason uint8

// The reasons.
const (
	StepLimit    StopReason = iota + 1 // Limits.Steps are done
	ConditionMet                       // Limits.Until returned true
	TimedOut                           // Limits.Time is over
	Paused                             // the process was paused, or the context is done
	GotSignal                          // Result.Signal arrived; the next step delivers it
	Exiting                            // the next step ends the process, and so its history
	Executed                           // execve succeeded; history restarts
	ThreadEnded                        // the thread ended; another one is current now
	ProcessEnded                       // the process ended
)

// whyNames are the names of reasons.
var whyNames = [...]string{
	"", "counted", "hit", "timed out", "paused", "signal", "exiting", "executed", "thread ended", "gone",
}

// String returns the name of the reason.
func (w StopReason) String() string { return whyNames[min(int(w), len(whyNames)-1)] }

// A Result describes a recorded run.
type Result struct {
	Why      StopReason
	Thread   int
	Signal   syscall.Signal // GotSignal
	Code     int            // GotSignal: si_code
	Fault    uint64         // GotSignal: si_addr
	Steps    uint64         // newly recorded
	Replayed Traversal      // the move through the past before them
	Position uint64         // of the view afterwards
}

// Limits end a run.
type Limits struct {
	Steps uint64        // 0: no limit
	Time  time.Duration // 0: no limit

	// Until, unless nil, is called after each step and ends the run by
	// returning true. It may read the view and nothing else.
	Until func(*View) bool

	// DeferSignals defers signals that do not stop the process until it runs
	// freely, so that steps do not enter signal handlers.
	DeferSignals bool

	// AllThreads steps all threads in turns, beginning with the given one. The
	// run continues when one of them ends. Without it the others step only
	// while the given thread is blocked in the kernel.
	AllThreads bool

	// Progress, unless nil, is called after each turn of AllThreads.
	Progress func(*View)
}

// Step makes n steps of a thread, or of the current one if the id is 0. In the
// past it goes forward through the records, and from the present on the process
// steps.
func (r *Recorder) Step(ctx context.Context, thread int, n uint64) (Result, error) {
	done := r.history.Request.Within(ctx)
	traversal, err := r.history.Forward(n)
	done()
	if err != nil || traversal.Steps == n {
		return r.result(Result{Why: StepLimit, Replayed: traversal}), err
	}
	result, err := r.stepProcess(ctx, thread, Limits{Steps: n - traversal.Steps, DeferSignals: true})
	result.Replayed = traversal
	return result, err
}

// Run makes steps until one of the limits is reached. In the past it goes
// forward through the records until limits.Until returns true, without the
// other limits, and from the present on the process steps. While the thread is
// blocked in the kernel, the others step in turns.
func (r *Recorder) Run(ctx context.Context, thread int, limits Limits) (Result, error) {
	var traversal Traversal
	if !r.view().end {
		from := r.view().position
		hit, err := r.history.Continue(ctx, func(v *View) bool { return limits.Until != nil && limits.Until(v) })
		traversal.Steps = r.view().position - from
		if err != nil || hit {
			return r.result(Result{Why: ConditionMet, Replayed: traversal}), err
		}
	}
	result, err := r.stepProcess(ctx, thread, limits)
	result.Replayed = traversal
	return result, err
}

// result sets position and thread of a result.
func (r *Recorder) result(result Result) Result {
	result.Position = r.view().position
	if result.Thread == 0 && r.view().current < len(r.view().threads) {
		result.Thread = r.view().Thread()
	}
	return result
}

// stepProcess steps the process and records it.
func (r *Recorder) stepProcess(ctx context.Context, thread int, limits Limits) (Result, error) {
	if err := r.refresh(); err != nil {
		return r.result(Result{}), err
	}
	r.signals.read()
	run := &run{r: r, ctx: ctx, limits: limits}
	if limits.Time > 0 {
		run.deadline = time.Now().Add(limits.Time)
	}
	err := r.target.Step(ctx, thread, func(s Stepper) error {
		run.s = s
		return run.steps()
	})
	r.attempts.dropCalls()
	if run.result.Why == Executed {
		r.fresh = false
		err = errors.Join(err, r.refresh())
	}
	return r.result(run.result), err
}

// dropCalls forgets system calls that have not ended. The kernel restarts
// them, but they may have written memory already.
func (as *attempts) dropCalls() {
	if len(as.pending) > 0 {
		clear(as.pending)
		as.recorder.invalidateCode()
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

// steps makes steps until there is a reason to stop. It checks the context
// before each interpreted stretch, because interpreted steps do not check it.
func (n *run) steps() error {
	if n.limits.AllThreads {
		return n.allThreads()
	}
	for n.result.Why == 0 {
		if n.ctx.Err() != nil {
			n.result.Why = Paused
			return nil //nolint:nilerr // a pause is not a failure
		}
		if err := n.interpretAhead(); err != nil {
			return fmt.Errorf("interpret: %w", err)
		}
		if n.result.Why != 0 {
			return nil
		}
		outcome, err := n.r.record(n.s)
		if err != nil {
			return fmt.Errorf("record step: %w", err)
		}
		if err := n.handleOutcome(outcome); err != nil {
			return err
		}
	}
	return nil
}

// handleOutcome updates the result after a single step.
func (n *run) handleOutcome(outcome proc.Outcome) error {
	switch outcome {
	case proc.StepDone:
		n.countStep()
	case proc.StepBlocked:
		return n.runOthers()
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
		n.result.Why = ProcessEnded
		n.r.restart("the process has ended")
	}
	return nil
}

// clockEvery is the number of steps between checks of the clock.
const clockEvery = 64

// countStep counts a step and checks the limits.
func (n *run) countStep() {
	n.result.Steps++
	l := &n.limits
	switch {
	case l.Until != nil && l.Until(n.r.view()):
		n.result.Why = ConditionMet
	case n.result.Steps == l.Steps:
		n.result.Why = StepLimit
	case !n.deadline.IsZero() && n.result.Steps%clockEvery == 0 && !time.Now().Before(n.deadline):
		n.result.Why = TimedOut
	}
}

func (n *run) signal() {
	switch {
	case n.s.Action() == proc.StopAndPass || n.s.Action() == proc.StopAndDrop:
		stop := n.s.SignalStop()
		n.result.Why, n.result.Thread = GotSignal, stop.Thread
		n.result.Signal, n.result.Code, n.result.Fault = stop.Signal, stop.Code, stop.Fault
	case n.limits.DeferSignals:
		n.s.DeferSignal()
	}
}

// turnSteps is the number of single steps in a thread's turn, and maxTurnSteps
// the number of all its steps, with the interpreted ones.
const (
	turnSteps    = 5000
	maxTurnSteps = 8 * maxAhead
)

// runOthers gives each other thread a turn while the current one is blocked in
// the kernel.
func (n *run) runOthers() error {
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
		if err := n.runTurn(); err != nil || n.result.Why != 0 {
			return err
		}
	}
	n.checkTime()
	return n.s.Switch(waiting)
}

// runTurn steps the stepper's thread for one turn, or until it blocks.
func (n *run) runTurn() error {
	enough := n.result.Steps + maxTurnSteps
	for k := 0; k < turnSteps && n.result.Steps < enough; k++ {
		if n.ctx.Err() != nil {
			n.result.Why = Paused
			return nil //nolint:nilerr // to be paused is no failure
		}
		if err := n.interpretAhead(); err != nil || n.result.Why != 0 {
			return err
		}
		outcome, err := n.r.record(n.s)
		if err != nil || outcome == proc.StepBlocked || outcome == proc.StepGone {
			return err
		}
		if err := n.handleOutcome(outcome); err != nil || n.result.Why != 0 {
			return err
		}
		if ready, err := n.otherThreadReady(); ready || err != nil {
			return err
		}
	}
	return nil
}
