package debugger

import (
	"context"
	"math"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/ptrace"
	"github.com/triptych-mcp/triptych/mcp"
)

// defaultWait is how long a call waits for the process to stop.
const defaultWait = 10 * time.Second

// waitArg is in the arguments of every tool that lets the process run.
type waitArg struct {
	WaitMS *int `json:"wait_ms" min:"0" max:"60000" doc:"How many milliseconds to wait for the stop, 10000 if not given; after that the process runs on and the answer says that it is running"`
}

func (a waitArg) wait() time.Duration {
	if a.WaitMS == nil {
		return defaultWait
	}
	return time.Duration(*a.WaitMS) * time.Millisecond
}

// moved is the answer of the tools that let the process run.
type moved struct {
	State  state  `json:"state"`
	Output string `json:"output,omitempty" doc:"What a launched program has written since the last answer"`
}

// resume lets the process run, or waits on if it runs. How an operation ended
// that nobody was told of is told first.
func (t *controlGroup) resume(ctx context.Context, call *mcp.Call, s *session, args continueArgs) (moved, error) {
	if err := s.movable(); err != nil {
		return moved{}, err
	}
	op := s.untold()
	if op == nil {
		if err := s.ready(); err != nil {
			return moved{}, err
		}
		way, err := t.way(s, args)
		if err != nil {
			return moved{}, err
		}
		op = s.begin(way)
	}
	return s.await(ctx, call, op, args.wait())
}

// onward goes on to the next breakpoint: in the past to one in it, or to the
// present; at the present the process runs.
func (s *stepper) onward(ctx context.Context) (proc.Stop, error) {
	if s.inPast() || s.process == nil {
		_, stop, err := s.replay(ctx, math.MaxUint64)
		if stop.Why == proc.Stepped {
			stop.Why = atPresent
		}
		return stop, err
	}
	if _, err := s.record(); err != nil {
		s.log.Warn("there is no history", "err", err)
	}
	return s.freely(ctx)
}

// A client waits for an operation.
type client interface {
	// Left is closed when the client waits no more.
	InputClosed() <-chan struct{}
	// Progress tells it what has happened so far.
	Progress(ctx context.Context, progress, total float64, message string)
}

// move lets the process do something and waits for its end.
func (s *session) move(ctx context.Context, call client, wait time.Duration, f func(context.Context) (proc.Stop, error)) (moved, error) {
	return s.await(ctx, call, s.begin(f), wait)
}

// farewell is how long a process is waited for when the client has left. Clients
// that wait for our end give us 2 seconds.
const farewell = time.Second

// await waits until the process stands still, for so long. The end of ctx
// stops the process.
func (s *session) await(ctx context.Context, call client, op *operation, wait time.Duration) (moved, error) {
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
			return moved{State: s.state(), Output: s.written()}, nil
		case <-left:
			left = nil
			timer.Reset(min(farewell, max(0, wait-time.Since(began))))
		case <-ticker.C:
			call.Progress(ctx, time.Since(began).Seconds(), wait.Seconds(), s.progress())
		case <-ctx.Done():
			return moved{}, s.interrupt(ctx, op)
		}
	}
}

// progress says what the process is doing.
func (s *session) progress() string {
	if n := s.recorded.Load(); n > 0 {
		return thousands(n) + " instructions recorded"
	}
	return "The process is running"
}

// outcome is how an operation ended.
func (s *session) outcome(op *operation) (moved, error) {
	now := s.tell()
	switch {
	case op.err != nil:
		return moved{}, op.err
	case now.Status != exited && s.life.Err() != nil:
		return moved{}, errClosed
	}
	return moved{State: now, Output: s.written()}, nil
}

// stopTime is how long a process may take to stop. It is much more than that
// unless the process is stuck in the kernel.
const stopTime = 5 * time.Second

// interrupt ends an operation that nobody waits for any more. That it was
// paused is no news then; another reason is told to who asks next.
func (s *session) interrupt(ctx context.Context, op *operation) error {
	op.cancel()
	select {
	case <-op.done:
		if s.state().Reason == reasons[proc.Paused] {
			s.tell()
		}
	case <-time.After(stopTime):
	}
	return ctx.Err()
}

// written is what a launched program has written since the last answer.
func (s *session) written() string {
	if s.output == nil {
		return ""
	}
	if _, ended := s.end(); ended {
		s.output.await()
	}
	return s.output.text()
}

