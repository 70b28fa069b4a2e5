package debugger_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger"
	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
)

// Variables that others hide are marked: their names mean the others.
func TestHiddenVariables(t *testing.T) {
	for _, compiler := range []string{"g++", "clang++"} {
		t.Run(compiler, func(t *testing.T) {
			c := connect(t, table(t, debugger.Config{}))
			c.ok("launch", args{"path": program(t, compiler, "-g", "-O0", "shadows.cc")})
			c.ok("set_breakpoint", args{"function": "marker"})
			contains(t, c.ok("continue", nil), "Stopped at breakpoint 1 (")
			all := c.ok("get_variables", args{"scope": "all", "frame": 1})
			contains(t, all, "\n  n: int = 100 (hidden)\n", "\n  n: int = 4000\n  n: int = 300 (hidden)",
				"\n  n: int = 1 (hidden)\n", "\n  width: int = 2 (hidden)\n", "\n  alone: int = 3")
			var found struct {
				Local, Global []struct {
					Name, Value string
					Hidden      bool
				}
			}
			c.data("get_variables", args{"scope": "all", "frame": 1}, &found)
			for _, v := range append(found.Local, found.Global...) {
				hidden := map[string]bool{"100": true, "300": true, "1": true, "2": true}[v.Value]
				if v.Hidden != hidden {
					t.Errorf("%s with %s is hidden: %t", v.Name, v.Value, v.Hidden)
				}
			}
			contains(t, c.ok("evaluate", args{"expression": "n + width", "frame": 1}), "= 4020")
			contains(t, c.ok("get_variables", args{"scope": "global", "filter": "n*"}), "\n  n: int = 1")
		})
	}
}

// In Go the line of a declaration says from where it hides others.
func TestHiddenCaptured(t *testing.T) {
	source := filepath.Join("testdata", "expressions", "shadows", "main.go")
	path := debuggertest.Compile(t, source, nil, "go", "build", "-gcflags=-N -l")
	c := connect(t, table(t, debugger.Config{}))
	c.ok("launch", args{"path": path})
	for _, mark := range []string{"A", "B", "C", "D"} {
		c.ok("set_breakpoint", args{"file": "main.go", "line": lineOf(t, source, "// "+mark)})
	}
	for _, want := range []string{
		"Local variables:\n  v: int = 1", "Local variables:\n  v: int = 2\n  v: int = 1 (hidden)",
		"Local variables:\n  v: string = \"three\"\n  v: int = 2 (hidden)\n  v: int = 1 (hidden)",
		"Local variables:\n  v: int = 2\n  v: int = 1 (hidden)",
	} {
		contains(t, c.ok("continue", nil), "Stopped at breakpoint")
		if got := c.ok("get_variables", nil); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// A variable that the compiler has removed is optimized out; one that is only declared
// is unknown.
func TestRemovedVariables(t *testing.T) {
	for _, compiler := range []string{"gcc", "clang"} {
		t.Run(compiler, func(t *testing.T) {
			c := connect(t, table(t, debugger.Config{}))
			c.ok("launch", args{"path": program(t, compiler, "-g", "-O1", "removed.c")})
			contains(t, c.ok("evaluate", args{"expression": "lost"}), "lost: int = <optimized out>")
			contains(t, c.ok("evaluate", args{"expression": "gone"}), "gone: struct bits = ")
			contains(t, c.ok("evaluate", args{"expression": "here"}), "here: int = 4")
			contains(t, c.fails("evaluate", args{"expression": "nowhere"}, -1), "nowhere: no symbol found")
			contains(t, c.fails("evaluate", args{"expression": "&lost"}, -1), "optimized out")
			contains(t, c.fails("set_watchpoint", args{"expression": "lost"}, -32006), "in memory")
		})
	}
}

// Where a function is inlined, clang leaves out what it has removed: that hides a global
// variable all the same.
func TestRemovedArguments(t *testing.T) {
	for _, compiler := range []string{"gcc -gdwarf-5", "clang -gdwarf-4", "clang -gdwarf-5"} {
		t.Run(compiler, func(t *testing.T) {
			c := connect(t, table(t, debugger.Config{}))
			c.ok("launch", args{"path": program(t, append(strings.Fields(compiler), "-O2", "-g", "inlined.c")...)})
			c.ok("set_breakpoint", args{"function": "marker"})
			contains(t, c.ok("continue", nil), "Stopped at breakpoint 1 (")
			contains(t, c.ok("get_variables", args{"frame": 1}), "gone: int = <optimized out>")
			if strings.HasPrefix(compiler, "gcc") { // clang 14 puts it into a function without a name
				contains(t, c.ok("evaluate", args{"expression": "calls", "frame": 1}), "calls: volatile int = 11")
			}
			contains(t, c.ok("evaluate", args{"expression": "gone", "frame": 1}), "gone: int = <optimized out>")
			contains(t, c.ok("evaluate", args{"expression": "source + 3", "frame": 1}), " = 6")
			contains(t, c.ok("evaluate", args{"expression": "gone", "frame": 2}), "gone: int = 42")
		})
	}
}
