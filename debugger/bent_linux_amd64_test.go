package debugger_test

import (
	"path/filepath"
	"testing"

	"github.com/triptych-mcp/triptych/debugger"
)

// A value that was read through a pointer has two origins: its own, and the write that has
// bent the pointer.
func TestOriginOfPointer(t *testing.T) {
	source := filepath.Join("testdata", "expressions", "bent.c")
	for _, compiler := range [][]string{{"gcc", "-g", "-O0"}, {"clang", "-g", "-O0"}} {
		t.Run(compiler[0], func(t *testing.T) {
			c := connect(t, table(t, debugger.Config{}))
			c.ok("launch", args{"path": program(t, append(compiler, "bent.c")...)})
			c.ok("set_breakpoint", args{"file": "bent.c", "line": lineOf(t, source, "// read")})
			contains(t, c.ok("continue", args{"record": true, "wait_ms": 60000}), "Stopped at breakpoint 1 (")
			contains(t, c.ok("trace_value", args{"expression": "got"}), " fills ", "read through the address of #", " bends ")
		})
	}
}

// The value of a question has the question's name where the variable is not known at the write.
func TestNameOfOrigin(t *testing.T) {
	c := connect(t, table(t, debugger.Config{}))
	c.ok("launch", args{"path": program(t, "rustc", "-g", "origin.rs")})
	c.ok("set_breakpoint", args{"file": "origin.rs", "line": lineOf(t, filepath.Join("testdata", "expressions", "origin.rs"), "marker(got);")})
	contains(t, c.ok("continue", args{"record": true, "wait_ms": 60000}), "Stopped at breakpoint 1 (")
	contains(t, c.ok("trace_value", args{"expression": "got", "hops": 4}), "#1 got: ", " -> 18\n", " origin::pick ")
}