type pauseArgs struct{ sessionArg }

// pause stops the process. It overtakes the call that waits for it.
func (t *controlGroup) pause(ctx context.Context, call *mcp.Call, args pauseArgs) (moved, error) {
	s, err := t.sessions.find(call.StateKey(), args.Session)
	if err != nil {
		return moved{}, err
	}
	t.sessions.touch(s)
	answer, err := s.pause(ctx)
	return answer, t.sessions.afterwards(s, err)
}

func (s *session) pause(ctx context.Context) (moved, error) {
	op := s.operation()
	if err := s.alive(); op == nil && err != nil {
		return moved{}, err
	}
	if op == nil || op.over() {
		return s.moor(ctx)
	}
	op.cancel()
	select {
	case <-op.done:
		return s.outcome(op)
	case <-ctx.Done():
		return moved{}, ctx.Err()
	case <-time.After(stopTime):
		return moved{State: s.state()}, nil // running, as it says
	}
}

// moor stops a process that runs on by itself, and is where another one stands.
func (s *session) moor(ctx context.Context) (moved, error) {
	_, leave, err := s.enter(ctx)
	if err != nil {
		return moved{}, err
	}
	defer leave()
	if s.state().Status == running && s.ready() == nil {
		s.process.Pause()
		s.forget()
		s.stale = true
		s.settle(s.here())
	}
	return moved{State: s.tell(), Output: s.written()}, nil
}

// toMain lets a program that was just launched run to its main function, or to
// its entry point if that is not known: the loader has mapped all libraries by
// then.
func (t *controlGroup) toMain(ctx context.Context, call *mcp.Call, s *session, _ launchArgs) (launched, error) {
	if at := s.mainFunction(ctx); at != 0 {
		answer, reached, err := t.toPlace(ctx, call, s, at)
		if reached {
			answer.place = answer.State.Function
		}
		return answer, err
	}
	answer, reached, err := t.toPlace(ctx, call, s, s.entryPoint())
	if reached {
		answer.place = "the program's entry point"
		answer.State.Note = noMain
	}
	return answer, err
}

// noMain is the note of a launch that found no main function.
const noMain = "no function main is known, since the program has no symbols for it"

// toPlace lets a program that was just launched run to an address, unless it
// stands there; one of 0 is never reached.
func (t *controlGroup) toPlace(ctx context.Context, call *mcp.Call, s *session, at uint64) (answer launched, reached bool, err error) {
	if here := s.here().Address; at == 0 || at == here {
		return launched{State: s.tell()}, at == here, nil
	}
	moved, err := s.move(ctx, call, defaultWait, func(ctx context.Context) (proc.Stop, error) {
		stop, _, err := s.runTo(ctx, proc.BreakpointSpec{Address: at})
		return stop, err
	})
	now := moved.State
	return launched{State: now}, now.Status == stopped && now.Reason == reasons[proc.Stepped], err
}

// entryPoint is where the loader hands over to the program, 0 when nobody knows.
func (s *inspector) entryPoint() uint64 {
	auxv, _ := s.process.AuxV()
	at, _ := ptrace.Auxiliary(auxv, ptrace.AuxEntry)
	return at
}

// mainFunction is where the program's own code begins, 0 when nobody knows.
func (s *inspector) mainFunction(ctx context.Context) uint64 {
	for _, name := range []string{"main.main", "main"} {
		places, _ := s.program.Entry(ctx, name)
		for _, at := range places {
			if images := s.program.Images(); len(images) > 0 && at.Image == s.executable() {
				return at.Addr
			}
		}
	}
	return 0
}

// runTo lets the process run to a place of its own; it may stop elsewhere.
func (s *stepper) runTo(ctx context.Context, spec proc.BreakpointSpec) (stop proc.Stop, reached bool, err error) {
	spec.Once = true
	bp, err := s.process.SetBreakpoint(spec)
	if err != nil {
		return proc.Stop{}, false, err
	}
	stop, err = s.freely(ctx)
	if err == nil && stop.Why == proc.AtBreakpoint && stop.Breakpoint == bp.ID {
		stop.Why, stop.Breakpoint = proc.Stepped, 0
		return stop, true, nil
	}
	_ = s.process.ClearBreakpoint(bp.ID) // it is gone if the process is
	return stop, false, err
}
