package debugger_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/debugger"
	"github.com/triptych-mcp/triptych/mcp"
)

// counters is the folder with the core file and the trace of counter.c.
const counters = "testdata/postmortem"

// A crash is looked into on any system: the core file was left by the kernel,
// the program is beside it.
func TestCoreOfCounter(t *testing.T) {
	c := connect(t, table(t, debugger.Config{Traces: []string{counters}}))
	matches(t, c.ok("open_core", args{"core": "counter.core", "executable": "counter"}),
		`Opened core file \S*counter\.core of /tmp/counter/counter, process \d+ with 1 thread\n`+
			`Stopped by signal SIGSEGV \(0x40104d\), which is about the address 0x40\nuse at /tmp/counter/counter\.c:16`)
	trace := c.ok("get_stack_trace", nil)
	contains(t, trace, "#0  0x40104d use+0xe /tmp/counter/counter.c:16\n#1  0x401071 _start+0x1c /tmp/counter/counter.c:22")
	contains(t, c.ok("get_variables", args{"scope": "all"}), "\n  factor: int = 3", "table = {0, 16, 32, 48}, where = 0x40")
	contains(t, c.ok("evaluate", args{"expression": "data.table[2] + factor"}), "= 35")
	contains(t, c.fails("evaluate", args{"expression": "data.nothing"}, -1), "has no member nothing")
	contains(t, c.ok("disassemble", args{"count": 1}), "=> 0x40104d <use+0xe>  mov eax, [rax]")
	contains(t, c.ok("read_memory", args{"address": "&data", "length": 24}), "0x402000: 00 00 00 00 10 00 00 00 20 00 00 00 30 00 00 00", "0x402010: 40 00 00 00")
	contains(t, c.fails("read_memory", args{"address": "0x40"}, -1), "read memory at 0x40: nothing was mapped there")
	contains(t, c.ok("read_memory", args{"address": "&data", "length": 4104}), "(8 more bytes cannot be read)")
	contains(t, c.ok("registers", nil), "rip     = 0x40104d <use+0xe>")
	contains(t, c.fails("threads", args{"select": 1}, -1), "no such thread")
}

// Without the program there are addresses, and word of what is missing.
func TestCoreWithoutProgram(t *testing.T) {
	c := connect(t, table(t, debugger.Config{Traces: []string{counters}}))
	contains(t, c.ok("open_core", args{"core": "counter.core"}), "Missing: code and symbols: file /tmp/counter/counter: ")
	contains(t, c.ok("get_stack_trace", nil), "#0  0x40104d")
	contains(t, c.fails("disassemble", nil, -1), "read memory at 0x40104d: file /tmp/counter/counter: ")
	contains(t, c.fails("open_core", args{"core": "counter.core", "executable": "counter.c"}, -1), "counter.c: it is no ELF file")
}

