package debugger

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/symbols"
)

// A session is one process, core file or trace that one client debugs.
//
// One call at a time has the gate and may use the process. What moves the
// process is an operation, which may outlast the call that began it; while it
// is on, nobody else but Interrupt and Close touches the process.
type session struct {
	*stepper // of whoever has the gate or the operation

	id, key string
	drifts  bool // the process runs on by itself when it stands still for too long

	cancel context.CancelFunc
	wg     sync.WaitGroup
	gate   chan struct{} // full while a call has the session
	shown  keptSource    // the file of the last stop; whoever has the gate or the operation

	mu     sync.Mutex
	now    state // as of the last stop
	op     *operation
	closed bool
	timer  *time.Timer // ends the session when nobody uses it
}

// An operation is the process on the move.
type operation struct {
	cancel context.CancelFunc // makes it stop
	done   chan struct{}      // closed when it stands still
	err    error              // valid then
	told   bool               // somebody was told how it ended; session.mu
}

// over says whether the process stands still again.
func (o *operation) over() bool {
	select {
	case <-o.done:
		return true
	default:
		return false
	}
}

// enter waits until the caller has the session to itself. The context that it
// returns ends with the session, too.
func (s *session) enter(ctx context.Context) (context.Context, func(), error) {
	select {
	case s.gate <- struct{}{}:
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
	ctx, cancel := context.WithCancel(ctx)
	unhook := context.AfterFunc(s.life, cancel)
	leave := func() {
		unhook()
		cancel()
		<-s.gate
	}
	if s.life.Err() != nil {
		leave()
		return nil, nil, errClosed
	}
	return ctx, leave, nil
}

// errClosed says that the session ended while somebody waited for it.
var errClosed = &notAttachedError{"the session has just ended"}

// begin moves the process: f runs until the process stands still and says why.
// It expects the gate, and that nothing moves.
func (s *session) begin(f func(ctx context.Context) (proc.Stop, error)) *operation {
	ctx, cancel := context.WithCancel(s.life)
	op := &operation{cancel: cancel, done: make(chan struct{})}
	s.mu.Lock()
	s.op, s.now, s.notes = op, s.now.running(), nil
	s.mu.Unlock()
	s.wg.Go(func() {
		defer close(op.done)
		defer cancel()
		stop, err := f(ctx)
		s.stale = true
		if ended, ok := s.end(); ok {
			stop, err = ended, nil
		}
		op.err = err
		s.settle(stop)
	})
	return op
}

// settle takes over where the process stands. A stop without a reason is where
// it stands after something went wrong.
func (s *session) settle(stop proc.Stop) {
	if stop.Why == 0 {
		stop = s.here()
	}
	now := s.describe(stop)
	s.mu.Lock()
	s.now = now
	s.mu.Unlock()
}

// operation is what was begun last, nil when nothing was.
func (s *session) operation() *operation {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.op
}

// ready says whether the process stands still and may be moved.
func (s *session) ready() error {
	if op := s.operation(); op != nil && !op.over() {
		return errRunning
	}
	if s.state().Status == exited {
		return proc.ErrExited
	}
	return nil
}

// look says whether the process may be looked at.
func (s *session) look() error {
	if err := s.ready(); err != nil {
		return err
	}
	if s.state().Status == running { // by itself
		return errRunning
	}
	return s.refresh()
}

// state is where the process stands.
func (s *session) state() state {
	s.mu.Lock()
	now := s.now
	s.mu.Unlock()
	return s.afloat(now)
}

// afloat is the state of a process that may run by itself.
func (s *session) afloat(now state) state {
	if !s.drifts || now.Status != stopped {
		return now
	}
	if _, err := s.process.CurrentThread(); errors.Is(err, proc.ErrRunning) {
		now = now.running()
		now.Note = "it had stood still for too long and runs on by itself, without its breakpoints"
	}
	return now
}

// tell is state for a caller, who then knows how the operation ended.
func (s *session) tell() state {
	s.mu.Lock()
	if s.op != nil && s.op.over() {
		s.op.told = true
	}
	now := s.now
	s.mu.Unlock()
	return s.afloat(now)
}

// untold is an operation that ended without anybody being told, else nil.
func (s *session) untold() *operation {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.op == nil || s.op.told {
		return nil
	}
	return s.op
}

// refresh makes the symbols know the maps as they are now.
func (s *stepper) refresh() error {
	if !s.stale {
		return nil
	}
	maps, err := s.maps()
	if err != nil {
		return err
	}
	if !slices.Equal(maps, s.mapped) {
		s.program.Update(mappings(maps), s.memory())
	}
	s.stale, s.mapped = false, maps
	return nil
}

// maps are those of the scene. The history of a process knows what its steps
// have mapped.
func (s *stepper) maps() (proc.Maps, error) {
	if s.process != nil && s.recorder != nil && !s.inPast() {
		if maps, ok := s.recorder.Mappings(); ok {
			return maps, nil
		}
	}
	return s.scene.Maps()
}

// mappings are maps as the symbols want them: files and the vdso.
func mappings(maps proc.Maps) []symbols.Mapping {
	var out []symbols.Mapping
	for _, m := range maps {
		if m.Path != "" {
			out = append(out, symbols.Mapping{Start: m.Start, End: m.End, Offset: m.Offset, Path: m.Path})
		}
	}
	return out
}

// finish lets the process go, or ends it, and waits for all that the session
// has started. It is called once, and not by who has the gate.
func (s *session) finish(ctx context.Context, kill bool) error {
	s.mu.Lock()
	s.closed = true
	s.timer.Stop()
	s.mu.Unlock()
	s.cancel()
	var err error
	if s.process != nil { // a file must stay open for as long as it is looked at
		err = s.letGo(ctx, kill)
	}
	s.gate <- struct{}{} // those who had it have found the process gone
	<-s.gate
	s.wg.Wait()
	if s.output != nil {
		s.output.abandon()
	}
	if s.process == nil {
		err = s.letGo(ctx, false)
	}
	return errors.Join(err, s.program.Close())
}
