package debugger_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// atLongLine stands before a line that takes so many turns of a loop.
func atLongLine(t *testing.T, turns int) (*client, *debuggertest.Program) {
	t.Helper()
	c, p := attach(t, "longline.c")
	c.ok("set_breakpoint", args{"file": "longline.c", "line": debuggertest.Line(t, "longline.c", "long"), "one_shot": true})
	p.Tell(fmt.Sprint(turns))
	contains(t, c.ok("continue", nil), "Stopped at breakpoint 1 (")
	return c, p
}

// A step by line can be stopped in the middle of a line that takes long, and the
// session can be left then.
func TestPauseInLongLine(t *testing.T) {
	c, p := atLongLine(t, 300_000_000)
	soon := func(tool, want string) {
		t.Helper()
		began := time.Now()
		matches(t, c.ok(tool, nil), want)
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("%s took %v", tool, took)
		}
	}
	for _, step := range []string{"step_over", "step_line"} {
		contains(t, c.ok(step, args{"wait_ms": 200}), "Process is running")
		soon("pause", `^Paused at 0x[0-9a-f]+`)
	}
	contains(t, c.ok("step_over", args{"wait_ms": 200}), "Process is running")
	soon("detach", `^Detached from process \d+`)
	if got, want := p.Line(), "44999999850000000"; got != want { // 300000000 * 299999999 / 2
		t.Errorf("the line ends with %s, want %s", got, want)
	}
}

// A long line is gone through as fast as it is recorded, and ends where the
// next one begins; so it does in the past.
func TestStepOverLongLine(t *testing.T) {
	const turns = 30_000
	c, _ := atLongLine(t, turns)
	var at when
	began := time.Now()
	for _, tool := range []string{"step_over", "step_line"} {
		c.data(tool, args{"wait_ms": 60000}, &at)
		if at.State.Reason != "step" || at.State.Line != debuggertest.Line(t, "longline.c", "after") {
			t.Fatalf("%s: %+v", tool, at.State)
		}
		if h := at.State.History; h.End < 4*turns { // a turn has an addition, an increment, a comparison and a jump
			t.Errorf("%s: the present is %d, want at least %d", tool, h.End, 4*turns)
		}
		contains(t, c.ok("evaluate", args{"expression": "sum"}), " = 449985000") // 30000 * 29999 / 2
		if tool == "step_over" {
			c.ok("seek", args{"position": 1})
		}
	}
	if took := time.Since(began); took > 10*time.Second { // more than that for 240,000 instructions made one by one
		t.Errorf("%d turns and again took %v", turns, took)
	}
}

// Steps over a call end at the handler that catches its exception, or after the
// line that longjmp returns to, in the function that called or further out; so do
// steps out of a function. The program goes on as if it were not debugged.
func TestStepOverUnwinding(t *testing.T) {
	mark := func(name string) int { return debuggertest.Line(t, "thrower.cc", name) }
	for _, tt := range []struct{ command, at, tool, to, then, answer string }{
		{"near", "near", "step_over", "catch", "caught", "111"}, // 1 + 10 + 100
		{"near", "throw", "step_line", "catch", "caught", "111"},
		{"near", "throw", "step_out", "catch", "caught", "111"},
		{"far", "far", "step_over", "farcatch", "farcaught", "222"}, // 2 + 20 + 200
		{"far", "throw", "step_out", "farcatch", "farcaught", "222"},
		{"jump", "leap", "step_over", "leapt", "end", "333"}, // 3 + 30 + 300
		{"jump", "longjmp", "step_out", "leapt", "end", "333"},
	} {
		t.Run(tt.tool+" "+tt.at+" "+tt.command, func(t *testing.T) {
			sample.Case(t)
			c, p := attach(t, "thrower.cc")
			c.ok("set_breakpoint", args{"file": "thrower.cc", "line": mark(tt.at), "one_shot": true})
			p.Tell(tt.command)
			contains(t, c.ok("continue", nil), "Stopped at breakpoint 1 (")
			var at when
			c.data(tt.tool, nil, &at)
			if at.State.Reason != "step" || at.State.Line != mark(tt.to) {
				t.Fatalf("%s: %+v, want line %d", tt.tool, at.State, mark(tt.to))
			}
			c.ok("seek", args{"position": 1})
			c.data(tt.tool, nil, &at)
			if at.State.Reason != "step" || at.State.Line != mark(tt.to) {
				t.Errorf("%s in the past: %+v, want line %d", tt.tool, at.State, mark(tt.to))
			}
			c.data("step_over", nil, &at)
			if at.State.Line != mark(tt.then) {
				t.Errorf("step_over: %+v, want line %d", at.State, mark(tt.then))
			}
			c.ok("continue", args{"wait_ms": 0})
			if got := p.Line(); got != tt.answer {
				t.Errorf("%s answers %q, want %s", tt.command, got, tt.answer)
			}
		})
	}
}

// A step over a switch to another coroutine ends when that of the step goes on,
// though the others' stacks may be above its own.
func TestStepOverCoroutines(t *testing.T) {
	mark := func(name string) int { return debuggertest.Line(t, "fibers.c", name) }
	c, p := attach(t, "fibers.c")
	c.ok("set_breakpoint", args{"file": "fibers.c", "line": mark("yield"), "one_shot": true})
	p.Tell("run")
	contains(t, c.ok("continue", nil), "Stopped at breakpoint 1 (")
	var at when
	c.data("step_over", nil, &at)
	if at.State.Reason != "step" || at.State.Line != mark("back") {
		t.Errorf("step_over: %+v, want line %d", at.State, mark("back"))
	}
	contains(t, c.ok("evaluate", args{"expression": "me"}), " = 0")
	contains(t, c.ok("evaluate", args{"expression": "turns"}), " = 2") // one of each coroutine
}
