package debugger

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/controltools"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/looktools"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/sessiontools"
	"github.com/triptych-mcp/triptych/debugger/internal/session/target"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/mcp/mcptest"
)

// tableau is a scene of one thread and a few bytes.
type tableau struct {
	regs  ptrace.Regs
	start uint64
	bytes []byte
}

var errNothing = errors.New("nothing is there")

func (s *tableau) ReadMemory(addr uint64, b []byte) (int, error) {
	if addr < s.start || addr >= s.start+uint64(len(s.bytes)) {
		return 0, target.ErrNoMemory
	}
	if n := copy(b, s.bytes[addr-s.start:]); n < len(b) {
		return n, target.ErrNoMemory
	}
	return len(b), nil
}

func (s *tableau) Regs(int) (ptrace.Regs, error) { return s.regs, nil }

func (s *tableau) XState(int, []byte) ([]byte, error) { return nil, errNothing }

func (s *tableau) Threads() ([]proc.ThreadInfo, error) {
	return []proc.ThreadInfo{{ID: 7, Current: true}}, nil
}

func (s *tableau) CurrentThread() (int, error) { return 7, nil }

func (s *tableau) SetCurrentThread(int) error { return proc.ErrNoThread }

func (s *tableau) Maps() (procfs.Maps, error) {
	return procfs.Maps{{Start: s.start, End: s.start + 0x1000}}, nil
}

func (s *tableau) file(symbols.Mapping) (symbols.File, error) { return nil, errNothing }

// A session without a process shows what there is, and refuses what only a
// process can do.
func TestFileSession(t *testing.T) {
	closed := 0
	cfg := Config{}
	sessions, _, err := cfg.Live.open(host.Env{Logger: slog.New(slog.DiscardHandler), Now: time.Now, Getenv: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	control, look := &controltools.Group{Sessions: sessions}, &looktools.Group{Sessions: sessions}
	table := &mcp.Table{Family: "debugger", Errors: wireError, ModelErrors: modelErrors, Tools: append(slices.Concat(control.Tools(), look.Tools()), mcp.Tool{
		Name: "debugger/open_tableau", Scope: sessiontools.ReadScope, Doc: "For this test",
		Call: mcp.Typed(func(_ context.Context, call *mcp.Call, _ struct{}) (controltools.Attached, error) {
			scene := &tableau{start: 0x1000, bytes: []byte{0x90, 0xc3, 'h', 'i'}}
			scene.regs.RIP, scene.regs.RAX, scene.regs.RSP = 0x1000, 42, 0x1000
			s, err := sessions.Add(call.StateKey(), target.Target{
				Kind: "core file", File: "/tmp/core", PID: 7, View: scene, OpenImage: scene.file, Reason: "signal",
				Stop: proc.Stop{Why: proc.Signalled, Signal: 11, Fault: 0x10}, CloseFile: func() error { closed++; return nil },
			})
			if err != nil {
				return controltools.Attached{}, err
			}
			return controltools.Attached{State: s.ReportedState()}, nil
		}),
	})}
	c := mcptest.Connect(t, table)
	c.Initialize("2025-06-18")
	type args = map[string]any
	c.Call("debugger/open_tableau", nil)
	for _, tt := range []struct {
		tool string
		args any
		want string // of the answer or the error
	}{
		{"sessions", nil, "core file /tmp/core , stopped at 0x1000"},
		{"get_stack_trace", nil, "#0  0x1000"},
		{"registers", nil, "rax     = 0x2a"},
		{"threads", nil, "* 7 at 0x1000"},
		{"read_memory", args{"address": "0x1002", "length": 4}, "68 69"},
		{"disassemble", args{"count": 2}, "=> 0x1000  nop"},
		{"evaluate", args{"expression": "$rax + 1"}, "= 0x2b"},
		{"list_breakpoints", nil, "No breakpoints"},
		{"get_variables", nil, "(none)"},
		{"goroutines", nil, "No goroutines"},
		{"threads", args{"select": 8}, "No such thread"},
		{"continue", nil, "No process"},
		{"pause", nil, "No process"},
		{"step_line", nil, "No process"},
		{"step_forward", nil, "No process"},
		{"write_memory", args{"address": "0x1000", "hex": "00"}, "No process"},
		{"set_breakpoint", args{"address": "0x1000"}, "No process"},
		{"set_watchpoint", args{"address": "0x1000"}, "No process"},
		{"detach", args{"kill": true}, "not ours to kill"},
		{"detach", nil, "Closed core file /tmp/core"},
		{"registers", nil, "core file /tmp/core was detached from"},
	} {
		a := c.Call("debugger/"+tt.tool, tt.args)
		got := a.String()
		if a.Err != nil {
			got += string(a.Err.Data)
		}
		if !strings.Contains(got, tt.want) {
			t.Errorf("%s %v: %s, want %q", tt.tool, tt.args, got, tt.want)
		}
	}
	if closed != 1 {
		t.Errorf("the file was closed %d times, want once", closed)
	}
}
