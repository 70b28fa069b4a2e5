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
func (li *lifecycle) disconnect(ctx context.Context, args disconnectArguments) (any, error) {
	li.client.over = true
	kill := args.Terminate == nil || *args.Terminate
	return nil, li.endSession(ctx, kill)
}

// terminate kills a launched process, and lets others run on.
func (li *lifecycle) terminate(ctx context.Context, _ dap.TerminateArguments) (any, error) {
	switch {
	case li.client.s == nil:
		return nil, errNoTarget
	case li.client.Role != session.Owner:
		return nil, errors.New("the session belongs to its agent; disconnect leaves it")
	}
	err := li.endSession(ctx, true)
	li.client.later = append(li.client.later, li.moves.sessionEnded)
	return nil, err
}

// leave ends the session of an owner that has gone without a word, and clears
// the breakpoints of others.
func (li *lifecycle) leave(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	li.begins.Wait()
	err := li.endSession(ctx, true)
	li.moves.awaitEnd()
	if li.client.Role != session.Owner {
		li.breakpoints.clear()
	}
	return err
}

// awaitEnd waits for the end of an operation whose session has ended.
func (m *moves) awaitEnd() {
	if m.running == nil {
		return
	}
	m.running.cancel()
	<-m.ended
	m.running.progress.end()
	m.running = nil
}

// endSession ends the session of an owner, by a call of a tool. A second call
// does nothing.
func (li *lifecycle) endSession(ctx context.Context, kill bool) error {
	if li.client.s == nil || li.client.Role != session.Owner || li.client.s.Inspector.Life.Err() != nil {
		return nil
	}
	if _, ended := li.client.s.Target.ExitStop(); ended {
		return li.moves.endExited()
	}
	args := map[string]any{"session": li.client.s.ID}
	if kill && li.client.s.Target.Launched() {
		args["kill"] = true
	}
	if _, err := li.client.Call(context.WithoutCancel(ctx), "debugger/detach", args); err != nil && li.client.s.Inspector.Life.Err() == nil {
		return err
	}
	return nil
}

// endExited ends a session whose process has exited, which the client was told.
func (m *moves) endExited() error {
	m.client.s.ReportedState()
	err := m.client.sessions.EndIfExited(m.client.s, nil)
	if errors.Is(err, proc.ErrExited) || errors.Is(err, session.ErrClosed) {
		return nil
	}
	return err
}

// sessionEnd is closed when the session has ended; nil before it has begun or
// when the client was told.
func (m *moves) sessionEnd() <-chan struct{} {
	if m.client.s == nil || m.client.exited || m.running != nil {
		return nil
	}
	return m.client.s.Inspector.Life.Done()
}

// sessionEnded tells the client that there is nothing to debug any more.
func (m *moves) sessionEnded() {
	if m.client.exited {
		return
	}
	m.client.exited = true
	if stop, ended := m.client.s.Target.ExitStop(); ended && m.client.s.Target.Process != nil {
		m.tellExit(stop)
	}
	m.client.out.event("terminated", dap.TerminatedEventBody{})
	if m.client.Role != session.Owner {
		m.closeAt = time.Now().Add(goodbyeTime)
	}
}

// goodbyeTime limits the time in which a client of an ended session disconnects.
const goodbyeTime = 2 * time.Second

// signalExit is added to the number of the signal that killed a process, as
// shells do, since exit codes are all that clients know.
const signalExit = 128

func (m *moves) tellExit(stop proc.Stop) {
	code := stop.Status
	if stop.Why == proc.Killed {
		code = signalExit + int(stop.Signal)
	}
	m.client.out.event("exited", dap.ExitedEventBody{ExitCode: code})
}
