package session

import (
	"context"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/proc"
)

// stopTime is how long a process may take to stop. It is much more than that
// unless the process is stuck in the kernel.
const stopTime = 5 * time.Second

// interrupt ends an operation that nobody waits for any more. That it was
// paused is no news then; another reason is told to who asks next.
func (s *Session) interrupt(ctx context.Context, op *operation) error {
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

// An operation is the process on the move.
type operation struct {
	cancel   context.CancelFunc // makes it stop
	done     chan struct{}      // closed when it stands still
	err      error              // valid then
	reported bool               // somebody was told how it ended; session.mu
}

// Done says whether the process stands still again.
func (o *operation) Done() bool {
	select {
	case <-o.done:
		return true
	default:
		return false
	}
}

// Begin moves the process: f runs until the process stands still and says why.
// It expects the gate, and that nothing moves.
func (s *Session) Begin(f func(ctx context.Context) (proc.Stop, error)) *operation {
	ctx, cancel := context.WithCancel(s.Life)
	op := &operation{cancel: cancel, done: make(chan struct{})}
	s.mu.Lock()
	s.op, s.now, s.Notes = op, s.now.running(), nil
	s.mu.Unlock()
	s.wg.Go(func() {
		defer close(op.done)
		defer cancel()
		stop, err := f(ctx)
		s.Stale = true
		if ended, ok := s.ExitStop(); ok {
			stop, err = ended, nil
		}
		op.err = err
		s.RecordStop(stop)
	})
	return op
}

// RecordStop takes over where the process stands. A stop without a reason is where
// it stands after something went wrong.
func (s *Session) RecordStop(stop proc.Stop) {
	if stop.Why == 0 {
		stop = s.CurrentStop()
	}
	now := s.Describe(stop)
	s.mu.Lock()
	s.now = now
	s.mu.Unlock()
}

// operation is what was begun last, nil when nothing was.
func (s *Session) operation() *operation {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.op
}

// UnreportedOperation is an operation that ended without anybody being told, else nil.
func (s *Session) UnreportedOperation() *operation {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.op == nil || s.op.reported {
		return nil
	}
	return s.op
}
