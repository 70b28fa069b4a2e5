package session

import (
	"context"
	"errors"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/limits/worktime"
	"github.com/triptych-mcp/triptych/debugger/internal/session/failure"
)

// stopTime bounds the wait for a process to stop. Only a process that is stuck
// in the kernel takes so long.
const stopTime = 5 * time.Second

// interrupt cancels an operation whose caller has gone. A pause is then
// reported already; any other stop is left for the next caller.
func (s *Session) interrupt(ctx context.Context, op *Operation) error {
	op.cancel()
	select {
	case <-op.done:
		if s.State().Reason == Reasons[proc.Paused] {
			s.ReportedState()
		}
	case <-time.After(stopTime):
	}
	return ctx.Err()
}

// An Operation is a run of the process, which may outlast the call that began it.
type Operation struct {
	travel   *worktime.Work     // of a move through recorded history, nil for a run of the process
	cancel   context.CancelFunc // stops the process
	done     chan struct{}      // closed when the process has stopped
	err      error              // valid after done is closed
	reported bool               // a caller was told how it ended; guarded by Session.mu
}

// Explain returns the error of a work. If the time of the work was used up, it says how far the
// work came, and how to go on.
func Explain(w *worktime.Work, err error) error {
	err = w.Explain(err)
	if used, ok := errors.AsType[*worktime.UsedUpError](err); ok {
		return failure.Errorf("Search time used up", "%v", used)
	}
	return err
}

// Done reports whether the operation has ended.
func (o *Operation) Done() bool {
	select {
	case <-o.done:
		return true
	default:
		return false
	}
}

// Begin starts an operation: f runs until the process has stopped. The caller
// holds the gate, and no other operation is in progress.
func (s *Session) Begin(f func(ctx context.Context) (proc.Stop, error)) *Operation {
	ctx, cancel := context.WithCancel(s.Inspector.Life)
	return s.begin(ctx, &Operation{cancel: cancel, done: make(chan struct{})}, f)
}

// BeginTravel is Begin for a move through recorded history, which may take as much time as the
// work of a call may.
func (s *Session) BeginTravel(call context.Context, f func(ctx context.Context) (proc.Stop, error)) *Operation {
	ctx, cancel := context.WithCancel(s.Inspector.Life)
	work := worktime.Of(call).Beside(ctx)
	return s.begin(work.Context(), &Operation{travel: work, cancel: cancel, done: make(chan struct{})}, f)
}

// BeginLimited begins an operation of a client that is no call of a tool. Where it moves through
// recorded history, as back says or the position, it may take as long as a call may.
func (s *Session) BeginLimited(back bool, f func(ctx context.Context) (proc.Stop, error)) *Operation {
	if !back && !s.Travels() {
		return s.Begin(f)
	}
	ctx, cancel := context.WithCancel(s.Inspector.Life)
	work := s.work.Begin(ctx, s.Key)
	return s.begin(work.Context(), &Operation{travel: work, cancel: cancel, done: make(chan struct{})}, f)
}

// Limit makes a search of such a client end as a call of a tool does. The caller must call done
// with the error of the search, which returns the error for the client.
func (s *Session) Limit(ctx context.Context) (inside context.Context, done func(error) error) {
	work := s.work.Begin(ctx, s.Key)
	return work.Context(), func(err error) error {
		work.End()
		return Explain(work, err)
	}
}

// Travels reports whether a move forward goes through recorded history.
func (s *Session) Travels() bool { return s.Timeline.InPast() || s.Target.Process == nil }

// begin starts an operation with its context.
func (s *Session) begin(ctx context.Context, op *Operation, f func(ctx context.Context) (proc.Stop, error)) *Operation {
	s.mu.Lock()
	s.op, s.now, s.Timeline.Notes = op, s.now.running(), nil
	s.mu.Unlock()
	s.wg.Go(func() {
		defer close(op.done)
		defer op.cancel()
		defer op.travel.End()
		stop, err := f(ctx)
		if err == nil && stop.Why == proc.Paused {
			err = op.travel.UsedUp()
		}
		err = Explain(op.travel, err)
		s.Stepper.Maps.Stale = true
		if ended, ok := s.Target.ExitStop(); ok {
			stop, err = ended, nil
		}
		op.err = err
		s.RecordStop(stop)
	})
	return op
}

// RecordStop makes the state that of a stop. One without a reason stands for
// the current position after an error.
func (s *Session) RecordStop(stop proc.Stop) {
	if stop.Why == 0 {
		stop = s.Target.CurrentStop()
	}
	now := s.Describe(stop)
	s.mu.Lock()
	s.now = now
	s.follow.recordLocked(stop)
	s.mu.Unlock()
}

// operation returns the last operation, nil before the first.
func (s *Session) operation() *Operation {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.op
}

// UnreportedOperation returns the last operation if no caller has been told
// how it ended, else nil.
func (s *Session) UnreportedOperation() *Operation {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.op == nil || s.op.reported {
		return nil
	}
	return s.op
}
