package dap_test

import (
	"strings"
	"testing"

	godap "github.com/google/go-dap"

	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/sessiontest"
)

// No request of a mirror changes a process that stands at the present, where a client in
// control could: what would change it is refused, and breakpoints are not verified.
func TestMirrorRefusesEachRequest(t *testing.T) {
	r := sessiontest.NewRegistry(t)
	s := agents(t, r)
	step(t, s)
	step(t, s)
	c := serve(t, r, s, session.Mirror)
	c.begin("attach", nil)
	c.do("configurationDone", nil)
	stop := c.stopped()
	frame := c.frames(stop.ThreadId, 0, 1).StackFrames[0]
	before := sessiontest.Digest(t, s)
	scopes := ask[godap.ScopesResponseBody](c, "scopes", godap.ScopesArguments{FrameId: frame.Id}).Scopes
	thread := map[string]any{"threadId": stop.ThreadId}
	for _, request := range []struct {
		command   string
		arguments any
	}{
		{"continue", thread}, {"next", thread}, {"stepIn", thread}, {"stepOut", thread}, {"stepBack", thread}, {"reverseContinue", thread},
		{"stepBack", map[string]any{"threadId": stop.ThreadId, "granularity": "instruction"}}, {"pause", thread},
		{"restart", nil}, {"terminate", nil}, {"seek", map[string]any{"position": 0}}, {"seek", nil},
		{"evaluate", map[string]any{"expression": ":seek 0", "context": "repl"}},
		{"evaluate", map[string]any{"expression": "total = 5", "frameId": frame.Id, "context": "repl"}},
		{"evaluate", map[string]any{"expression": "total++", "frameId": frame.Id, "context": "repl"}},
		{"setExpression", map[string]any{"expression": "total", "value": "5", "frameId": frame.Id}},
		{"setVariable", map[string]any{"variablesReference": scopes[0].VariablesReference, "name": "argc", "value": "5"}},
		{"setVariable", map[string]any{"variablesReference": scopes[len(scopes)-1].VariablesReference, "name": "rax", "value": "5"}},
		{"writeMemory", map[string]any{"memoryReference": frame.InstructionPointerReference, "data": "kJA="}},
		{"goto", map[string]any{"threadId": stop.ThreadId, "targetId": 1}}, {"terminateThreads", map[string]any{"threadIds": []int{stop.ThreadId}}},
		{"restartFrame", map[string]any{"frameId": frame.Id}},
	} {
		if why := c.refused(request.command, request.arguments); why == "" {
			t.Errorf("%s %v is refused without a reason", request.command, request.arguments)
		}
		if after := sessiontest.Digest(t, s); after != before {
			t.Fatalf("%s %v has changed the session:\n%s\nwas\n%s", request.command, request.arguments, after, before)
		}
	}
	info := ask[godap.DataBreakpointInfoResponseBody](c, "dataBreakpointInfo", map[string]any{"name": "total", "frameId": frame.Id})
	for command, list := range map[string]any{
		"setBreakpoints":            map[string]any{"source": frame.Source, "breakpoints": []any{map[string]any{"line": frame.Line + 1}}},
		"setFunctionBreakpoints":    map[string]any{"breakpoints": []any{map[string]any{"name": "weigh"}}},
		"setInstructionBreakpoints": map[string]any{"breakpoints": []any{map[string]any{"instructionReference": frame.InstructionPointerReference}}},
		"setDataBreakpoints":        map[string]any{"breakpoints": []any{map[string]any{"dataId": info.DataId, "accessType": "write"}}},
	} {
		set := ask[godap.SetBreakpointsResponseBody](c, command, list).Breakpoints
		if len(set) != 1 || set[0].Verified || !strings.Contains(set[0].Message, "mirror") {
			t.Errorf("%s of a mirror: %+v", command, set)
		}
	}
	c.do("setExceptionBreakpoints", map[string]any{"filters": []string{"signal"}})
	c.do("launch", map[string]any{"program": "/bin/true"}) // applies to the session, too
	c.do("evaluate", map[string]any{"expression": ":record on", "context": "repl"})
	c.end()
	if after := sessiontest.Digest(t, s); after != before {
		t.Fatalf("the session has changed:\n%s\nwas\n%s", after, before)
	}
	step(t, s) // it can still be moved
}
