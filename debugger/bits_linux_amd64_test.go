package debugger_test

import (
	"os/exec"
	"slices"
	"strings"
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
	sample.Alone(t)
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

// Values are traced through bit-fields, with optimization, too: a hop is the last write to the
// bits of the field, not to its bytes, and the other fields in them are no sources.
func TestTracesOfBitFields(t *testing.T) {
	for name, compiler := range bitCompilers(t) {
		for _, optimization := range []string{"-O0", "-O2"} {
			t.Run(name+optimization, func(t *testing.T) {
				sample.Case(t)
				c := connect(t, table(t, debugger.Config{}))
				compiler := slices.Insert(slices.Clone(compiler), len(compiler)-1, optimization)
				c.ok("launch", args{"path": program(t, compiler...)})
				c.ok("set_breakpoint", args{"function": "marker"})
				contains(t, c.ok("continue", args{"record": true, "wait_ms": 60000}), "Stopped at breakpoint 1 (")
				traceBitFields(t, c)
				if optimization == "-O2" { // without, clang keeps all of the register in memory between the steps
					traceChosenBits(t, c)
				}
			})
		}
	}
}

// A line that wrote other bits of a register is none that the value passed through.
func traceChosenBits(t *testing.T, c *client) {
	t.Helper()
	got := c.ok("trace_value", args{"expression": "chosen"})
	contains(t, got, "#1 chosen: 0 -> 22016", " chooses ", "through ", "andl", "from given")
	if strings.Contains(got, "movb") {
		t.Errorf("movb is in\n%s", got)
	}
}

func traceBitFields(t *testing.T, c *client) {
	t.Helper()
	for expression, want := range map[string][]string{
		"shop.kind": {"#1 shop.kind: 0x00 -> 0x05", " kinds ", "from the constant 5"},
		"taken":     {"#1 taken: 0 -> 300", " takes ", "#2 shop.split: 0x0000 -> 0x012c", " splits ", "from the constant 300"},
		"mixed": {
			"#1 mixed: 0 -> 3", " mixes ", "#2 bits 1 to 3 of 0x", ": 0x02 -> 0x03", " raises ",
			"#3 bits 1 to 3 of 0x", ": 0x00 -> 0x02", " fills ", "from given = 0x1234567a",
		},
	} {
		got := c.ok("trace_value", args{"expression": expression})
		contains(t, got, want...)
		for _, other := range []string{" opens ", " fars ", " main "} {
			if strings.Contains(got, other) {
				t.Errorf("%s is in\n%s", other, got)
			}
		}
	}
}