// The files of a process may be in a folder that has a copy of its file system;
// one that has none of them is named.
func TestRoot(t *testing.T) {
	dir := t.TempDir()
	for from, to := range map[string]string{
		"counter": "image/tmp/counter/counter", "counter.core": "counter.core", "counter.trace": "counter.trace", "counter.c": "empty/tmp/counter.c",
	} {
		b, err := os.ReadFile(filepath.Join(counters, from))
		if err != nil {
			t.Fatal(err)
		}
		to = filepath.Join(dir, filepath.FromSlash(to))
		if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o700), os.WriteFile(to, b, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	c := connect(t, table(t, debugger.Config{Traces: []string{dir}}))
	for tool, file := range map[string]args{"open_core": {"core": "counter.core"}, "open_trace": {"file": "counter.trace"}} {
		file["root"] = "image"
		if got := c.ok(tool, file); strings.Contains(got, "Missing") {
			t.Errorf("%s: %s", tool, got)
		}
		contains(t, c.ok("get_stack_trace", nil), "#0  0x40104d use+0xe")
		c.ok("detach", nil)
		file["root"] = "empty"
		contains(t, c.ok(tool, file), "Missing: code and symbols: ", "Missing: root: none of the process's files is below empty")
		c.ok("detach", nil)
		file["root"] = filepath.Dir(dir)
		contains(t, c.ok(tool, file), "Missing: root: none")
		c.ok("detach", nil)
	}
}

// Sessions with files are found, limited and ended as others are.
func TestFileSessions(t *testing.T) {
	c := connect(t, table(t, debugger.Config{Traces: []string{counters}, Live: debugger.Live{Sessions: 2}}))
	var first, second answer
	c.data("open_core", args{"core": "counter.core", "executable": "counter"}, &first)
	c.data("open_trace", args{"file": "counter.trace", "executable": "counter"}, &second)
	contains(t, c.fails("get_stack_trace", nil, -1), first.State.Session, second.State.Session)
	contains(t, c.fails("open_core", args{"core": "counter.core"}, -32003), "2 sessions are open already")
	contains(t, c.fails("open_trace", args{"file": "counter.trace"}, -32003), "2 sessions are open already")
	contains(t, c.ok("get_stack_trace", args{"session": first.State.Session}), "use+0xe")
	list := c.ok("sessions", nil)
	contains(t, list, "core file ", "counter.core /tmp/counter/counter, stopped at 0x40104d use", "trace ")
	c.ok("detach", args{"session": first.State.Session})
	matches(t, c.ok("detach", nil), `Closed trace \S*`+filepath.Base("counter.trace"))
	if got := c.ok("sessions", nil); got != "No sessions" {
		t.Errorf("sessions: %q", got)
	}
}

// A search for similar bugs begins where the core file says that it happened.
func TestSimilarToCore(t *testing.T) {
	c := connect(t, table(t, debugger.Config{Traces: []string{counters}, Projects: []string{counters}}))
	c.ok("open_core", args{"core": "counter.core", "executable": "counter"})
	if got := c.ok("find_similar_bugs", nil); !strings.Contains(got, "similar pattern") {
		t.Errorf("find_similar_bugs: %s", got)
	}
}

// A trace is gone through from its end to its beginning and back.
func TestTraceOfCounter(t *testing.T) {
	c := connect(t, table(t, debugger.Config{Traces: []string{counters}}))
	matches(t, c.ok("open_trace", args{"file": "counter.trace", "executable": "counter"}),
		`(?s)Opened trace \S*counter\.trace of /tmp/counter/counter, process \d+ with 1 thread, positions 0 to 83\n.*use at /tmp/counter/counter\.c:16`)
	contains(t, c.ok("get_variables", args{"scope": "global"}), "where = 0x40")
	contains(t, c.ok("step_backward", args{"count": 15}), "Stepped back to 0x40102c")
	contains(t, c.ok("get_variables", args{"scope": "all"}), "\n  i: int = 4", "where = 0x402000")
	contains(t, c.ok("get_stack_trace", nil), "#0  0x40102c fill+0x2c /tmp/counter/counter.c:11\n#1  0x401067 _start+0x12")
	contains(t, c.ok("disassemble", args{"count": 1}), "mov [rdx+rax], ecx")
	contains(t, c.ok("disassemble", args{"address": "use", "count": 1}), "push rbp")
	contains(t, c.ok("step_forward", nil), "Stepped to 0x40102f")
	contains(t, c.ok("get_variables", args{"scope": "global"}), "where = 0x40")
	contains(t, c.fails("step_backward", args{"count": 100}, -32007), "69")
	contains(t, c.ok("step_backward", args{"count": 69}), "Stepped back to 0x401055")
	contains(t, c.fails("step_backward", nil, -32007), "recording began there")
}

// Breakpoints and watchpoints stop on the way through a trace, in both
// directions, and its end is said to be one.
func TestMarksInTrace(t *testing.T) {
	c := connect(t, table(t, debugger.Config{Traces: []string{counters}}))
	c.ok("open_trace", args{"file": "counter.trace", "executable": "counter"})
	c.ok("set_breakpoint", args{"function": "fill"})
	c.ok("set_watchpoint", args{"expression": "data.where"})
	for _, tt := range []struct{ tool, want string }{
		{"reverse_continue", "Before the write to watchpoint 2 (0x40102c)"},
		{"reverse_continue", "Stopped at breakpoint 1 (0x401007)"},
		{"continue", "Stopped at watchpoint 2 (0x40102f)"},
		{"continue", "Came to the present at 0x40104d"},
		{"continue", "Came to the present at 0x40104d"},
		{"step_forward", "Came to the present at 0x40104d"},
	} {
		contains(t, c.ok(tt.tool, nil), tt.want)
	}
	c.ok("seek", args{"position": 0})
	contains(t, c.ok("step_line", nil), "_start at /tmp/counter/counter.c:21")
	contains(t, c.fails("seek", args{"position": 84}, -32602), "83")
}

// A core file is one moment: nothing goes back from it, or on.
func TestCoreStandsStill(t *testing.T) {
	c := connect(t, table(t, debugger.Config{Traces: []string{counters}}))
	c.ok("open_core", args{"core": "counter.core", "executable": "counter"})
	for _, tool := range []string{"step_backward", "reverse_continue", "seek", "export_trace"} {
		contains(t, c.fails(tool, nil, -32007), "a core file shows one moment only")
	}
	contains(t, c.fails("last_write", args{"expression": "data"}, -32007), "a core file shows one moment only")
	for _, tool := range []string{"continue", "pause", "step_forward", "step_line", "step_over", "step_out"} {
		contains(t, c.fails(tool, nil, -1), "this session is a core file, ", "it can be looked at, not moved or changed")
	}
	contains(t, c.fails("write_memory", args{"address": "&data", "hex": "00"}, -1), "this session is a core file, ")
}

// A session with a file belongs to its key, and ends when it is idle.
func TestFileSessionBelongsToKey(t *testing.T) {
	cfg := debugger.Config{Traces: []string{counters}, Live: debugger.Live{Idle: 1500 * time.Millisecond}}
	server, err := mcp.New(mcp.Config{Name: "test", Version: "1"}, table(t, cfg))
	if err != nil {
		t.Fatal(err)
	}
	for quick := false; !quick; { // else the session may have been idle for too long
		opened := time.Now()
		contains(t, send(t, server, "ann", "open_core", `{"core":"counter.core","executable":"counter"}`), "Opened core file")
		contains(t, send(t, server, "bob", "get_stack_trace", `{}`), `"code":-32005`)
		got := send(t, server, "ann", "get_stack_trace", `{}`)
		if quick = time.Since(opened) < cfg.Live.Idle; quick {
			contains(t, got, "use+0xe")
		}
	}
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		got := send(t, server, "ann", "sessions", `{}`) // it does not count as use
		if strings.Contains(got, "No sessions") {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("a session that nobody uses is still there: %s", got)
		}
	}
	contains(t, send(t, server, "ann", "get_stack_trace", `{}`), "counter.core was released because the session had been idle for 1.5s")
}

