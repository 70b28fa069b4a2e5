package dap

import (
	"context"
	"fmt"

	"github.com/google/go-dap"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/stepping"
)

// Reasons of stops in the protocol.
const (
	reasonStep      = "step"
	reasonPause     = "pause"
	reasonException = "exception"
	reasonData      = "data breakpoint"
)

// A reason has the protocol's name for a reason of the engine, and a text for
// people.
type reason struct{ name, text string }

// reasons are the reasons of stops by State.Reason. Stops at breakpoints are
// named by their kinds.
var reasons = map[string]reason{
	"launched":                            {"entry", ""},
	"attached":                            {"entry", "Attached"},
	session.Reasons[proc.Stepped]:         {reasonStep, ""},
	session.Reasons[proc.Paused]:          {reasonPause, ""},
	session.Reasons[proc.Signalled]:       {reasonException, ""},
	session.Reasons[proc.AtWatchpoint]:    {reasonData, ""},
	session.Reasons[stepping.AtWrite]:     {reasonData, "Before a write"},
	session.Reasons[proc.Executed]:        {"entry", "Another program was begun"},
	session.Reasons[stepping.AtPresent]:   {reasonPause, "At the end of what is recorded"},
	session.Reasons[stepping.AtBeginning]: {reasonPause, "At the beginning of what is recorded"},
	session.Reasons[stepping.AtMoment]:    {"goto", ""},
	session.Reasons[stepping.AtLimit]:     {reasonPause, "At a limit of recording"},
	session.Reasons[stepping.AtExit]:      {reasonPause, "The next step ends the process"},
	session.Reasons[proc.AtBreakpoint]:    {"breakpoint", ""},
	session.Reasons[proc.AtSyscall]:       {"breakpoint", "System call"},
}

// tellStop tells the client where the session has stopped, after an operation
// of this client or, if r is nil, of others. What was read before is not valid
// any more.
func (m *moves) tellStop(state session.State, r *running) {
	_, m.client.seen, _ = m.client.s.LastStop()
	m.moving = false
	m.looks.now = look{}
	why := reasons[state.Reason]
	if why.name == "" {
		why.name = reasonPause
	}
	if r != nil && r.reason != "" && state.Reason == session.Reasons[stepping.AtMoment] {
		why.name = r.reason
	}
	body := dap.StoppedEventBody{
		Reason: why.name, Description: why.text, Text: state.Note, ThreadId: state.Thread, AllThreadsStopped: true,
	}
	if state.Signal != "" {
		body.Description = "Signal " + state.Signal
	}
	if b := m.breakpoints.byEngine(state.Breakpoint); b != nil {
		b.describe(&body)
	}
	if p := state.History; p != nil && p.Past {
		body.Text = join(body.Text, fmt.Sprintf("position %d of %d to %d", p.Position, p.Oldest, p.End))
	}
	body.Text = join(state.Syscall, body.Text)
	m.looks.now.stop = body
	m.breakpoints.tellForeign()
	m.client.out.event("stopped", body)
}

// join joins two texts that may be empty.
func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}

// stopOfOthers is closed when the session has stopped again; nil while an
// operation of this client is in progress, which tells of its own stop.
func (m *moves) stopOfOthers() <-chan struct{} {
	if m.client.s == nil || !m.client.configured || m.running != nil || m.client.exited {
		return nil
	}
	_, stops, next := m.client.s.LastStop()
	if stops != m.client.seen {
		return closed
	}
	return next
}

// closed is a channel that is closed.
var closed = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

// followed tells of a stop of others.
func (m *moves) followed(ctx context.Context) {
	state := m.client.s.State()
	if state.Status == session.Exited {
		_, m.client.seen, _ = m.client.s.LastStop()
		m.sessionEnded()
		return
	}
	if state.Status == session.Running { // by now
		_, m.client.seen, _ = m.client.s.LastStop()
		return
	}
	m.tellStop(state, nil)
	m.breakpoints.retry(ctx)
}
