package debugger_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/triptych-mcp/triptych/debugger"
	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// Lines that were stepped through are stepped through again on the way back, at
// the same positions.
func TestBackThroughLines(t *testing.T) {
	sample.Alone(t)
	for _, tt := range []struct {
		name, command, mark, forward, by string
		steps                            int
	}{
		{"into", "run", "call", "step_line", "line", 9},
		{"over", "run", "visit", "step_over", "over", 5},
		{"over recursion", "deep", "recurse", "step_over", "over", 1},
		{"into recursion", "deep", "recurse", "step_line", "line", 12},
		{"out of recursion", "deep", "bottom", "step_line", "line", 11},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sample.Case(t)
			c, p := attach(t, "shapes.c")
			c.ok("set_breakpoint", args{"file": "shapes.c", "line": line(t, tt.mark), "one_shot": true})
			p.Tell(tt.command)
			contains(t, c.ok("continue", nil), "Stopped at breakpoint 1 (")
			c.ok("step_forward", nil) // history begins, and nothing is at its edge
			c.ok("step_backward", nil)
			var at when
			c.state("", &at)
			was := []uint64{at.State.History.Position}
			for range tt.steps {
				c.data(tt.forward, nil, &at)
				was = append(was, at.State.History.Position)
			}
			var got []uint64
			for range tt.steps {
				c.data("step_backward", args{"by": tt.by}, &at)
				got = append(got, at.State.History.Position)
			}
			want := slices.Clone(was[:tt.steps])
			slices.Reverse(want)
			if !slices.Equal(got, want) {
				t.Errorf("forward through %v, and back through %v", was, got)
			}
		})
	}
}

// The lines equal the source's, and are shown.
func TestBackByLine(t *testing.T) {
	c, _ := stopped(t, "visit")
	c.ok("step_over", nil)
	c.ok("step_over", nil)
	matches(t, c.ok("step_backward", args{"by": "over"}), fmt.Sprintf(
		`Stepped back to 0x[0-9a-f]+\nRestored from snapshot \d+\nvisit at \S*shapes.c:%d\n%[1]d\ttotal = add\(total, count\); .*`, line(t, "call")))
	contains(t, c.ok("evaluate", args{"expression": "total"}), " = 7")
	c.ok("seek", nil)
	c.ok("set_breakpoint", args{"function": "add"})
	contains(t, c.ok("step_backward", args{"by": "over"}), "Stopped at breakpoint 2 (", fmt.Sprintf("shapes.c:%d", line(t, "sum")))
	c.ok("clear_breakpoint", args{"id": 2})
	var at when
	c.data("step_backward", args{"by": "out"}, &at)
	if s := at.State; s.Function != "visit" || s.Line != line(t, "call") || s.Reason != "moment" {
		t.Errorf("out of add: %+v", s)
	}
	contains(t, c.ok("disassemble", args{"count": 1}), "call")
	c.ok("clear_breakpoint", args{"id": 1})
	c.data("step_backward", args{"by": "over", "count": 100}, &at)
	if s := at.State; s.Reason != "beginning" || s.History.Position != s.History.Oldest {
		t.Errorf("to the beginning: %+v", s)
	}
	contains(t, c.fails("step_backward", args{"by": "over"}, -32007), "history begins at position 0")
	c.fails("step_backward", args{"by": "word"}, -32602)
}

