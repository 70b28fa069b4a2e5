package debugger_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger"
	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
)

// Vector, x87, mxcsr and segment registers are shown, in a process and in its
// past. The values are the ones registers.c loads; the selectors are the ones
// of a 64-bit process on Linux (arch/x86/include/asm/segment.h).
func TestExtendedRegisters(t *testing.T) {
	code := filepath.Join("testdata", "registers", "registers.c")
	path := debuggertest.Compile(t, code, nil, "gcc", "-g", "-O0")
	c := connect(t, table(t, debugger.Config{}))
	c.ok("launch", args{"path": path})
	c.ok("set_breakpoint", args{"file": "registers.c", "line": lineOf(t, code, "// stop")})
	c.ok("continue", nil)
	check := func() {
		t.Helper()
		contains(t, c.ok("registers", nil), "\n  cs      = 0x33", "\n  ss      = 0x2b", "\n  ds      = 0x0")
		vectors := c.ok("registers", args{"set": "vector"})
		contains(t, vectors, "mm15", "\n  mxcsr   = 0x9fc0")
		matches(t, vectors, `(?s).*\n  [xyz]mm3    = 0x[0-9a-f]*f0e0d0c0b0a09080706050403020100\n.*`)
		contains(t, c.ok("registers", args{"set": "x87"}),
			"\n  st0     = 0x4000c90fdaa22168c235 (3.14159265358979324", "\n  st1     = 0x0 (empty)", "\n  fctrl   = 0x37f", "\n  ftag    = 0x3fff")
		all := c.ok("registers", args{"set": "all"})
		contains(t, all, "\n  rax     = ", "mm3    = ", "\n  mxcsr   = 0x9fc0", "\n  st0     = ")
	}
	check()
	c.ok("step_forward", args{"count": 2})
	c.ok("step_backward", args{"count": 2})
	check()
	if general := c.ok("registers", args{"set": "general"}); strings.Contains(general, "mm3") {
		t.Errorf("vectors among the general registers:\n%s", general)
	}
	contains(t, c.fails("registers", args{"set": "vector", "frame": 1}, -1), "in frame 0 only")
	contains(t, c.ok("evaluate", args{"expression": "$cs"}), "= 0x33")
}
