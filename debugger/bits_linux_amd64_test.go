package debugger_test

import (
	"os/exec"
	"testing"

	"github.com/triptych-mcp/triptych/debugger"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// bitCompilers build bits.cc with both compilers and both forms of debug information.
// clang's DWARF 4 has the offsets of bit-fields from the other end.
func bitCompilers(t *testing.T) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for _, compiler := range []string{"g++", "clang++"} {
		if _, err := exec.LookPath(compiler); err != nil {
			t.Logf("%s is missing", compiler)
			continue
		}
		for _, dwarf := range []string{"-gdwarf-4", "-gdwarf-5"} {
			all[compiler+dwarf] = []string{compiler, dwarf, "-O0", "-w", "bits.cc"}
		}
	}
	return all
}

// Negative enumerators keep their sign in expressions, conditions and bit-fields.
func TestSignedEnumerations(t *testing.T) {
	for name, compiler := range bitCompilers(t) {
		t.Run(name, func(t *testing.T) {
			c, want := expressions(t, "marker", compiler...)
			agree(t, c, want)
			contains(t, c.ok("evaluate", args{"expression": "s", "frame": 1}),
				"{whole = Step::low, part = Step::low, p = minus, q = minus, w = Wide::big}")
		})
	}
}

// The address of a bit-field is that of its first byte, its last write is one that
// changed its bits, and a watchpoint stops where they change.
func TestPlacesOfBitFields(t *testing.T) {
	writers := map[string]string{"shop.open": " opens", "shop.kind": " kinds", "shop.split": " splits", "shop.far": " fars", "shop.total": " adds"}
	for name, compiler := range bitCompilers(t) {
		t.Run(name, func(t *testing.T) {
			sample.Case(t)
			path := program(t, compiler...)
			for expression, writer := range writers {
				c := connect(t, table(t, debugger.Config{}))
				c.ok("launch", args{"path": path})
				c.ok("set_breakpoint", args{"function": "opens"})
				contains(t, c.ok("continue", nil), "Stopped at breakpoint 1 (")
				c.ok("set_watchpoint", args{"expression": expression})
				contains(t, c.ok("continue", nil), "Stopped at watchpoint 2 (")
				contains(t, c.ok("get_stack_trace", args{"max_frames": 1}), writer)
			}
			c := connect(t, table(t, debugger.Config{}))
			c.ok("launch", args{"path": path})
			c.ok("set_breakpoint", args{"function": "marker"})
			contains(t, c.ok("continue", args{"record": true, "wait_ms": 60000}), "Stopped at breakpoint 1 (")
			for expression, writer := range writers {
				contains(t, c.ok("last_write", args{"expression": expression}), writer)
			}
			contains(t, c.ok("last_write", args{"expression": "shop.kind"}), "Value: 0x05, before it 0x00", "The same bytes hold open, split.")
			contains(t, c.ok("last_write", args{"expression": "shop.split"}), "Value: 0x012c, before it 0x0000")
			contains(t, c.ok("trace_value", args{"expression": "shop.kind"}), "kinds", "#1 shop.kind: 0x00 -> 0x05")
		})
	}
}
