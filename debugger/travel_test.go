package debugger_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger"
	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// when is the part of an answer's state that is about history.
type when struct {
	State struct {
		Reason, Address, Note, Function string
		Line, Breakpoint, Thread        int
		History                         *struct {
			Position, Oldest, End uint64
			Past                  bool
			Begins                string
		}
	}
}

// The documented texts of going back, and what is said where that is not
// possible.
func TestStepBackward(t *testing.T) {
	c, p := attach(t, "shapes.c")
	contains(t, c.fails("step_backward", nil, -32007), "nothing was recorded yet")
	contains(t, c.fails("reverse_continue", nil, -32007), "nothing was recorded yet")
	contains(t, c.fails("seek", nil, -32007), "nothing was recorded yet")
	sum := fmt.Sprintf("%#x", p.Mark("sum"))
	c.ok("set_breakpoint", args{"address": sum})
	p.Tell("run")
	if got, want := c.ok("continue", nil), fmt.Sprintf("Stopped at breakpoint 1 (%s)", sum); got != want {
		t.Fatalf("continue: %q, want %q", got, want)
	}
	matches(t, c.ok("step_forward", args{"count": 2}), `Stepped to 0x[0-9a-f]+\nInstruction: \S.*`)
	if got, want := c.ok("step_backward", args{"count": 2}), fmt.Sprintf("Stepped back to %s\nRestored from snapshot 1", sum); got != want {
		t.Errorf("step_backward: %q, want %q", got, want)
	}
	matches(t, c.ok("step_backward", nil), `Stepped back to 0x[0-9a-f]+\nRestored from snapshot 0\nNote: between positions 0 and 1 the process ran by itself \(breakpoint, .*\); what it did there was not recorded`)
	contains(t, c.fails("step_backward", nil, -32007), "history begins at position 0, 0 steps back: recording began there")
	for _, bad := range []any{args{"count": 0}, args{"count": -1}, args{"count": "two"}, args{"count": 1.5}, args{"wait_ms": -1}} {
		c.fails("step_backward", bad, -32602)
	}
	var at when
	c.state("", &at)
	if h := at.State.History; h == nil || h.Position != 0 || h.Oldest != 0 || h.End != 3 || !h.Past {
		t.Errorf("%+v", at.State)
	}
	c.ok("detach", nil)
	if got := p.Line(); got != "31" { // the process goes on from the present
		t.Errorf("run answers %q, want 31", got)
	}
}

// look is all that the tools show of a moment.
func (c *client) look() string {
	var b strings.Builder
	for _, call := range []struct {
		tool string
		args any
	}{
		{"registers", nil},
		{"get_variables", args{"scope": "all"}},
		{"get_stack_trace", nil},
		{"threads", nil},
		{"read_memory", args{"address": "$rsp - 64", "length": 512}},
		{"disassemble", nil},
	} {
		b.WriteString(c.ok(call.tool, call.args) + "\n")
	}
	return descriptorTarget.ReplaceAllString(b.String(), "")
}

// descriptorTarget matches the target of a descriptor, which only the present has.
var descriptorTarget = regexp.MustCompile(` \(pipe:\[\d+\]\)`)

// However far forward and back, each moment looks as it did, through every
// tool; in programs with threads and with a signal each millisecond, too.
func TestForwardAndBack(t *testing.T) {
	sample.Alone(t)
	for _, tt := range []struct{ program, mark, command string }{
		{"shapes.c", "call", "run"}, {"threads.c", "tick", ""}, {"ticker.c", "on_tick", ""},
	} {
		t.Run(tt.program, func(t *testing.T) {
			p := debuggertest.Start(t, tt.program)
			c := connect(t, table(t, debugger.Config{}))
			c.ok("attach", args{"pid": p.PID})
			c.ok("set_breakpoint", args{"address": fmt.Sprintf("%#x", p.Mark(tt.mark)), "one_shot": true})
			if tt.command != "" {
				p.Tell(tt.command)
			}
			contains(t, c.ok("continue", nil), "Stopped at breakpoint 1 (")
			seen := map[uint64]string{}
			for _, n := range []int{1, 2, 30, 200} {
				var at when
				c.data("step_forward", args{"count": n, "wait_ms": 60000}, &at)
				seen[at.State.History.Position] = c.look()
			}
			for _, step := range []struct {
				tool  string
				count int
			}{{"step_backward", 200}, {"step_forward", 200}, {"step_backward", 230}, {"step_backward", 2}, {"step_forward", 2}, {"step_forward", 30}, {"step_forward", 200}} {
				var at when
				c.data(step.tool, args{"count": step.count, "wait_ms": 60000}, &at)
				want, known := seen[at.State.History.Position]
				if !known {
					t.Fatalf("%s %d came to position %d", step.tool, step.count, at.State.History.Position)
				}
				if got := c.look(); got != want {
					t.Fatalf("after %s %d, position %d:\n%s\nwant\n%s", step.tool, step.count, at.State.History.Position, got, want)
				}
			}
		})
	}
}

