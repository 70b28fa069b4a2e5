package debugger_test

import (
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger"
)

// A file that the program has also mapped to be read is one module: its functions are
// found once, and breakpoints are set where the code is.
func TestOwnFileMapped(t *testing.T) {
	for name, flags := range map[string][]string{"pie": {"-pie", "-fPIE"}, "no pie": {"-no-pie"}} {
		t.Run(name, func(t *testing.T) {
			path := program(t, append(append([]string{"gcc", "-g", "-O0", "-w"}, flags...), "mapped.c")...)
			c := connect(t, table(t, debugger.Config{}))
			c.ok("launch", args{"path": path})
			c.ok("set_breakpoint", args{"function": "work"})
			contains(t, c.ok("continue", nil), "Stopped at breakpoint 1 (")
			c.ok("clear_breakpoint", args{"id": 1})
			if found := c.ok("find", args{"pattern": "work", "kind": "function"}); strings.Count(found, "mapped.c:") != 1 {
				t.Errorf("found %s, want one function", found)
			}
			c.ok("set_breakpoint", args{"file": "mapped.c", "line": 11})
			contains(t, c.ok("continue", nil), "Stopped at breakpoint 2 (")
			contains(t, c.ok("evaluate", args{"expression": "n"}), "= 2")
			contains(t, c.ok("continue", nil), "Stopped at breakpoint 2 (")
			contains(t, c.ok("continue", nil), "exited with status 0")
		})
	}
}
