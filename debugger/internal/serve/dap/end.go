package dap

import (
	"context"
	"errors"
	"time"

	"github.com/google/go-dap"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
)

// disconnectArguments tell whether terminateDebuggee was given.
type disconnectArguments struct {
	Terminate *bool `json:"terminateDebuggee"`
}

// disconnect ends the conversation. The session of an owner ends: a process
// that was launched is killed unless the client wants it to run on, others run
// on.
func (v *server) disconnect(ctx context.Context, args disconnectArguments) (any, error) {
	v.over = true
	kill := args.Terminate == nil || *args.Terminate
	return nil, v.endSession(ctx, kill)
}

// terminate kills a launched process, and lets others run on.
func (v *server) terminate(ctx context.Context, _ dap.TerminateArguments) (any, error) {
	switch {
	case v.s == nil:
		return nil, errNoTarget
	case v.Role != session.Owner:
		return nil, errors.New("the session belongs to its agent; disconnect leaves it")
	}
	err := v.endSession(ctx, true)
	v.later = append(v.later, v.sessionEnded)
	return nil, err
}

// leave ends the session of an owner that has gone without a word, and clears
// the breakpoints of others.
func (v *server) leave(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	v.begins.Wait()
	err := v.endSession(ctx, true)
	v.awaitEnd()
	if v.Role != session.Owner {
		v.breakpoints.clear(v)
	}
	return err
}

// awaitEnd waits for the end of an operation whose session has ended.
func (v *server) awaitEnd() {
	if v.running == nil {
		return
	}
	v.running.cancel()
	<-v.ended
	v.running.progress.end()
	v.running = nil
}

// endSession ends the session of an owner, by a call of a tool. A second call
// does nothing.
func (v *server) endSession(ctx context.Context, kill bool) error {
	if v.s == nil || v.Role != session.Owner || v.s.Inspector.Life.Err() != nil {
		return nil
	}
	if _, ended := v.s.Target.ExitStop(); ended {
		return v.endExited()
	}
	args := map[string]any{"session": v.s.ID}
	if kill && v.s.Target.Launched() {
		args["kill"] = true
	}
	if _, err := v.Call(context.WithoutCancel(ctx), "debugger/detach", args); err != nil && v.s.Inspector.Life.Err() == nil {
		return err
	}
	return nil
}

// endExited ends a session whose process has exited, which the client was told.
func (v *server) endExited() error {
	v.s.ReportedState()
	err := v.sessions.EndIfExited(v.s, nil)
	if errors.Is(err, proc.ErrExited) || errors.Is(err, session.ErrClosed) {
		return nil
	}
	return err
}

// sessionEnd is closed when the session has ended; nil before it has begun or
// when the client was told.
func (v *server) sessionEnd() <-chan struct{} {
	if v.s == nil || v.exited || v.running != nil {
		return nil
	}
	return v.s.Inspector.Life.Done()
}

// sessionEnded tells the client that there is nothing to debug any more.
func (v *server) sessionEnded() {
	if v.exited {
		return
	}
	v.exited = true
	if stop, ended := v.s.Target.ExitStop(); ended && v.s.Target.Process != nil {
		v.tellExit(stop)
	}
	v.out.event("terminated", dap.TerminatedEventBody{})
	if v.Role != session.Owner {
		v.closeAt = time.Now().Add(goodbyeTime)
	}
}

// goodbyeTime limits the time in which a client of an ended session disconnects.
const goodbyeTime = 2 * time.Second

// signalExit is added to the number of the signal that killed a process, as
// shells do, since exit codes are all that clients know.
const signalExit = 128

func (v *server) tellExit(stop proc.Stop) {
	code := stop.Status
	if stop.Why == proc.Killed {
		code = signalExit + int(stop.Signal)
	}
	v.out.event("exited", dap.ExitedEventBody{ExitCode: code})
}