// In the past everything shows the past, and nothing can be changed.
func TestPast(t *testing.T) {
	c, _ := stopped(t, "call")
	c.ok("step_over", nil) // total is 8 now
	contains(t, c.ok("evaluate", args{"expression": "total"}), " = 8")
	end := func() uint64 {
		var at when
		c.state("", &at)
		return at.State.History.End
	}
	last := end()
	var at when
	c.data("step_backward", args{"count": last - 1}, &at)
	if at.State.Reason != "moment" || at.State.Line != line(t, "call") || at.State.History.Position != 1 {
		t.Errorf("%+v", at.State)
	}
	contains(t, c.ok("evaluate", args{"expression": "total"}), " = 7")
	contains(t, c.fails("write_memory", args{"address": "&total", "hex": "00"}, -1), fmt.Sprintf("position 1 is looked at, and the past cannot be changed; debugger/continue goes to the present, %d", last))

	// Steps by line go through what was recorded, and say where they are.
	contains(t, c.ok("step_line", nil), "Stepped to 0x", "\nadd at ", "\nIn the past: snapshot ")
	contains(t, c.ok("get_variables", nil), "  a: int = 7\n  b: int = 1\n")
	contains(t, c.ok("step_out", nil), "\nvisit at ")
	if got := end(); got != last {
		t.Errorf("the present is %d, was %d: something was recorded anew", got, last)
	}

	// Breakpoints stop in the past, be they set there; the condition sees it.
	c.ok("seek", args{"position": 1})
	c.ok("set_breakpoint", args{"function": "add", "condition": "total == 7"})
	c.ok("set_breakpoint", args{"function": "add", "condition": "total == 14"})
	contains(t, c.ok("continue", nil), "Stopped at breakpoint 2 (", "In the past")
	matches(t, c.ok("continue", nil), `Came to the present at 0x[0-9a-f]+`)
	contains(t, c.ok("evaluate", args{"expression": "total"}), " = 8")

	// From the present the process goes on.
	c.ok("clear_breakpoint", args{"id": 1})
	contains(t, c.ok("continue", nil), "Stopped at breakpoint 3 (")
	contains(t, c.ok("reverse_continue", nil), "Stopped at breakpoint 2 (", "the process ran by itself", "In the past: snapshot ")
	contains(t, c.ok("reverse_continue", nil), "Came to the beginning of history at ")
	contains(t, c.fails("reverse_continue", nil, -32007), "history begins at position 0")
}

// A watchpoint stops before what wrote it, going back, and behind it, going
// forward; with a signal that is about to come the past is there still.
func TestReverseWatchpoint(t *testing.T) {
	c, _ := stopped(t, "visit")
	c.ok("set_watchpoint", args{"expression": "total"})
	c.ok("step_over", nil)
	c.ok("clear_breakpoint", args{"id": 1})
	contains(t, c.ok("step_over", nil), "Stopped at watchpoint 2 (", "the value was 0x00000007 and is 0x00000008")
	c.ok("step_forward", args{"count": 2})
	var at when
	c.data("reverse_continue", nil, &at)
	if at.State.Reason != "write" || at.State.Breakpoint != 2 || at.State.Note != "the next step makes it 0x00000008, it is 0x00000007" || at.State.Line != line(t, "call") {
		t.Errorf("%+v", at.State)
	}
	contains(t, c.ok("disassemble", args{"count": 1}), "mov")
	for _, by := range []string{"line", "over", "out"} {
		contains(t, c.ok("step_forward", nil), "Stopped at watchpoint 2 (", "the value was 0x00000007 and is 0x00000008")
		contains(t, c.ok("step_backward", args{"by": by}), "Before the write to watchpoint 2 (", "the next step makes it 0x00000008, it is 0x00000007")
	}
}

// Positions are checked like all arguments.
func TestSeek(t *testing.T) {
	c, _ := stopped(t, "sum")
	c.ok("step_forward", args{"count": 5})
	contains(t, c.fails("seek", args{"position": 7}, -32602), "position 7 is beyond the present, 6")
	c.fails("seek", args{"position": -1}, -32602)
	c.fails("seek", args{"position": "last"}, -32602)
	matches(t, c.ok("seek", args{"position": 3}), `At position 3, 0x[0-9a-f]+\nIn the past: snapshot 3 of 0 to 6`)
	matches(t, c.ok("seek", nil), `At position 6, 0x[0-9a-f]+`)
}

// A process that dies of a signal has stopped before: from there everything can
// be looked at, and it dies as it would have.
func TestBackFromCrash(t *testing.T) {
	c, p := attach(t, "shapes.c")
	c.ok("set_breakpoint", args{"function": "crash"})
	p.Tell("crash")
	c.ok("continue", nil)
	var at when
	c.data("step_forward", args{"count": 100}, &at)
	if at.State.Reason != "signal" || at.State.Line != line(t, "crash") {
		t.Fatalf("%+v", at.State)
	}
	contains(t, c.ok("get_variables", nil), "where: int * = 0x0")
	c.ok("step_backward", nil)
	contains(t, c.ok("continue", nil), "Came to the present at ")
	if got := c.ok("continue", nil); got != "Process was killed by signal SIGSEGV" {
		t.Errorf("continue: %q", got)
	}
}
