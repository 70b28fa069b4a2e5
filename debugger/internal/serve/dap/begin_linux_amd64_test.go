package dap_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	godap "github.com/google/go-dap"

	"github.com/triptych-mcp/triptych/debugger/internal/serve/dap"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/sessiontest"
)

// A toolCall is a call of a tool that a test answers.
type toolCall struct {
	tool      string
	arguments map[string]any
	answer    chan<- error
}

// serveCalls begins a conversation whose calls of tools the test answers. Each
// returns the id "dbg-1".
func serveCalls(t *testing.T, r *session.Registry) (*client, <-chan toolCall) {
	t.Helper()
	ours, theirs := net.Pipe()
	c := &client{t: t, conn: ours, in: bufio.NewReader(ours), done: make(chan error, 1)}
	calls := make(chan toolCall)
	o := dap.Options{Role: session.Owner, Call: func(_ context.Context, tool string, args map[string]any) (string, error) {
		answer := make(chan error)
		calls <- toolCall{tool, args, answer}
		return "dbg-1", <-answer
	}}
	go func() { c.done <- dap.Serve(context.Background(), theirs, r, nil, o) }()
	t.Cleanup(func() { _ = ours.Close() })
	c.do("initialize", godap.InitializeRequestArguments{AdapterID: "triptych"})
	return c, calls
}

// A launch that is canceled ends the program that it has started, although the
// client never hears of it.
func TestCanceledLaunch(t *testing.T) {
	c, calls := serveCalls(t, sessiontest.NewRegistry(t))
	launch := c.send("launch", map[string]any{"program": "/bin/true"})
	call := <-calls
	cancel := c.send("cancel", map[string]any{"requestId": launch})
	if r := c.await(launch); r.Success || r.Message != "cancelled" {
		t.Errorf("a canceled launch: %+v", r)
	}
	c.await(cancel)
	call.answer <- nil // the program runs by now
	end := <-calls
	if end.tool != "debugger/detach" || end.arguments["session"] != "dbg-1" || end.arguments["kill"] != true {
		t.Errorf("then %s is called with %v, want debugger/detach that kills dbg-1", end.tool, end.arguments)
	}
	end.answer <- nil
	c.end()
}

// Requests that wait are bounded in bytes: further ones are not read before
// the first is answered.
func TestWaitingRequestsAreBounded(t *testing.T) {
	c, calls := serveCalls(t, sessiontest.NewRegistry(t))
	c.send("launch", map[string]any{"program": "/bin/true"})
	call := <-calls
	go func() { _, _ = io.Copy(io.Discard, c.conn) }()
	if err := c.conn.SetWriteDeadline(time.Now().Add(500 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	large := []byte(`{"seq":9,"type":"request","command":"evaluate","arguments":{"expression":"` + strings.Repeat("x", 3<<20) + `"}}`)
	sent := 0
	for err := error(nil); sent < 20 && err == nil; {
		if err = godap.WriteBaseMessage(c.conn, large); err == nil {
			sent++
		} else if !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatal(err)
		}
	}
	if sent > 4 { // 8 MiB wait, and one more was read
		t.Errorf("%d requests of 3 MiB were read while one was handled", sent)
	}
	_ = c.conn.Close()
	call.answer <- errors.New("no such program")
	if err := <-c.done; err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("serving: %v", err)
	}
}

// An error at the end of a session is returned although the client has gone.
func TestErrorOfEnd(t *testing.T) {
	r := sessiontest.NewRegistry(t)
	s := agents(t, r)
	ours, theirs := net.Pipe()
	stuck := errors.New("the process is stuck")
	o := dap.Options{Role: session.Owner, Call: func(_ context.Context, tool string, _ map[string]any) (string, error) {
		if tool == "debugger/detach" {
			return "", stuck
		}
		return s.ID, nil
	}}
	c := &client{t: t, conn: ours, in: bufio.NewReader(ours), done: make(chan error, 1)}
	go func() { c.done <- dap.Serve(context.Background(), theirs, r, nil, o) }()
	c.begin("attach", map[string]any{"pid": s.Target.PID})
	_ = ours.Close()
	if err := <-c.done; !errors.Is(err, stuck) {
		t.Errorf("serving returns %v, want %v", err, stuck)
	}
}

// A restart launches the program again, with the breakpoints and signals that the
// client has chosen.
func TestRestart(t *testing.T) {
	c := launched(t, "total", "abort")
	at := c.at(c.stopped(), "inventory.c", "total").InstructionPointerReference
	c.do("setExceptionBreakpoints", godap.SetExceptionBreakpointsArguments{Filters: []string{}})
	set := ask[godap.SetInstructionBreakpointsResponseBody](c, "setInstructionBreakpoints",
		godap.SetInstructionBreakpointsArguments{Breakpoints: []godap.InstructionBreakpoint{{InstructionReference: at}}})
	first := c.pid
	c.do("restart", nil)
	lost := event[*godap.BreakpointEvent](c).Body.Breakpoint
	if lost.Id != set.Breakpoints[0].Id || lost.Verified || lost.Message == "" {
		t.Errorf("of the breakpoint at an address is said %+v, want that it is gone", lost)
	}
	c.at(c.stopped(), "inventory.c", "total")
	if c.pid == first {
		t.Error("it is the same process")
	}
	c.gone(first)
	if got := c.value("rounds", 0); got != "0" {
		t.Errorf("rounds is %s after the restart, want 0", got)
	}
	c.breakAt("inventory.c")
	c.do("continue", nil)
	for _, m := range c.untilTerminated() { // it aborts, which does not stop it
		if e, ok := m.(*godap.ExitedEvent); ok && e.Body.ExitCode != 128+6 {
			t.Errorf("it exits with %d, want %d", e.Body.ExitCode, 128+6)
		}
	}
	c.end()
}

// A process that runs is paused once to choose exceptions.
func TestOnePauseForExceptions(t *testing.T) {
	c := launched(t, "spin", "spin")
	c.stopped()
	c.breakAt("inventory.c")
	c.do("continue", nil)
	s := c.sessions.All()[0]
	_, before, _ := s.LastStop()
	c.do("setExceptionBreakpoints", godap.SetExceptionBreakpointsArguments{Filters: []string{"fault", "throw"}})
	if _, after, _ := s.LastStop(); after != before+1 {
		t.Errorf("it was stopped %d times, want once", after-before)
	}
	c.end()
}