// Handlers of signals that came in the middle of lines are passed over; by lines
// they are gone through.
func TestBackOverHandler(t *testing.T) {
	p := debuggertest.Start(t, "ticked.c")
	c := connect(t, table(t, debugger.Config{Live: debugger.Live{NoTranslate: true}}))
	c.ok("attach", args{"pid": p.PID})
	c.ok("set_breakpoint", args{"address": fmt.Sprintf("%#x", p.Mark("on_tick"))})
	var at when
	c.data("continue", args{"record": true, "wait_ms": 60000}, &at)
	for range 2 { // handlers, with lines of the loop between them
		c.data("continue", args{"record": true, "wait_ms": 60000}, &at)
		if at.State.Function != "on_tick" {
			t.Fatalf("%+v", at.State)
		}
	}
	c.ok("step_out", args{"wait_ms": 60000})
	c.ok("clear_breakpoint", args{"id": 1})
	c.data("step_over", args{"wait_ms": 60000}, &at) // out of what the kernel put there, into the loop
	for at.State.Function != "count" {
		c.data("step_over", args{"wait_ms": 60000}, &at)
	}
	end := at.State.History.Position
	for range 20 {
		c.data("step_backward", args{"by": "over"}, &at)
		if at.State.Reason == "beginning" || at.State.History.Position == at.State.History.Oldest {
			break // which may be within a handler, or where a line begins
		}
		if at.State.Function != "count" {
			t.Fatalf("over: %+v", at.State)
		}
	}
	c.ok("seek", args{"position": end})
	for range 20 {
		if c.data("step_backward", args{"by": "line"}, &at); at.State.Function == "on_tick" {
			return
		}
	}
	t.Errorf("by lines the handler is not seen: %+v", at.State)
}

// recorded is a client at a marked line that has recorded all since another.
func recorded(t *testing.T, program, from, to string) *client {
	t.Helper()
	c, p := attach(t, program)
	c.ok("set_breakpoint", args{"file": program, "line": debuggertest.Line(t, program, from), "one_shot": true})
	p.Tell("go")
	contains(t, c.ok("continue", nil), "Stopped at breakpoint 1 (")
	c.ok("set_breakpoint", args{"file": program, "line": debuggertest.Line(t, program, to), "one_shot": true})
	contains(t, c.ok("continue", args{"record": true, "wait_ms": 60000}), "Stopped at breakpoint 2 (")
	return c
}

// What is before the line that is gone back to stops nothing: not marks there,
// nor those in what that line has called.
func TestMarksBeforeTheLine(t *testing.T) {
	for _, tt := range []struct{ from, mark, by, want string }{
		{"three", "one", "line", "two"},
		{"three", "one", "over", "two"},
		{"last", "inside", "over", "after"},
		{"after", "inside", "over", "inside"},
		{"after", "one", "over", "call"},
	} {
		t.Run(fmt.Sprintf("%s %s", tt.by, tt.from), func(t *testing.T) {
			sample.Case(t)
			c := recorded(t, "plain.c", "one", tt.from)
			c.ok("set_breakpoint", args{"file": "plain.c", "line": debuggertest.Line(t, "plain.c", tt.mark)})
			var at when
			c.data("step_backward", args{"by": tt.by}, &at)
			if want := debuggertest.Line(t, "plain.c", tt.want); at.State.Line != want {
				t.Errorf("came to %+v, want line %d", at.State, want)
			}
		})
	}
}

// Stacks of goroutines move, and the runtime has others beside them.
func TestBackInGo(t *testing.T) {
	sample.Alone(t)
	for _, tt := range []struct {
		by   string
		want []string
	}{
		{"over", []string{"deep", "alloc"}},
		{"out", []string{"call"}},
	} {
		t.Run(tt.by, func(t *testing.T) {
			c := recorded(t, "grow.go", "call", "after")
			var at when
			for _, want := range tt.want {
				c.data("step_backward", args{"by": tt.by, "wait_ms": 60000}, &at)
				if at.State.Line != debuggertest.Line(t, "grow.go", want) {
					t.Errorf("came to %+v, want %s", at.State, want)
				}
			}
		})
	}
}

// Where a function of Go needs a larger stack, steps into it come to its first
// line as elsewhere.
func TestStepIntoWithGrowth(t *testing.T) {
	c, p := attach(t, "grow.go")
	c.ok("set_breakpoint", args{"file": "grow.go", "line": debuggertest.Line(t, "grow.go", "deep"), "one_shot": true})
	p.Tell("go")
	contains(t, c.ok("continue", nil), "Stopped at breakpoint 1 (")
	var at when
	entered := 0
	for entered < 20 { // of 60 calls that take half a kilobyte of stack each
		c.data("step_line", args{"wait_ms": 60000}, &at)
		if at.State.Function != "main.deep" {
			t.Fatalf("after %d calls: %+v", entered, at.State)
		}
		if at.State.Line == debuggertest.Line(t, "grow.go", "enter") {
			entered++
		}
	}
}
