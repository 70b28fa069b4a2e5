package session

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/failure"
	"github.com/triptych-mcp/triptych/debugger/internal/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/sourcefile"
	"github.com/triptych-mcp/triptych/debugger/internal/stepping"
)

// A Session is one process, core file or trace that one client debugs.
//
// One call at a time has the gate and may use the process. What moves the
// process is an operation, which may outlast the call that began it; while it
// is on, nobody else but Interrupt and Close touches the process.
type Session struct {
	*stepping.Stepper // of whoever has the gate or the operation

	ID, Key string
	drifts  bool // the process runs on by itself when it stands still for too long

	cancel context.CancelFunc
	wg     sync.WaitGroup
	gate   chan struct{}    // full while a call has the session
	source sourcefile.Cache // the file of the last stop; whoever has the gate or the operation

	mu     sync.Mutex
	now    State // as of the last stop
	op     *operation
	closed bool
	timer  *time.Timer // ends the session when nobody uses it
}

// Acquire waits until the caller has the session to itself. The context that it
// returns ends with the session, too.
func (s *Session) Acquire(ctx context.Context) (context.Context, func(), error) {
	select {
	case s.gate <- struct{}{}:
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
	ctx, cancel := context.WithCancel(ctx)
	unhook := context.AfterFunc(s.Life, cancel)
	leave := func() {
		unhook()
		cancel()
		<-s.gate
	}
	if s.Life.Err() != nil {
		leave()
		return nil, nil, ErrClosed
	}
	return ctx, leave, nil
}

// ErrClosed says that the session ended while somebody waited for it.
var ErrClosed = failure.NotAttached("the session has just ended")

// RequireIdle says whether the process stands still and may be moved.
func (s *Session) RequireIdle() error {
	if op := s.operation(); op != nil && !op.Done() {
		return failure.ErrRunning
	}
	if s.State().Status == Exited {
		return proc.ErrExited
	}
	return nil
}

// RequireStopped says whether the process may be looked at.
func (s *Session) RequireStopped() error {
	if err := s.RequireIdle(); err != nil {
		return err
	}
	if s.State().Status == Running { // by itself
		return failure.ErrRunning
	}
	return s.Refresh()
}

// State is where the process stands.
func (s *Session) State() State {
	s.mu.Lock()
	now := s.now
	s.mu.Unlock()
	return s.withDrift(now)
}

// withDrift is the state of a process that may run by itself.
func (s *Session) withDrift(now State) State {
	if !s.drifts || now.Status != Stopped {
		return now
	}
	if _, err := s.Process.CurrentThread(); errors.Is(err, proc.ErrRunning) {
		now = now.running()
		now.Note = "it had stood still for too long and runs on by itself, without its breakpoints"
	}
	return now
}

// ReportedState is state for a caller, who then knows how the operation ended.
func (s *Session) ReportedState() State {
	s.mu.Lock()
	if s.op != nil && s.op.Done() {
		s.op.reported = true
	}
	now := s.now
	s.mu.Unlock()
	return s.withDrift(now)
}

// close lets the process go, or ends it, and waits for all that the session
// has started. It is called once, and not by who has the gate.
func (s *Session) close(ctx context.Context, kill bool) error {
	s.mu.Lock()
	s.closed = true
	s.timer.Stop()
	s.mu.Unlock()
	s.cancel()
	var err error
	if s.Process != nil { // a file must stay open for as long as it is looked at
		err = s.Release(ctx, kill)
	}
	s.gate <- struct{}{} // those who had it have found the process gone
	<-s.gate
	s.wg.Wait()
	if s.Output != nil {
		s.Output.Discard()
	}
	if s.Process == nil {
		err = s.Release(ctx, false)
	}
	return errors.Join(err, s.Program.Close())
}
