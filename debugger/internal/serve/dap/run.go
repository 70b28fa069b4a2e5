package dap

import (
	"context"
	"errors"
	"math"
	"time"

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

// moves answers the requests that let the session move, and tells the client of its stops
// and of its end.
type moves struct {
	client      *client
	breakpoints *breakpoints
	looks       *looks

	running *running // an operation of this client, else nil
	ended   chan ended
	moving  bool      // the client was told that others let the process run
	closeAt time.Time // when a client of an ended session is disconnected; zero for none
}

// start lets the session move; the client is told of its stop. It does not
// hold the gate meanwhile: others learn that the process is running.
func (m *moves) start(ctx context.Context, w way) error {
	return m.client.locked(ctx, func() error {
		if err := m.client.requireDriver(); err != nil {
			return err
		}
		m.begun(w, m.client.s.BeginLimited(w.back, w.through))
		return nil
	})
}

// begun waits for the end of an operation on a goroutine.
func (m *moves) begun(w way, op *session.Operation) {
	ctx, cancel := context.WithCancel(context.Background())
	r := &running{way: w, cancel: cancel, progress: m.client.newProgress(w.title)}
	m.running, m.looks.now = r, look{threads: m.looks.now.threads}
	go func() {
		outcome, err := m.client.s.Await(ctx, r.progress, op, math.MaxInt64)
		m.ended <- ended{outcome, err}
	}()
}

// finished tells the client how its operation has ended.
func (m *moves) finished(ctx context.Context, end ended) {
	r := m.running
	m.running = nil
	r.cancel()
	r.progress.end()
	if m.client.exited {
		return
	}
	m.client.tellOutcome(end.outcome)
	state := m.client.s.State()
	switch {
	case errors.Is(end.err, session.ErrClosed), m.client.s.Inspector.Life.Err() != nil:
		m.sessionEnded()
		return
	case state.Status == session.Exited:
		m.sessionEnded()
		if err := m.endExited(); err != nil {
			m.client.output("stderr", "triptych: "+err.Error()+"\n")
		}
		return
	case end.err != nil:
		m.client.output("stderr", "triptych: "+end.err.Error()+"\n")
	}
	m.tellStop(state, r)
	m.breakpoints.retry(ctx)
}

// forward goes on to the next breakpoint, signal or the end; at the present it
// records if the client wants that.
func (m *moves) forward() way {
	return way{again: true, through: func(ctx context.Context) (proc.Stop, error) {
		if m.client.config.Record && m.client.s.Target.Process != nil {
			return m.client.s.Stepper.Record(ctx, 0, 0)
		}
		return m.client.s.Stepper.Continue(ctx)
	}}
}

// resume answers continue.
func (m *moves) resume(ctx context.Context, _ dap.ContinueArguments) (any, error) {
	w := m.forward()
	if m.client.config.Record {
		w.title = "Recording"
	}
	return dap.ContinueResponseBody{AllThreadsContinued: true}, m.start(ctx, w)
}

// reverseContinue goes back to the last breakpoint or to the beginning.
func (m *moves) reverseContinue(ctx context.Context, _ dap.ReverseContinueArguments) (any, error) {
	return nil, m.back(ctx, way{title: "Going back", again: true, through: func(ctx context.Context) (proc.Stop, error) {
		return m.client.s.Stepper.ReverseContinue(ctx)
	}})
}

// back begins a way back, which ends at once where nothing was recorded before.
func (m *moves) back(ctx context.Context, w way) error {
	through := w.through
	w.back = true
	w.through = func(ctx context.Context) (proc.Stop, error) {
		h := m.client.s.Target.History
		if h.View().Position() == h.Oldest() {
			return m.client.s.Timeline.StopAt(stepping.AtBeginning, nil)
		}
		return through(ctx)
	}
	if err := m.client.locked(ctx, func() error { _, err := m.client.s.Timeline.Require(); return err }); err != nil {
		return err
	}
	return m.start(ctx, w)
}

// granularities of steps.
const byInstruction = "instruction"

// next steps over calls.
func (m *moves) next(ctx context.Context, args dap.NextArguments) (any, error) {
	return nil, m.step(ctx, args.ThreadId, func(ctx context.Context) (proc.Stop, error) {
		if args.Granularity == byInstruction {
			return m.client.s.Stepper.StepInstruction(ctx)
		}
		return m.client.s.Stepper.StepLine(ctx, false)
	})
}

// stepIn steps into functions that are called.
func (m *moves) stepIn(ctx context.Context, args dap.StepInArguments) (any, error) {
	return nil, m.step(ctx, args.ThreadId, func(ctx context.Context) (proc.Stop, error) {
		if args.Granularity == byInstruction {
			return m.client.s.Stepper.Forward(ctx, 1)
		}
		return m.client.s.Stepper.StepLine(ctx, true)
	})
}

// stepOut runs until the function has returned.
func (m *moves) stepOut(ctx context.Context, args dap.StepOutArguments) (any, error) {
	return nil, m.step(ctx, args.ThreadId, func(ctx context.Context) (proc.Stop, error) { return m.client.s.Stepper.StepOut(ctx) })
}

// stepBack goes back by a line, without entering calls, or by an instruction.
func (m *moves) stepBack(ctx context.Context, args dap.StepBackArguments) (any, error) {
	return nil, m.back(ctx, way{reason: reasonStep, title: "Going back", through: m.ofThread(args.ThreadId, func(ctx context.Context) (proc.Stop, error) {
		if args.Granularity == byInstruction {
			_, err := m.client.s.Timeline.Backward(ctx, func(*history.View) bool { return true })
			return m.client.s.Timeline.StopAt(proc.Stepped, err)
		}
		return m.client.s.Stepper.StepBack(ctx, "over", 1)
	})})
}

// step begins a step of a thread.
func (m *moves) step(ctx context.Context, thread int, through func(context.Context) (proc.Stop, error)) error {
	return m.start(ctx, way{reason: reasonStep, through: m.ofThread(thread, through)})
}

// ofThread returns the way of a thread, 0 for the current one.
func (m *moves) ofThread(thread int, through func(context.Context) (proc.Stop, error)) func(context.Context) (proc.Stop, error) {
	return func(ctx context.Context) (proc.Stop, error) {
		if now, err := m.client.s.Target.View.CurrentThread(); thread != 0 && err == nil && now != thread {
			if err := m.client.s.Target.View.SetCurrentThread(thread); err != nil {
				return proc.Stop{}, err
			}
		}
		return through(ctx)
	}
}

// pause stops the process; the client is told of the stop as of any other.
func (m *moves) pause(ctx context.Context, _ dap.PauseArguments) (any, error) {
	switch {
	case m.client.s == nil:
		return nil, errNoTarget
	case m.client.exited:
		return nil, errExited
	case m.client.Role == session.Mirror:
		return nil, errMirror
	case m.running == nil && m.client.s.State().Status == session.Stopped:
		m.client.later = append(m.client.later, func() { m.tellStop(m.client.s.State(), nil) })
		return nil, nil
	}
	return nil, m.pauseRunning(ctx)
}

func (m *moves) pauseRunning(ctx context.Context) error {
	outcome, err := m.client.s.Pause(ctx)
	m.client.later = append(m.client.later, func() { m.client.tellOutcome(outcome) })
	return err
}

// betweenRuns calls f while the process is stopped. A process that this client
// lets run is paused for it and runs on.
func (m *moves) betweenRuns(ctx context.Context, f func() error) error {
	r := m.running
	switch {
	case r == nil:
		return m.client.locked(ctx, f)
	case !r.again:
		return errRunning
	}
	outcome, err := m.client.s.Pause(ctx)
	if err != nil {
		return err
	}
	var end ended
	select {
	case end = <-m.ended:
	case <-ctx.Done():
		return errors.Join(errRunning, context.Cause(ctx)) // it is stuck in the kernel
	}
	m.client.tellOutcome(outcome)
	_, m.client.seen, _ = m.client.s.LastStop()
	if end.err != nil || m.client.s.State().Reason != session.Reasons[proc.Paused] {
		m.ended <- end // it had stopped by itself, which the client is told of next
		return m.client.locked(ctx, f)
	}
	err = m.client.locked(ctx, f)
	m.client.tellOutcome(end.outcome)
	r.cancel()
	r.progress.end()
	m.running = nil
	startErr := m.start(ctx, r.way)
	if startErr != nil { // the client believes that the process runs
		m.client.later = append(m.client.later, func() { m.tellStop(m.client.s.State(), nil) })
	}
	return errors.Join(err, startErr)
}
