package debugger_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/triptych-mcp/triptych/debugger"
	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// faultCases are the ends of wild.c: the pointer is the one in its source, the
// signals follow the processor's manual and the kernel (a general protection
// fault is a SIGSEGV, a stack fault a SIGBUS).
var faultCases = []struct {
	how, signal, fault string
	text               string // what follows the place
}{
	{"load", "SIGSEGV", "0x4141414141414149", notCanonical("0x4141414141414149")}, // next is at 8
	{"store", "SIGSEGV", "0x4141414141414141", notCanonical("0x4141414141414141")},
	{"call", "SIGSEGV", "0x4141414141414141", notCanonical("0x4141414141414141")},
	{"return", "SIGSEGV", "0x4141414141414141", notCanonical("0x4141414141414141")},
	{"stack", "SIGBUS", "0x4141414141414139", notCanonical("0x4141414141414139")}, // 8 below
	{"copy", "SIGSEGV", "0x4141414141414141", notCanonical("0x4141414141414141")},
	{"aligned", "SIGSEGV", "", ", which the processor raised without an address"},
	{"halt", "SIGSEGV", "", ", which the processor raised without an address"},
	{"null", "SIGSEGV", "0x0", ", which is about the address 0x0"},
	{"sent", "SIGSEGV", "", ""},
}

func notCanonical(addr string) string {
	return `, which is about the address ` + addr + `, where no memory can be \(it is not canonical\)`
}

// Damaged memory is no null pointer, though the kernel says 0 for the address
// of both: neither in a process nor while it is recorded.
func TestFault(t *testing.T) {
	exe := debuggertest.Build(t, "wild.c")
	for _, tt := range faultCases {
		for _, tool := range []string{"continue", "step_forward"} {
			t.Run(tt.how+"/"+tool, func(t *testing.T) {
				sample.Case(t)
				c := connect(t, table(t, debugger.Config{}))
				c.ok("launch", args{"path": exe, "args": []string{tt.how}})
				arguments := map[string]any{"step_forward": args{"count": 100000}}[tool]
				matches(t, c.ok(tool, arguments), `Stopped by signal `+tt.signal+` \(0x[0-9a-f]+\)`+tt.text+`(?:\nInstruction: .*)?`)
				var list struct{ Sessions []answer }
				c.data("sessions", nil, &list)
				if s := list.Sessions[0].State; s.Signal != tt.signal || s.Fault != tt.fault {
					t.Errorf("signal %s, fault %q, want %s, %q", s.Signal, s.Fault, tt.signal, tt.fault)
				}
			})
		}
	}
}

// Nor in a core file.
func TestFaultInCore(t *testing.T) {
	gdb := debuggertest.GDB(t, debuggertest.Core)
	exe := debuggertest.Build(t, "wild.c")
	for _, tt := range faultCases[:3] {
		dir := t.TempDir()
		out, err := exec.CommandContext(t.Context(), gdb, "-nx", "-batch", "-ex", "run "+tt.how,
			"-ex", "generate-core-file "+filepath.Join(dir, "core"), "-ex", "kill", exe).CombinedOutput()
		if err != nil {
			t.Fatalf("gdb: %v\n%s", err, out)
		}
		c := connect(t, table(t, debugger.Config{Traces: []string{dir}}))
		matches(t, c.ok("open_core", args{"core": "core"}),
			`(?s)Opened core file .* with 1 thread\nStopped by signal `+tt.signal+` \(0x[0-9a-f]+\)`+tt.text+`\nmain at .*`)
	}
}