// A path that no file can have is the caller's mistake, and an error about it
// says nothing of where the folders are.
func TestImpossiblePaths(t *testing.T) {
	dir, err := filepath.Abs(counters)
	if err != nil {
		t.Fatal(err)
	}
	c := connect(t, table(t, debugger.Config{Traces: []string{counters}}))
	loop := filepath.Join(t.TempDir(), "loop")
	if err := os.Symlink(loop, loop); err != nil {
		t.Fatal(err)
	}
	looping := connect(t, table(t, debugger.Config{Traces: []string{filepath.Dir(loop)}}))
	long := strings.Repeat("x", 256)
	for _, tt := range []struct {
		c    *client
		tool string
		args args
		want string
	}{
		{c, "open_core", args{"core": long}, "file name too long"},
		{c, "open_trace", args{"file": long}, "file name too long"},
		{c, "open_core", args{"core": "counter.core", "executable": long}, "file name too long"},
		{c, "open_core", args{"core": "counter.c/core"}, "not a directory"},
		{looping, "open_core", args{"core": "loop"}, "too many links"},
		{c, "open_core", args{"core": strings.Repeat("y/", 1<<20)}, "is not there"},
	} {
		got := tt.c.fails(tt.tool, tt.args, -32602)
		if !strings.Contains(got, tt.want) || strings.Contains(got, dir) || strings.Contains(got, filepath.Dir(loop)) || len(got) > 500 {
			t.Errorf("%s: %q, want %q and no folder", tt.tool, got, tt.want)
		}
	}
}
