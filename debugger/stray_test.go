package debugger_test

import (
	"fmt"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/debuggertest"
)

// The worked example of docs/time-travel.md: from a crash back to the write
// that has caused it, long before.
func TestStrayWrite(t *testing.T) {
	at := func(mark string) int { return debuggertest.Line(t, "stray.c", mark) }
	c, p := attach(t, "stray.c")
	c.ok("set_breakpoint", args{"function": "fill", "one_shot": true})
	p.Tell("run")
	contains(t, c.ok("continue", nil), "Stopped at breakpoint 1 (")
	contains(t, c.ok("continue", args{"record": true, "wait_ms": 60000}), "Stopped by signal SIGSEGV (", "which is about the address 0x6c")
	text := c.ok("last_write", args{"expression": "shop.owner", "move": true})
	contains(t, text, "Last write to ", "(8 bytes): at position ", "Value: 0x000000000000006c, before it 0x", "In the past: snapshot ",
		fmt.Sprintf("stray.c:%d\n#1 ", at("store")), fmt.Sprintf("stray.c:%d\n#2 ", at("call")), fmt.Sprintf("stray.c:%d\n", at("fill")))
	contains(t, c.ok("get_variables", nil), "  slot: int = 8\n", "  price: long = 108")
	contains(t, c.ok("evaluate", args{"expression": "shop.owner"}), `"shapes & co"`)
}
