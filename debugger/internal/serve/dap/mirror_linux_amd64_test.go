package dap_test

import (
	"context"
	"strings"
	"testing"

	godap "github.com/google/go-dap"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/sessiontest"
)

// agents is a session as an agent has it, with inventory.c in main.
func agents(t *testing.T, r *session.Registry) *session.Session {
	t.Helper()
	c := &caller{sessions: r}
	if _, err := c.launch(t.Context(), map[string]any{
		"path": debuggertest.Build(t, "inventory.c"), "args": []string{}, "cwd": "", "env": map[string]string{},
	}); err != nil {
		t.Fatal(err)
	}
	return r.All()[0]
}

// step lets the agent step over a line.
func step(t *testing.T, s *session.Session) {
	t.Helper()
	_, leave, err := s.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer leave()
	if _, err := s.Move(t.Context(), alone{}, patience, func(ctx context.Context) (proc.Stop, error) { return s.Stepper.StepLine(ctx, false) }); err != nil {
		t.Fatal(err)
	}
}

// An editor that mirrors the session of an agent shows each of its stops, and
// changes nothing.
func TestMirror(t *testing.T) {
	r := sessiontest.NewRegistry(t)
	s := agents(t, r)
	c := serve(t, r, s, session.Mirror)
	c.begin("attach", nil)
	if got := c.breakAt("inventory.c", "weigh"); got[0].Verified || !strings.Contains(got[0].Message, "mirror") {
		t.Errorf("a breakpoint of a mirror: %+v", got)
	}
	c.do("configurationDone", nil)
	first := c.stopped()
	before := c.frames(first.ThreadId, 0, 1).StackFrames[0]
	position := s.Timeline.Position()
	_, stops, _ := s.LastStop()
	for _, command := range []string{"continue", "next", "stepIn", "stepOut", "pause", "terminate"} {
		if got := c.refused(command, nil); got == "" {
			t.Errorf("%s of a mirror is refused without a reason", command)
		}
	}
	for command, args := range map[string]any{
		"setExpression": map[string]any{"expression": "total", "value": "1"},
		"writeMemory":   map[string]any{"memoryReference": before.InstructionPointerReference, "data": "kJA="},
		"seek":          map[string]any{},
	} {
		if got := c.refused(command, args); !strings.Contains(got, "mirror") {
			t.Errorf("%s of a mirror: %q", command, got)
		}
	}
	if _, now, _ := s.LastStop(); now != stops || s.Timeline.Position() != position || len(s.Breakpoints.ByID) != 0 {
		t.Errorf("the session has moved: %d stops, were %d; breakpoints %v", now, stops, s.Breakpoints.ByID)
	}
	step(t, s)
	stop := c.stopped()
	after := c.frames(stop.ThreadId, 0, 1).StackFrames[0]
	if state := s.State(); stop.Reason != "step" || after.Line != state.Line || after.Line == before.Line {
		t.Errorf("after a step of the agent the mirror is in line %d for %s, the session in line %d, before %d", after.Line, stop.Reason, state.Line, before.Line)
	}
	if got := c.refused("scopes", godap.ScopesArguments{FrameId: 9}); !strings.Contains(got, "earlier") {
		t.Errorf("a frame of nothing: %q", got)
	}
	c.end()
	if s.Inspector.Life.Err() != nil {
		t.Error("the session of the agent has ended with the mirror")
	}
}

// A client in control drives the session of an agent, and its breakpoints go
// with it.
func TestControl(t *testing.T) {
	r := sessiontest.NewRegistry(t)
	s := agents(t, r)
	c := serve(t, r, s, session.Control)
	c.begin("attach", nil)
	if got := c.breakAt("inventory.c", "weigh"); !got[0].Verified {
		t.Errorf("a breakpoint of a client in control: %+v", got)
	}
	c.do("configurationDone", nil)
	c.stopped()
	c.do("continue", nil)
	c.at(c.stopped(), "inventory.c", "weigh")
	c.end()
	if len(s.Breakpoints.ByID) != 0 || s.Inspector.Life.Err() != nil {
		t.Errorf("after the client has gone: breakpoints %v, session %v", s.Breakpoints.ByID, s.Inspector.Life.Err())
	}
}

// The session of an agent that ends is told.
func TestMirrorOfEnd(t *testing.T) {
	r := sessiontest.NewRegistry(t)
	s := agents(t, r)
	c := serve(t, r, s, session.Mirror)
	c.begin("launch", nil)
	c.do("configurationDone", nil)
	c.stopped()
	if err := r.EndAll("", true); err != nil {
		t.Fatal(err)
	}
	event[*godap.TerminatedEvent](c)
	c.end()
}
