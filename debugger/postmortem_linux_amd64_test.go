package debugger_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger"
	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
)

// coreOf lets gdb run shapes.c to a marked line and leave a core file in a
// folder of its own.
func coreOf(t *testing.T, mark string) (dir, exe string) {
	t.Helper()
	path := debuggertest.GDB(t, debuggertest.Core)
	dir, exe = t.TempDir(), debuggertest.Build(t, "shapes.c")
	input := filepath.Join(dir, "input")
	if err := os.WriteFile(input, []byte("run\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), path, "-nx", "-batch", "-ex", fmt.Sprintf("break shapes.c:%d", line(t, mark)),
		"-ex", "run < "+input, "-ex", "generate-core-file "+filepath.Join(dir, "core"), "-ex", "kill", exe).CombinedOutput()
	if err != nil {
		t.Fatalf("gdb: %v\n%s", err, out)
	}
	return dir, exe
}

// What can be seen where a process stands can be seen in its core file.
func TestOpenCore(t *testing.T) {
	dir, exe := coreOf(t, "sum")
	c := connect(t, table(t, debugger.Config{Traces: []string{dir}}))
	matches(t, c.ok("open_core", args{"core": "core"}),
		`Opened core file `+regexp.QuoteMeta(filepath.Join(dir, "core"))+` of `+regexp.QuoteMeta(exe)+`, process \d+ with 1 thread\n`+
			`Stopped by signal SIGTRAP \(0x[0-9a-f]+\)\n\w+ at \S*shapes\.c:\d+\n\d+\t.*`)
	live, _ := stopped(t, "sum")
	for _, tt := range []struct {
		tool string
		args any
	}{
		{"get_variables", nil},
		{"get_variables", args{"frame": 1}},
		{"get_variables", args{"scope": "global"}},
		{"evaluate", args{"expression": "list->next->value", "frame": 1}},
		{"source", nil},
	} {
		if got, want := relocate(c.ok(tt.tool, tt.args)), relocate(live.ok(tt.tool, tt.args)); got != want {
			t.Errorf("%s %v: in the core file\n%s\nin the process\n%s", tt.tool, tt.args, got, want)
		}
	}
	contains(t, c.ok("get_stack_trace", nil), "#0  0x", " main+0x")
	contains(t, c.ok("registers", nil), "rip     = 0x")
	contains(t, c.ok("disassemble", nil), "=> 0x")
	matches(t, c.ok("threads", nil), `Threads:\n\* \d+ shapes-c-\S+ at 0x.*`)
	contains(t, c.ok("sessions", nil), "core file "+filepath.Join(dir, "core")+" "+exe+", stopped at 0x")
	contains(t, c.fails("goroutines", nil, -1), "not made by Go's compiler")
	for tool, arguments := range map[string]any{
		"continue": nil, "pause": nil, "step_line": nil, "step_forward": nil,
		"write_memory": args{"address": "$rsp", "hex": "00"}, "set_breakpoint": args{"function": "main"},
	} {
		contains(t, c.fails(tool, arguments, -1), "core file")
	}
	if got, want := c.ok("detach", nil), "Closed core file "+filepath.Join(dir, "core"); got != want {
		t.Errorf("detach: %q, want %q", got, want)
	}
	contains(t, c.fails("registers", nil, -32005), "core file "+filepath.Join(dir, "core")+" was detached from")
}

// relocate takes out what differs from run to run.
func relocate(text string) string {
	text = regexp.MustCompile(`0x[0-9a-f]{6,}`).ReplaceAllString(text, "ADDRESS")
	return regexp.MustCompile(`(?m)^  line: .*$`).ReplaceAllString(text, "")
}

// A program that was moved is named; one that was built differently is refused.
func TestOpenCoreExecutable(t *testing.T) {
	dir, exe := coreOf(t, "sum")
	b, err := os.ReadFile(exe)
	if err != nil {
		t.Fatal(err)
	}
	put := func(name string, b []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("copy", b)
	put("text", []byte("text"))
	other, err := os.ReadFile(debuggertest.Build(t, "threads.c"))
	if err != nil {
		t.Fatal(err)
	}
	put("other", other)
	c := connect(t, table(t, debugger.Config{Traces: []string{dir}}))
	for name, want := range map[string]string{
		"other": "other: it is another one now: its build id is ",
		"text":  "text: it is no ELF file",
	} {
		contains(t, c.fails("open_core", args{"core": "core", "executable": name}, -1), want)
	}
	contains(t, c.fails("open_core", args{"core": "core", "executable": "none"}, -32602), "none is not there")
	contains(t, c.fails("open_core", args{"core": "core", "executable": exe}, -32003), exe+" is outside")
	c.ok("open_core", args{"core": "core", "executable": "copy"})
	contains(t, c.ok("get_stack_trace", nil), " main+0x")
}

// Nothing outside of the folders is opened, however it is spelt or linked to,
// and nothing that is no core file or trace.
func TestOpenConfined(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	for name, content := range map[string]string{"secret": "core", "dir/text": "text", "trace": "triptych trace\r\n\x02\x00"} {
		at := filepath.Join(dir, name)
		if name == "secret" {
			at = filepath.Join(outside, name)
		}
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"link": filepath.Join(outside, "secret"), "folder": outside, "inside": filepath.Join(dir, "dir/text")} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	c := connect(t, table(t, debugger.Config{Traces: []string{dir}}))
	for _, tt := range []struct {
		path string
		code int
		want string
	}{
		{filepath.Join(outside, "secret"), -32003, "is outside of the folders of core files and traces; --traces"},
		{"../" + filepath.Base(outside) + "/secret", -32003, "is outside"},
		{dir + "/../" + filepath.Base(outside) + "/secret", -32003, "is outside"},
		{"link", -32003, "is outside"},
		{"folder/secret", -32003, "is outside"},
		{"/etc/passwd", -32003, "is outside"},
		{"/nothing/there", -32003, "is outside"},
		{"dir", -32003, "is no regular file"},
		{"", -32602, "must not be empty"},
		{"dir/none", -32602, "dir/none is not there"},
		{"a\x00b", -32602, "null bytes"},
		{"dir/text", -1, ""},
		{"inside", -1, ""},
		{filepath.Join(dir, "inside"), -1, ""},
		{"trace", -1, ""},
	} {
		for tool, name := range map[string]string{"open_core": "core", "open_trace": "file"} {
			if got := c.fails(tool, args{name: tt.path}, tt.code); tt.path != "" && !strings.Contains(got, tt.want) {
				t.Errorf("%s %q: %s, want %q", tool, tt.path, got, tt.want)
			}
		}
	}
	contains(t, c.fails("open_core", args{"core": "dir/text"}, -1), "it is no ELF file")
	contains(t, c.fails("open_trace", args{"file": "dir/text"}, -1), "this is no binary trace")
	contains(t, c.fails("open_trace", args{"file": "trace"}, -1), "this version of the trace format is not known: 2")
}

// traceOf records shapes.c from where it waits for a command to a marked line,
// and writes a trace.
func traceOf(t *testing.T, mark string) (dir string, steps uint64, exe string) {
	t.Helper()
	p := debuggertest.Start(t, "shapes.c")
	p.AwaitSleep()
	process, err := proc.Attach(t.Context(), p.PID, proc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = process.Kill() }()
	r, err := history.New(history.NewTarget(process), history.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p.Tell("run")
	at := p.Mark(mark)
	result, err := r.Run(t.Context(), 0, history.Limits{Steps: 1e6, Until: func(v *history.View) bool { return v.PC() == at }})
	if err != nil || result.Why != history.ConditionMet {
		t.Fatalf("%+v, %v", result, err)
	}
	dir = t.TempDir()
	f, err := os.Create(filepath.Join(dir, "trace"))
	if err != nil {
		t.Fatal(err)
	}
	options := history.ExportOptions{Format: history.Binary, Program: p.Path}
	if _, err := r.History().Export(t.Context(), f, options); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return dir, r.History().End(), p.Path
}

// A trace shows what the process showed at its end.
func TestOpenTrace(t *testing.T) {
	dir, steps, exe := traceOf(t, "sum")
	c := connect(t, table(t, debugger.Config{Traces: []string{dir}}))
	matches(t, c.ok("open_trace", args{"file": filepath.Join(dir, "trace")}),
		`Opened trace `+regexp.QuoteMeta(filepath.Join(dir, "trace"))+` of `+regexp.QuoteMeta(exe)+
			`, process \d+ with 1 thread, positions 0 to `+grouped(steps)+`\n`+
			`Stopped at 0x[0-9a-f]+\nadd at \S*shapes\.c:\d+\n\d+\tint sum = a \+ b; //break:sum`)
	live, _ := stopped(t, "sum")
	for _, tt := range []struct {
		tool string
		args any
	}{
		{"get_variables", nil},
		{"get_variables", args{"frame": 1}},
		{"get_variables", args{"scope": "global"}},
		{"evaluate", args{"expression": "list->next->value", "frame": 1}},
		{"source", nil},
		{"disassemble", nil},
	} {
		if got, want := relocate(c.ok(tt.tool, tt.args)), relocate(live.ok(tt.tool, tt.args)); got != want {
			t.Errorf("%s %v: in the trace\n%s\nin the process\n%s", tt.tool, tt.args, got, want)
		}
	}
	contains(t, c.ok("get_stack_trace", nil), "#0  0x", " main+0x")
	contains(t, c.ok("read_memory", args{"address": "main", "length": 16}), ": 55 48 89 e5")
	contains(t, c.ok("evaluate", args{"expression": "*title"}), "'s'")
	contains(t, c.fails("read_memory", args{"address": "0x10"}, -1), "not in the trace")
	contains(t, c.fails("write_memory", args{"address": "$rsp", "hex": "00"}, -1), "trace")
	if got, want := c.ok("detach", nil), "Closed trace "+filepath.Join(dir, "trace"); got != want {
		t.Errorf("detach: %q, want %q", got, want)
	}
}

// grouped writes a number with a comma between groups of three digits.
func grouped(n uint64) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", grouped(n/1000), n%1000)
}

// The goroutines of a Go program are in its core file as they were.
func TestGoroutinesOfCore(t *testing.T) {
	tool, err := exec.LookPath("gcore")
	if err != nil {
		t.Skip("making a core file of a process needs gcore")
	}
	p := debuggertest.Start(t, "busy.go")
	dir := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), tool, "-o", filepath.Join(dir, "core"), fmt.Sprint(p.PID)).CombinedOutput(); err != nil {
		t.Fatalf("gcore: %v\n%s", err, out)
	}
	c := connect(t, table(t, debugger.Config{Traces: []string{dir}}))
	c.ok("open_core", args{"core": fmt.Sprintf("core.%d", p.PID)})
	contains(t, c.ok("get_stack_trace", nil), "Stack trace:\n#0  0x")
	begun := regexp.MustCompile(`(?m)begun with (main\.\S+|runtime\.main)$`)
	got := begun.FindAllString(c.ok("goroutines", nil), -1)
	live := connect(t, table(t, debugger.Config{}))
	live.ok("attach", args{"pid": p.PID})
	want := begun.FindAllString(live.ok("goroutines", nil), -1)
	if !slices.Equal(got, want) || len(got) == 0 {
		t.Errorf("goroutines of the core file %q, of the process %q", got, want)
	}
	contains(t, c.ok("threads", nil), fmt.Sprintf(" %d ", p.PID))
}
