package debugger_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/debugger/debuggertest"
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
		if took := time.Since(began); took > 3*time.Second {
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
