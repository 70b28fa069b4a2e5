package dap

import (
	"context"
	"errors"
	"math"

	"github.com/google/go-dap"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/stepping"
)

// A way moves a session until the next stop.
type way struct {
	through func(ctx context.Context) (proc.Stop, error)
	reason  string // of a stop where the way ends by itself
	title   string // of its progress, "" if it is as long as the program wants
	back    bool   // it goes through recorded history
	again   bool   // after a pause, it can be started once more and goes on
}

// A running is an operation of this client.
type running struct {
	way
	cancel   context.CancelFunc
	progress *progress
}

// An ended is an operation that has ended.
type ended struct {
	outcome session.Outcome
	err     error
}

// start lets the session move; the client is told of its stop. It does not
// hold the gate meanwhile: others learn that the process is running.
func (v *server) start(ctx context.Context, w way) error {
	return v.locked(ctx, func() error {
		if err := v.requireDriver(); err != nil {
			return err
		}
		v.begun(w, v.s.BeginLimited(w.back, w.through))
		return nil
	})
}

// begun waits for the end of an operation on a goroutine.
func (v *server) begun(w way, op *session.Operation) {
	ctx, cancel := context.WithCancel(context.Background())
	r := &running{way: w, cancel: cancel, progress: v.newProgress(w.title)}
	v.running, v.now = r, look{threads: v.now.threads}
	go func() {
		outcome, err := v.s.Await(ctx, r.progress, op, math.MaxInt64)
		v.ended <- ended{outcome, err}
	}()
}

// finished tells the client how its operation has ended.
func (v *server) finished(ctx context.Context, end ended) {
	r := v.running
	v.running = nil
	r.cancel()
	r.progress.end()
	if v.exited {
		return
	}
	v.tellOutcome(end.outcome)
	state := v.s.State()
	switch {
	case errors.Is(end.err, session.ErrClosed), v.s.Inspector.Life.Err() != nil:
		v.sessionEnded()
		return
	case state.Status == session.Exited:
		v.sessionEnded()
		if err := v.endExited(); err != nil {
			v.output("stderr", "triptych: "+err.Error()+"\n")
		}
		return
	case end.err != nil:
		v.output("stderr", "triptych: "+end.err.Error()+"\n")
	}
	v.tellStop(state, r)
	v.breakpoints.retry(ctx, v)
}

// tellOutcome passes on the output of an operation.
func (v *server) tellOutcome(o session.Outcome) {
	v.output("stdout", o.Output)
	for _, line := range o.Logged {
		v.output("console", line+"\n")
	}
}

// takeOutput passes on what a running program and its logpoints have written.
func (v *server) takeOutput() {
	if v.s.Target.Output != nil {
		v.output("stdout", v.s.Target.Output.Take())
	}
	for _, line := range v.s.Breakpoints.Logged.Take() {
		v.output("console", line+"\n")
	}
}

func (v *server) output(category, text string) {
	if text != "" {
		v.out.event("output", dap.OutputEventBody{Category: category, Output: text})
	}
}

// forward goes on to the next breakpoint, signal or the end; at the present it
// records if the client wants that.
func (v *server) forward() way {
	return way{again: true, through: func(ctx context.Context) (proc.Stop, error) {
		if v.config.Record && v.s.Target.Process != nil {
			return v.s.Stepper.Record(ctx, 0, 0)
		}
		return v.s.Stepper.Continue(ctx)
	}}
}

// resume answers continue.
func (v *server) resume(ctx context.Context, _ dap.ContinueArguments) (any, error) {
	w := v.forward()
	if v.config.Record {
		w.title = "Recording"
	}
	return dap.ContinueResponseBody{AllThreadsContinued: true}, v.start(ctx, w)
}

// reverseContinue goes back to the last breakpoint or to the beginning.
func (v *server) reverseContinue(ctx context.Context, _ dap.ReverseContinueArguments) (any, error) {
	return nil, v.back(ctx, way{title: "Going back", again: true, through: func(ctx context.Context) (proc.Stop, error) {
		return v.s.Stepper.ReverseContinue(ctx)
	}})
}

// back begins a way back, which ends at once where nothing was recorded before.
func (v *server) back(ctx context.Context, w way) error {
	through := w.through
	w.back = true
	w.through = func(ctx context.Context) (proc.Stop, error) {
		h := v.s.Target.History
		if h.View().Position() == h.Oldest() {
			return v.s.Timeline.StopAt(stepping.AtBeginning, nil)
		}
		return through(ctx)
	}
	if err := v.locked(ctx, func() error { _, err := v.s.Timeline.Require(); return err }); err != nil {
		return err
	}
	return v.start(ctx, w)
}

