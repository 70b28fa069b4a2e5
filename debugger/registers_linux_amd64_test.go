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

// Expressions read vector, x87 and control registers, with their parts and formats.
func TestExtendedRegistersInExpressions(t *testing.T) {
	code := filepath.Join("testdata", "registers", "registers.c")
	c := connect(t, table(t, debugger.Config{}))
	c.ok("launch", args{"path": debuggertest.Compile(t, code, nil, "gcc", "-g", "-O0")})
	c.ok("set_breakpoint", args{"file": "registers.c", "line": lineOf(t, code, "// stop")})
	c.ok("continue", nil)
	for expression, want := range map[string]string{
		"$xmm3.v16_int8":        "int8_t [16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}",
		"$xmm3.v4_int32[0]":     "int32_t = 50462976",
		"/x $xmm3.v8_int16":     "int16_t [8] = {0x100, 0x302, 0x504, 0x706, 0x908, 0xb0a, 0xd0c, 0xf0e}",
		"/x $xmm3.v2_int64":     "int64_t [2] = {0x706050403020100, 0xf0e0d0c0b0a0908}",
		"/x $xmm3.uint128":      "uint128_t = 0xf0e0d0c0b0a09080706050403020100",
		"$XMM3.v4_float[3]":     "float = 7.003653e-30",
		"$xmm3.v2_int64[0] + 1": "long = 506097522914230529",
		"$st0":                  "long double = 3.1415926535897932385",
		"/x $st0":               "long double = 0x4000c90fdaa22168c235",
		"$st0 > 3 && $st0 < 4":  "int = 1",
		"(int)$st0":             "int = 3",
		"$mxcsr":                "unsigned int = 0x9fc0",
		"/t $mxcsr":             "unsigned int = 0b1001111111000000",
		"$mxcsr & 0x1f80":       "unsigned int = 0x1f80",
		"$fctrl":                "unsigned int = 0x37f",
		"$ftag":                 "unsigned int = 0x3fff",
	} {
		contains(t, c.ok("evaluate", args{"expression": expression}), expression+": "+want)
	}
	contains(t, c.ok("evaluate", args{"expression": "$xmm3"}), "vec128 = {v4_float = {", "v2_double = {", "uint128 = 20011376718272490338853433276725592320}")
	contains(t, c.fails("evaluate", args{"expression": "$xmm3 + 1"}, -1), "is no number")
	for _, none := range []string{"$xmm32", "$st8", "$k8", "$zmm99", "$none"} {
		c.fails("evaluate", args{"expression": none}, -1)
	}
	for _, inner := range []string{"$xmm3", "$st0", "$mxcsr"} {
		contains(t, c.fails("evaluate", args{"expression": inner, "frame": 1}, -1), "in frame 0 only")
	}
}
