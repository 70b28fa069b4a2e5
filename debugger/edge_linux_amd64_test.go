package debugger_test

import (
	"testing"

	"github.com/triptych-mcp/triptych/debugger"
	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// A process goes on from the past although since then it has written memory that is
// not mapped any more, or was not mapped then, whether its steps were recorded one by one
// or by translated code.
func TestContinueFromPastOfMemory(t *testing.T) {
	for part, output := range map[string]string{
		"stack": "12", "temporary": "12", "state": "895", // 0x37f, the control word that a process begins with
	} {
		for how, record := range waysToRecord {
			t.Run(part+"/"+how, func(t *testing.T) {
				sample.Case(t)
				c, past := edgeAtPast(t, part, record)
				contains(t, c.ok("continue", args{"from": "past", "wait_ms": 60000}), "Stopped at breakpoint 2 (")
				c.ok("seek", args{"position": past})
				contains(t, c.ok("continue", args{"from": "past", "record": true, "wait_ms": 60000}), "Stopped at breakpoint 2 (")
				c.ok("seek", args{"position": past})
				contains(t, c.ok("continue", args{"from": "past", "wait_ms": 60000}), "Stopped at breakpoint 2 (")
				contains(t, c.ok("continue", args{"wait_ms": 60000}), "Process exited with status 0\nOutput:\n"+output)
			})
		}
	}
}

// An instruction that wrote less than it might have does not bring memory into the past that
// was never mapped.
func TestPastBeyondMapping(t *testing.T) {
	c, _ := edgeAtPast(t, "state", waysToRecord["steps"])
	c.ok("read_memory", args{"address": "last + 4080", "length": 16})
	c.fails("read_memory", args{"address": "last + 4096", "length": 16}, -1)
}

// Memory that the process has lost cannot be brought back. The process stays as it is.
func TestContinueFromPastOfLostMemory(t *testing.T) {
	for how, record := range waysToRecord {
		t.Run(how, func(t *testing.T) {
			c, past := edgeAtPast(t, "truncated", record)
			for range 2 {
				contains(t, c.fails("continue", args{"from": "past"}, -1), "cannot be written any more")
			}
			var at when
			c.state("", &at)
			if at.State.History.Position != past {
				t.Errorf("%+v", at.State.History)
			}
			contains(t, c.ok("continue", nil), "Stopped at breakpoint 2 (") // the present
			contains(t, c.ok("continue", args{"wait_ms": 60000}), "Process exited with status 0\nOutput:\n3")
		})
	}
}

// waysToRecord record up to a breakpoint.
var waysToRecord = map[string]func(c *client) string{
	"steps":      func(c *client) string { return c.ok("step_forward", args{"count": 100000, "wait_ms": 60000}) },
	"translated": func(c *client) string { return c.ok("continue", args{"record": true, "wait_ms": 60000}) },
}

// edgeAtPast records a part of edge.c and moves to the position where it began.
func edgeAtPast(t *testing.T, part string, record func(c *client) string) (*client, uint64) {
	t.Helper()
	c := connect(t, table(t, debugger.Config{}))
	c.ok("launch", args{"path": debuggertest.Build(t, "edge.c"), "args": []string{part}})
	c.ok("set_breakpoint", args{"function": "begin", "one_shot": true})
	c.ok("set_breakpoint", args{"function": "end"})
	contains(t, c.ok("continue", args{"wait_ms": 60000}), "Stopped at breakpoint 1 (")
	var at when
	c.data("step_forward", args{"count": 1}, &at)
	past := at.State.History.Position
	contains(t, record(c), "Stopped at breakpoint 2 (")
	c.ok("seek", args{"position": past})
	return c, past
}
