package debugger_test

import (
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/triptych-mcp/triptych/debugger"
	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// A program that the debugger has launched makes system calls without a stop while it is
// recorded, with one thread or two, also after it has run unrecorded, and the recording is exact.
func TestRecordTranslatedCalls(t *testing.T) {
	const calls = 800
	for name, arguments := range map[string][]string{"alone": {}, "two threads": {"two"}} {
		t.Run(name, func(t *testing.T) {
			sample.Case(t)
			c := connect(t, table(t, debugger.Config{}))
			var started struct{ State struct{ PID int } }
			c.data("launch", args{"path": debuggertest.Build(t, "calls.c", "-O1", "-pthread"), "args": arguments}, &started)
			t.Cleanup(func() { _ = syscall.Kill(started.State.PID, syscall.SIGKILL) })
			here := args{"file": "calls.c", "line": debuggertest.Line(t, "calls.c", "here")}
			c.ok("set_breakpoint", here)
			var at when
			var ends []uint64   // of the recordings
			least := int(calls) // stops of one of them: a busy machine makes more in some
			for n, recorded := range []bool{true, false, true, true, true, true} {
				c.data("continue", args{"record": recorded, "wait_ms": 60000}, &at)
				if note := at.State.Note; recorded && note != "" {
					t.Fatal(note)
				}
				if got := c.value("rounds"); got != n {
					t.Errorf("round %d, want %d: %+v", got, n, at.State)
				}
				if !recorded {
					least = calls // those that follow count
				} else {
					least = min(least, c.value("stops"))
					ends = append(ends, at.State.History.End)
				}
			}
			if least > calls/4 {
				t.Errorf("%d calls have made %d stops", calls, least)
			}
			c.data("seek", args{"position": ends[1], "wait_ms": 60000}, &at)
			if got := c.value("rounds"); got != 2 {
				t.Errorf("round %d, want 2", got)
			}
			c.ok("detach", args{})
			c.ok("attach", args{"pid": started.State.PID})
			c.ok("set_breakpoint", here)
			c.data("continue", args{"record": true, "wait_ms": 60000}, &at) // it has the filter
			least = calls
			for n := 0; n < 5 && least > calls/4; n++ {
				c.data("continue", args{"record": true, "wait_ms": 60000}, &at)
				if least = min(least, c.value("stops")); at.State.Note != "" {
					t.Error(at.State.Note)
				}
			}
			if least > calls/4 {
				t.Errorf("%d calls have made %d stops", calls, least)
			}
			c.ok("detach", args{})
		})
	}
}

// value returns a whole number that an expression has.
func (c *client) value(expression string) int {
	c.t.Helper()
	_, value, _ := strings.Cut(c.ok("evaluate", args{"expression": expression}), " = ")
	n, err := strconv.Atoi(value)
	if err != nil {
		c.t.Fatal(err)
	}
	return n
}
