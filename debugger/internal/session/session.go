package session

import (
	"context"
	"errors"
	"reflect"
	"sync"
	"syscall"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/limits/worktime"
	"github.com/triptych-mcp/triptych/debugger/internal/session/failure"
	"github.com/triptych-mcp/triptych/debugger/internal/session/inspect"
	"github.com/triptych-mcp/triptych/debugger/internal/session/sourcefile"
	"github.com/triptych-mcp/triptych/debugger/internal/session/stepping"
	"github.com/triptych-mcp/triptych/debugger/internal/session/target"
)

// A Session is one process, core file or trace that one client debugs.
//
// One call at a time holds the gate and may use the process. A run of the
// process is an operation, which may outlast the call that began it. While an
// operation is in progress, other calls may only cancel it (Pause) or end the
// session.
type Session struct {
	// What is debugged, read and moved. They are owned by the call that holds the gate, or
	// by the operation.
	Target      *target.Target
	Inspector   *inspect.Inspector
	Timeline    *stepping.Timeline    // of the Stepper
	Breakpoints *stepping.Breakpoints // of the Stepper
	Stepper     *stepping.Stepper

	ID, Key string
	Parent  string // the session of the process that has created this one, "" for none
	AtEntry bool   // a program that was launched stopped before main
	drifts  bool   // the process runs on by itself after MaxStop

	span   func(context.Context, string) (context.Context, func(error)) // see [Config]
	cancel context.CancelFunc
	work   *worktime.Accounts
	wg     sync.WaitGroup
	gate   chan struct{}    // full while a call holds it
	source sourcefile.Cache // of the last stop; owned like the Stepper

	signals map[syscall.Signal]proc.Action // see SetSignal; owned like the Stepper

	mu       sync.Mutex
	now      State // as of the last stop
	reported State // by the last answer
	follow   follow
	op       *Operation
	closed   bool
	follows  proc.Follow
	timer    *time.Timer // ends an idle session
}

// Work returns the accounts of the time for which calls replay and search.
func (s *Session) Work() *worktime.Accounts { return s.work }

// Acquire waits for the gate. The context that it returns also ends with the
// session; the caller must call the returned function to release the gate.
func (s *Session) Acquire(ctx context.Context) (context.Context, func(), error) {
	select {
	case s.gate <- struct{}{}:
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
	ctx, cancel := context.WithCancel(ctx)
	unhook := context.AfterFunc(s.Inspector.Life, cancel)
	leave := func() {
		unhook()
		cancel()
		<-s.gate
	}
	if s.Inspector.Life.Err() != nil {
		leave()
		return nil, nil, ErrClosed
	}
	return ctx, leave, nil
}

// AcquireIdle is like [Session.Acquire], and waits until no operation runs either. Operations
// read breakpoints without the gate.
func (s *Session) AcquireIdle(ctx context.Context) (context.Context, func(), error) {
	for {
		inside, leave, err := s.Acquire(ctx)
		op := s.operation()
		if err != nil || op == nil || op.Done() {
			return inside, leave, err
		}
		leave()
		select {
		case <-op.done:
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		case <-s.Inspector.Life.Done():
			return nil, nil, ErrClosed
		}
	}
}

// ErrClosed is returned if the session ended during a call.
var ErrClosed = failure.NotAttached("the session has just ended")

// RequireIdle returns an error unless the process is stopped and no operation
// is in progress.
func (s *Session) RequireIdle() error {
	if op := s.operation(); op != nil && !op.Done() {
		if op.travel != nil {
			return failure.ErrTraveling
		}
		return failure.ErrRunning
	}
	if s.State().Status == Exited {
		return proc.ErrExited
	}
	return nil
}

// RequireStopped returns an error unless the process can be read, and brings
// the symbols up to date.
func (s *Session) RequireStopped() error {
	if err := s.RequireIdle(); err != nil {
		return err
	}
	if s.State().Status == Running { // by itself
		return failure.ErrRunning
	}
	return s.Stepper.Maps.Refresh()
}

// State returns the state as of the last stop, or running.
func (s *Session) State() State {
	s.mu.Lock()
	now := s.now
	s.mu.Unlock()
	return s.withDrift(now)
}

// withDrift is the state of a process that may have run on by itself after
// MaxStop, or that a signal keeps from running.
func (s *Session) withDrift(now State) State {
	if now.Status == Running && s.Target.Process != nil {
		if signal := s.Target.Process.Halted(); signal != 0 {
			now.Signal = signalName(signal)
		}
	}
	if !s.drifts || now.Status != Stopped {
		return now
	}
	if _, err := s.Target.Process.CurrentThread(); errors.Is(err, proc.ErrRunning) {
		now = now.running()
		now.Note = "it had stood still for too long and runs on by itself, without its breakpoints"
	}
	return now
}

// ReportedState returns the state and marks the last operation as reported.
func (s *Session) ReportedState() State {
	now, _ := s.report()
	return now
}

// ChangedState is ReportedState for answers of look-ups: nil if the caller has
// been told this state already.
func (s *Session) ChangedState() *State {
	now, changed := s.report()
	if !changed {
		return nil
	}
	return &now
}

// report returns the state and whether it differs from the one reported before.
func (s *Session) report() (now State, changed bool) {
	s.mu.Lock()
	if s.op != nil && s.op.Done() {
		s.op.reported = true
	}
	now = s.now
	s.mu.Unlock()
	now = s.withDrift(now)
	s.mu.Lock()
	defer s.mu.Unlock()
	changed = !reflect.DeepEqual(now, s.reported)
	s.reported = now
	return now, changed
}

// Reported returns the state as the caller knows it.
func (s *Session) Reported() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reported
}

// SetReported makes a state the one that the caller knows. A call that fails
// puts back what the caller knew before, as its answer has no state.
func (s *Session) SetReported(known State) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reported = known
}

// close releases the target and waits for all goroutines of the session. It is
// called once, by a goroutine that does not hold the gate.
func (s *Session) close(ctx context.Context, kill bool) error {
	s.mu.Lock()
	s.closed = true
	s.timer.Stop()
	s.mu.Unlock()
	s.cancel()
	var err error
	if s.Target.Process != nil { // a file stays open until no call reads it
		err = s.Target.Release(ctx, kill)
	}
	s.gate <- struct{}{} // calls that hold it return, as the process is gone
	<-s.gate
	s.wg.Wait()
	s.Timeline.Close()
	if s.Target.Process == nil {
		err = s.Target.Release(ctx, false)
	}
	err = errors.Join(err, s.Inspector.Program.Close())
	s.Target.Account.Close()
	return err
}
