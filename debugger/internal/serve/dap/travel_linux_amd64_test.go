package dap_test

import (
	"fmt"
	"strings"
	"testing"

	godap "github.com/google/go-dap"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/sessiontest"
)

// recordedToEnd is a conversation with inventory.c, of which all is recorded
// from main to where it prints.
func recordedToEnd(t *testing.T) *client {
	t.Helper()
	c := serve(t, sessiontest.NewRegistry(t), nil, session.Owner)
	c.begin("launch", map[string]any{"program": debuggertest.Build(t, "inventory.c"), "args": []string{}, "record": true})
	c.breakAt("inventory.c", "print")
	c.do("configurationDone", nil)
	c.at(c.stopped(), "inventory.c", "print")
	return c
}

// Going back shows the values that the source computes, in a process that is
// recorded and in a trace of it, and reaches the same positions both times.
func TestTravel(t *testing.T) {
	c := recordedToEnd(t)
	path := exportTrace(t, c.sessions.All()[0])
	live := travel(t, c)
	c = serve(t, sessiontest.NewRegistry(t), nil, session.Owner)
	c.begin("launch", map[string]any{"trace": path})
	c.do("configurationDone", nil)
	c.stopped()
	if of := travel(t, c); strings.Join(of, "\n") != strings.Join(live, "\n") {
		t.Errorf("the trace has the positions\n%s\nthe process\n%s", strings.Join(of, "\n"), strings.Join(live, "\n"))
	}
}

// travel goes back through the calls of weigh and forth again, ends the
// conversation, and returns the positions.
func travel(t *testing.T, c *client) []string {
	t.Helper()
	var all []string
	c.breakAt("inventory.c", "total")
	for factor := 6; factor >= 4; factor-- {
		c.do("reverseContinue", nil)
		f := c.at(c.stopped(), "inventory.c", "total")
		if got := c.value("factor", f.Id); got != fmt.Sprint(factor) {
			t.Errorf("going back, factor is %s, want %d", got, factor)
		}
		all = append(all, c.position())
	}
	for _, step := range []struct{ command, mark string }{{"stepBack", "weigh"}, {"next", "total"}, {"next", "weighed"}, {"stepBack", "total"}} {
		c.do(step.command, godap.StepBackArguments{})
		c.at(c.stopped(), "inventory.c", step.mark)
		all = append(all, c.position())
	}
	if all[2] != all[4] || all[2] != all[6] {
		t.Errorf("a line back and forth ends elsewhere than it began: %v", all)
	}
	if got := c.refused("setExpression", godap.SetExpressionArguments{Expression: "total", Value: "1"}); got == "" {
		t.Error("the past is changed")
	}
	c.do("continue", nil)
	if got := c.value("factor", c.at(c.stopped(), "inventory.c", "total").Id); got != "5" {
		t.Errorf("going on, factor is %s, want 5", got)
	}
	if all = append(all, c.position()); all[7] != all[1] {
		t.Errorf("with factor 5 it is at %s, was at %s", all[7], all[1])
	}
	customRequests(t, c)
	c.breakAt("inventory.c")
	c.do("reverseContinue", nil)
	if stop := c.stopped(); stop.Description != "At the beginning of what is recorded" {
		t.Errorf("without a breakpoint it goes back to %+v", stop)
	}
	c.do("reverseContinue", nil)
	c.stopped() // at the same place, as there is nothing before it
	c.end()
	return all
}

// customRequests asks what wrote total, what a call did, and for a position.
func customRequests(t *testing.T, c *client) {
	t.Helper()
	write := ask[struct {
		Text   string
		Result struct {
			Found         bool
			Position      uint64
			Before, After string
		}
	}](c, "lastWrite", map[string]any{"expression": "total"})
	// After the factors 1 to 4, total is 3 + 14 + 9 + 28, and 26 before.
	if r := write.Result; !r.Found || r.Before != "0x000000000000001a" || r.After != "0x0000000000000036" || !strings.Contains(write.Text, "weigh") {
		t.Errorf("lastWrite: %+v", write)
	}
	c.do("seek", map[string]any{"position": write.Result.Position})
	if stop := c.stopped(); stop.Reason != "goto" || c.value("total", 0) != "26" {
		t.Errorf("before the write total is %s, want 26; stopped for %s", c.value("total", 0), stop.Reason)
	}
	trace := ask[struct{ Text string }](c, "callTrace", map[string]any{"function": "weigh", "nth": 2})
	if !strings.Contains(trace.Text, "factor=2") || !strings.Contains(trace.Text, "14") {
		t.Errorf("callTrace: %s", trace.Text)
	}
	text := ask[godap.EvaluateResponseBody](c, "evaluate", godap.EvaluateArguments{Expression: ":last-write total", Context: "repl"}).Result
	if !strings.Contains(text, "Last write") {
		t.Errorf(":last-write: %s", text)
	}
}
