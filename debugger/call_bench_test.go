package debugger_test

import (
	"testing"

	"github.com/triptych-mcp/triptych/debugger"
	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
)

// What one call costs from one end of the connection to the other, in this
// process and without an audit trail. Pairs of calls are shown as one.
func BenchmarkCall(b *testing.B) {
	program := debuggertest.Start(b, "threads.c", "1")
	c := connect(b, table(b, debugger.Config{}))
	c.ok("attach", args{"pid": program.PID})
	c.ok("set_breakpoint", args{"function": "tick", "hit_count": 3})
	c.ok("continue", nil)
	c.ok("clear_breakpoint", args{"id": 1})
	c.ok("step_over", nil) // the symbols have been read
	for _, bench := range []struct {
		name  string
		tools []string
		args  any
	}{
		{"sessions", []string{"sessions"}, nil},
		{"registers", []string{"registers"}, nil},
		{"threads", []string{"threads"}, nil},
		{"get_stack_trace", []string{"get_stack_trace"}, nil},
		{"get_variables", []string{"get_variables"}, nil},
		{"evaluate", []string{"evaluate"}, args{"expression": "n + *count"}},
		{"read_memory", []string{"read_memory"}, args{"address": "$rsp"}},
		{"disassemble", []string{"disassemble"}, args{"address": "$rip"}},
		{"step_forward", []string{"step_forward"}, nil},
		{"step_forward_and_get_stack_trace", []string{"step_forward", "get_stack_trace"}, nil},
		{"step_backward_and_seek", []string{"step_backward", "seek"}, nil},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for _, tool := range bench.tools {
					c.ok(tool, bench.args)
				}
			}
		})
	}
}

// What it costs to attach, to see the first stack, and to let go. Each session is
// new, so nothing is known of the program.
func BenchmarkAttach(b *testing.B) {
	for _, name := range []string{"threads.c", "busy.go"} {
		b.Run(name, func(b *testing.B) {
			program := debuggertest.Start(b, name)
			c := connect(b, table(b, debugger.Config{}))
			b.ReportAllocs()
			for b.Loop() {
				c.ok("attach", args{"pid": program.PID})
				c.ok("get_stack_trace", nil)
				c.ok("detach", nil)
			}
		})
	}
}
