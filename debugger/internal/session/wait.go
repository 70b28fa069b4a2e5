package session

import (
	"context"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/limits/worktime"
	"github.com/triptych-mcp/triptych/mcp/plain"
)

// A Client is the caller that waits for an operation.
type Client interface {
	// InputClosed is closed when the client will send nothing more.
	InputClosed() <-chan struct{}
	// Progress reports how far the operation is.
	Progress(ctx context.Context, progress, total float64, message string)
}

// Move begins an operation and waits for its end.
func (s *Session) Move(ctx context.Context, call Client, wait time.Duration, f func(context.Context) (proc.Stop, error)) (Outcome, error) {
	return s.Await(ctx, call, s.Begin(f), wait)
}

// Travel is Move for a move through recorded history, see BeginTravel.
func (s *Session) Travel(ctx context.Context, call Client, wait time.Duration, f func(context.Context) (proc.Stop, error)) (Outcome, error) {
	return s.Await(ctx, call, s.BeginTravel(ctx, f), wait)
}

// leftGrace bounds the wait for an operation after the client has closed its
// input. Clients give a server 2 seconds to exit.
const leftGrace = time.Second

// Await waits for the end of an operation, at most for the given time. If ctx
// ends, it cancels the operation.
func (s *Session) Await(ctx context.Context, call Client, op *Operation, wait time.Duration) (answer Outcome, err error) {
	ctx, end := s.Span(ctx, SpanRun)
	defer func() { end(err) }()
	defer worktime.Of(ctx).Wait(op.travel)()
	began := time.Now()
	timer := time.NewTimer(wait)
	defer timer.Stop()
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	left := call.InputClosed()
	for {
		select {
		case <-op.done:
			return s.outcome(op)
		default:
		}
		select {
		case <-op.done:
		case <-timer.C:
			return Outcome{State: s.State(), Output: s.takeOutput(), Logged: s.Breakpoints.Logged.Take()}, nil
		case <-left:
			left = nil
			timer.Reset(min(leftGrace, max(0, wait-time.Since(began))))
		case <-ticker.C:
			if op.travel != nil {
				op.report(ctx, call)
				continue
			}
			call.Progress(ctx, time.Since(began).Seconds(), wait.Seconds(), s.progress())
		case <-ctx.Done():
			return Outcome{}, s.interrupt(ctx, op)
		}
	}
}

// report reports how far a move through history is, unless the call that waits for it does.
func (o *Operation) report(ctx context.Context, call Client) {
	if worktime.Of(ctx) != nil {
		return
	}
	if at, total, message, ok := o.travel.Progress(); ok {
		call.Progress(ctx, at, total, message)
	}
}

// progress describes what the process is doing.
func (s *Session) progress() string {
	if n := s.Stepper.RecordedSteps.Load(); n > 0 {
		return plain.Thousands(n) + " instructions recorded"
	}
	return "The process is running"
}

// outcome returns how an operation ended, and marks it as reported.
func (s *Session) outcome(op *Operation) (Outcome, error) {
	now := s.ReportedState()
	switch {
	case op.err != nil:
		return Outcome{}, op.err
	case now.Status != Exited && s.Inspector.Life.Err() != nil:
		return Outcome{}, ErrClosed
	}
	return Outcome{State: now, Output: s.takeOutput(), Logged: s.Breakpoints.Logged.Take()}, nil
}

// AwaitOutput waits until a launched program has written something, has stopped, or ctx is done.
// Of a program that is stopped already, it waits for what other processes write.
func (s *Session) AwaitOutput(ctx context.Context) {
	op := s.UnreportedOperation()
	if op == nil {
		s.Target.Output.AwaitNew(ctx, nil)
		return
	}
	if s.Target.Output.AwaitNew(ctx, op.done); op.Done() {
		s.drainOutput()
	}
}

// takeOutput returns what a launched program has written since the last call.
func (s *Session) takeOutput() string {
	if s.Target.Output == nil {
		return ""
	}
	s.drainOutput()
	return s.Target.Output.Take()
}

// drainOutput reads what a program that is stopped has written.
func (s *Session) drainOutput() {
	if _, ended := s.Target.ExitStop(); ended {
		s.Target.Output.Wait()
	}
	s.Target.Output.Drain()
}

// Current returns the state without waiting.
func (s *Session) Current() Outcome {
	return Outcome{State: s.ReportedState(), Output: s.takeOutput(), Logged: s.Breakpoints.Logged.Take()}
}

func (s *Session) Pause(ctx context.Context) (Outcome, error) {
	op := s.operation()
	if err := s.Target.RequireProcess(); op == nil && err != nil {
		return Outcome{}, err
	}
	if op == nil || op.Done() {
		return s.pauseDrifting(ctx)
	}
	op.cancel()
	select {
	case <-op.done:
		return s.outcome(op)
	case <-ctx.Done():
		return Outcome{}, ctx.Err()
	case <-time.After(stopTime):
		return Outcome{State: s.State()}, nil // running, as it says
	}
}

// pauseDrifting stops a process that runs on by itself; of others it returns
// the state.
func (s *Session) pauseDrifting(ctx context.Context) (Outcome, error) {
	_, leave, err := s.Acquire(ctx)
	if err != nil {
		return Outcome{}, err
	}
	defer leave()
	if s.State().Status == Running && s.RequireIdle() == nil {
		s.Target.Process.Pause()
		s.Timeline.Drop()
		s.Stepper.Maps.Stale = true
		s.RecordStop(s.Target.CurrentStop())
	}
	return s.Current(), nil
}