// granularities of steps.
const byInstruction = "instruction"

// next steps over calls.
func (v *server) next(ctx context.Context, args dap.NextArguments) (any, error) {
	return nil, v.step(ctx, args.ThreadId, func(ctx context.Context) (proc.Stop, error) {
		if args.Granularity == byInstruction {
			return v.s.Stepper.StepInstruction(ctx)
		}
		return v.s.Stepper.StepLine(ctx, false)
	})
}

// stepIn steps into functions that are called.
func (v *server) stepIn(ctx context.Context, args dap.StepInArguments) (any, error) {
	return nil, v.step(ctx, args.ThreadId, func(ctx context.Context) (proc.Stop, error) {
		if args.Granularity == byInstruction {
			return v.s.Stepper.Forward(ctx, 1)
		}
		return v.s.Stepper.StepLine(ctx, true)
	})
}

// stepOut runs until the function has returned.
func (v *server) stepOut(ctx context.Context, args dap.StepOutArguments) (any, error) {
	return nil, v.step(ctx, args.ThreadId, func(ctx context.Context) (proc.Stop, error) { return v.s.Stepper.StepOut(ctx) })
}

// stepBack goes back by a line, without entering calls, or by an instruction.
func (v *server) stepBack(ctx context.Context, args dap.StepBackArguments) (any, error) {
	return nil, v.back(ctx, way{reason: reasonStep, title: "Going back", through: v.ofThread(args.ThreadId, func(ctx context.Context) (proc.Stop, error) {
		if args.Granularity == byInstruction {
			_, err := v.s.Timeline.Backward(ctx, func(*history.View) bool { return true })
			return v.s.Timeline.StopAt(proc.Stepped, err)
		}
		return v.s.Stepper.StepBack(ctx, "over", 1)
	})})
}

// step begins a step of a thread.
func (v *server) step(ctx context.Context, thread int, through func(context.Context) (proc.Stop, error)) error {
	return v.start(ctx, way{reason: reasonStep, through: v.ofThread(thread, through)})
}

// ofThread returns the way of a thread, 0 for the current one.
func (v *server) ofThread(thread int, through func(context.Context) (proc.Stop, error)) func(context.Context) (proc.Stop, error) {
	return func(ctx context.Context) (proc.Stop, error) {
		if now, err := v.s.Target.View.CurrentThread(); thread != 0 && err == nil && now != thread {
			if err := v.s.Target.View.SetCurrentThread(thread); err != nil {
				return proc.Stop{}, err
			}
		}
		return through(ctx)
	}
}

// pause stops the process; the client is told of the stop as of any other.
func (v *server) pause(ctx context.Context, _ dap.PauseArguments) (any, error) {
	switch {
	case v.s == nil:
		return nil, errNoTarget
	case v.exited:
		return nil, errExited
	case v.Role == session.Mirror:
		return nil, errMirror
	case v.running == nil && v.s.State().Status == session.Stopped:
		v.later = append(v.later, func() { v.tellStop(v.s.State(), nil) })
		return nil, nil
	}
	return nil, v.pauseRunning(ctx)
}

func (v *server) pauseRunning(ctx context.Context) error {
	outcome, err := v.s.Pause(ctx)
	v.later = append(v.later, func() { v.tellOutcome(outcome) })
	return err
}

// betweenRuns calls f while the process is stopped. A process that this client
// lets run is paused for it and runs on.
func (v *server) betweenRuns(ctx context.Context, f func() error) error {
	r := v.running
	switch {
	case r == nil:
		return v.locked(ctx, f)
	case !r.again:
		return errRunning
	}
	outcome, err := v.s.Pause(ctx)
	if err != nil {
		return err
	}
	var end ended
	select {
	case end = <-v.ended:
	case <-ctx.Done():
		return errors.Join(errRunning, context.Cause(ctx)) // it is stuck in the kernel
	}
	v.tellOutcome(outcome)
	_, v.seen, _ = v.s.LastStop()
	if end.err != nil || v.s.State().Reason != session.Reasons[proc.Paused] {
		v.ended <- end // it had stopped by itself, which the client is told of next
		return v.locked(ctx, f)
	}
	err = v.locked(ctx, f)
	v.tellOutcome(end.outcome)
	r.cancel()
	r.progress.end()
	v.running = nil
	startErr := v.start(ctx, r.way)
	if startErr != nil { // the client believes that the process runs
		v.later = append(v.later, func() { v.tellStop(v.s.State(), nil) })
	}
	return errors.Join(err, startErr)
}
