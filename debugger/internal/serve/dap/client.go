package dap

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/go-dap"

	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/failure"
)

// Options configure Serve.
type Options struct {
	Role    session.Role
	NoWrite bool // memory, variables and registers are not written
	Log     *slog.Logger

	// Call calls a tool of the debugger that begins or ends a session, and
	// returns the id of the session. Only an owner needs it.
	Call func(ctx context.Context, tool string, arguments map[string]any) (string, error)
}

// A client holds the state that all requests need: of the client, its session and the
// conversation.
type client struct {
	Options
	sessions *session.Registry
	s        *session.Session // nil before launch or attach of an owner
	out      *writer
	flight   inflight

	arguments  dap.InitializeRequestArguments
	config     config
	configured bool // configurationDone was answered
	over       bool // the conversation ends after this request
	exited     bool // the client was told that the session has ended
	later      []func()
	seen       uint64          // number of the stop that the client was told of
	sources    map[string]bool // whether files exist, by path
}

// gateTime bounds the wait for a session that others use.
const gateTime = 1500 * time.Millisecond

// Errors about the state of the session.
var (
	errRunning  = errors.New("the process is running")
	errMoved    = errors.New("the session is elsewhere by now; its new position follows")
	errMirror   = errors.New("this is a mirror: it follows the session and changes nothing")
	errNoTarget = errors.New("nothing is debugged yet; launch or attach comes first")
	errExited   = errors.New("the session has ended")
)

// locked calls f while it holds the gate of the session, which is stopped
// where the client believes it to be.
func (c *client) locked(ctx context.Context, f func() error) error {
	switch {
	case c.s == nil:
		return errNoTarget
	case c.exited:
		return errExited
	}
	limited, cancel := context.WithTimeout(ctx, gateTime)
	defer cancel()
	_, leave, err := c.s.Acquire(limited)
	if errors.Is(err, context.DeadlineExceeded) {
		return errRunning
	}
	if err != nil {
		return err
	}
	defer leave()
	if err := c.s.RequireStopped(); err != nil {
		if errors.Is(err, failure.ErrRunning) || errors.Is(err, failure.ErrTraveling) {
			err = errRunning
		}
		return err
	}
	if _, stops, _ := c.s.LastStop(); stops != c.seen && c.configured {
		return errMoved
	}
	return f()
}

// requireDriver returns an error unless the client may move the process.
func (c *client) requireDriver() error {
	if c.Role == session.Mirror {
		return errMirror
	}
	return c.s.Target.RequireExecution()
}

// requireWritable returns an error unless the client may change the process
// where it is shown.
func (c *client) requireWritable() error {
	switch {
	case c.Role == session.Mirror:
		return errMirror
	case c.NoWrite:
		return failure.Denied("the server was started with --no-write")
	}
	return c.s.RequireChangeable()
}

// takeOutput passes on what a running program and its logpoints have written.
func (c *client) takeOutput() {
	if c.s.Target.Output != nil {
		c.output("stdout", c.s.Target.Output.Take())
	}
	for _, line := range c.s.Breakpoints.Logged.Take() {
		c.output("console", line+"\n")
	}
}

func (c *client) output(category, text string) {
	if text != "" {
		c.out.event("output", dap.OutputEventBody{Category: category, Output: text})
	}
}

// tellOutcome passes on the output of an operation.
func (c *client) tellOutcome(o session.Outcome) {
	c.output("stdout", o.Output)
	for _, line := range o.Logged {
		c.output("console", line+"\n")
	}
}

// position returns a position that the history has.
func (c *client) position(wanted *uint64) (uint64, error) {
	h, err := c.s.Timeline.Require()
	if err != nil {
		return 0, err
	}
	if wanted == nil {
		return h.End(), nil
	}
	if to := *wanted; to < h.Oldest() || to > h.End() {
		return 0, fmt.Errorf("position %d is not one of %d to %d", to, h.Oldest(), h.End())
	}
	return *wanted, nil
}

// where describes the position of a session.
func where(s *session.Session) string {
	p := s.Timeline.Position()
	if p == nil {
		return "nothing was recorded yet"
	}
	return fmt.Sprintf("position %d of %d to %d", p.Position, p.Oldest, p.End)
}
