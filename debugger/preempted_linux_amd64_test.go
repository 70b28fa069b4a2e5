package debugger_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger"
)

// A breakpoint in a Go program stops, counts and logs once for each execution, though
// the goroutine is preempted while it stands there.
func TestPreemptedAtBreakpoint(t *testing.T) {
	path := program(t, "go", "build", "-gcflags=-N -l", "preempted/main.go")
	at := args{"file": "main.go", "line": 12}
	launched := func(t *testing.T, breakpoint args) *client {
		t.Helper()
		c := connect(t, table(t, debugger.Config{}))
		c.ok("launch", args{"path": path})
		for name, value := range at {
			breakpoint[name] = value
		}
		c.ok("set_breakpoint", breakpoint)
		return c
	}
	t.Run("stops", func(t *testing.T) {
		c := launched(t, args{})
		for i := range 100 {
			contains(t, c.ok("continue", nil), "Stopped at breakpoint 1 (")
			contains(t, c.ok("evaluate", args{"expression": "i"}), fmt.Sprintf("= %d", i))
		}
		contains(t, c.ok("continue", nil), "exited with status 0")
	})
	t.Run("hits", func(t *testing.T) {
		c := launched(t, args{"hit_count": 50})
		contains(t, c.ok("continue", args{"wait_ms": 60000}), "Stopped at breakpoint 1 (")
		contains(t, c.ok("evaluate", args{"expression": "i"}), "= 49")
	})
	t.Run("logs", func(t *testing.T) {
		c := launched(t, args{"log": "i is {i}"})
		log := c.ok("continue", args{"wait_ms": 60000})
		if n := strings.Count(log, "i is "); n != 100 {
			t.Errorf("%d lines of the log, want 100:\n%s", n, log)
		}
	})
}
