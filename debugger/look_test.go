package debugger_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/debugger"
	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
)

// stopped is a client with shapes.c at a marked line, in the first round.
func stopped(t *testing.T, mark string) (*client, *debuggertest.Program) {
	t.Helper()
	c, p := attach(t, "shapes.c")
	c.ok("set_breakpoint", args{"file": "shapes.c", "line": line(t, mark)})
	p.Tell("run")
	contains(t, c.ok("continue", nil), "Stopped at breakpoint 1 (")
	return c, p
}

// gdb prints expressions where the same program stops at a marked line.
func gdb(t *testing.T, mark string, commands ...string) []string {
	t.Helper()
	path := debuggertest.GDB(t)
	input := filepath.Join(t.TempDir(), "input")
	if err := os.WriteFile(input, []byte("run\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	argv := []string{"-nx", "-batch", "-ex", "set width 0", "-ex", fmt.Sprintf("break shapes.c:%d", line(t, mark)), "-ex", "run < " + input}
	for _, each := range commands {
		argv = append(argv, "-ex", `echo \n@`, "-ex", each)
	}
	out, err := exec.CommandContext(t.Context(), path, append(argv, debuggertest.Build(t, "shapes.c"))...).CombinedOutput()
	if err != nil {
		t.Fatalf("gdb: %v\n%s", err, out)
	}
	parts := strings.Split(string(out), "\n@")[1:]
	if len(parts) != len(commands) {
		t.Fatalf("gdb answers %d commands of %d:\n%s", len(parts), len(commands), out)
	}
	return parts
}

// Expressions come to what gdb makes of them.
func TestEvaluateLikeGDB(t *testing.T) {
	expressions := []string{
		"count", "small", "u", "f", "letter", "c", "list->value", "list->next->at.y", "(*list).at.x", "grid[1][2]", "*grid[1]",
		"n->next == 0", "list == n", "n->next->next != 0", "count + small * 2", "u + 1", "u * 2", "-small", "small / 2", "u >> 4", "~count",
		"total", "bytes[2]", "*(bytes + 3)", "(char)bytes[3]", "bytes[2] + bytes[3]", "ratio * 2", "ratio > 2", "count && total",
		"(long)u << 8", "&grid[1][2] - &grid[0][0]", "c == GREEN", "c != BLUE", "*(int *)list", "(short)u", "sizeof_none",
		"letter == 'x'", "f / 4", "!count", "'a' + 1", "1 ? 2 : 3", "count ? small : u", "list->next->next ? list->next->next->value : total", "count > 5 ? 1 : u ? letter : 2", "watched", "total % 4", "list->next->value > list->value",
		"(unsigned char)small", "((long)$rsp & 7) == 0", "$eax == $eax", "*title", "title[1]",
		"sizeof(count)", "sizeof(*list)", "sizeof(struct node)", "sizeof grid / sizeof grid[0]", "sizeof(title) + sizeof \"ab\"",
	}
	commands := make([]string, len(expressions))
	for i, e := range expressions {
		commands[i] = "output " + e
	}
	want := gdb(t, "after", commands...)
	c, _ := stopped(t, "after")
	for i, e := range expressions {
		a := c.Call("debugger/evaluate", args{"expression": e})
		if a.Err != nil {
			if e != "sizeof_none" {
				t.Errorf("%s: %s; gdb says %s", e, a, want[i])
			}
			continue
		}
		_, got, _ := strings.Cut(a.Text, " = ")
		if got, want := strings.TrimSpace(got), strings.TrimSpace(want[i]); got != want {
			t.Errorf("%s: got %s; gdb says %s", e, got, want)
		}
	}
}

// The stack and the variables are gdb's.
func TestStackLikeGDB(t *testing.T) {
	want := gdb(t, "sum", "bt", "info locals", "up", "info locals")
	c, _ := stopped(t, "sum")
	var stack struct {
		Frames []struct {
			Function string
			Line     int
		}
	}
	c.data("get_stack_trace", nil, &stack)
	for i, m := range regexp.MustCompile(`(?m)^#\d+ .*?(\w+) \(.*\) at \S+:(\d+)$`).FindAllStringSubmatch(want[0], -1) {
		if i >= len(stack.Frames) || stack.Frames[i].Function != m[1] || strconv.Itoa(stack.Frames[i].Line) != m[2] {
			t.Errorf("#%d: gdb says %s at line %s; got %+v", i, m[1], m[2], stack.Frames)
		}
	}
	got := c.ok("get_variables", args{"frame": 1})
	for line := range strings.Lines(want[3]) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), " = ")
		if !ok || strings.HasPrefix(value, "0x") {
			continue
		}
		if !regexp.MustCompile(`(?m)^  ` + regexp.QuoteMeta(name) + `: [^=]+ = ` + regexp.QuoteMeta(value) + `$`).MatchString(got) {
			t.Errorf("gdb says %s = %s; got\n%s", name, value, got)
		}
	}
}

func TestEvaluateErrors(t *testing.T) {
	c, _ := stopped(t, "after")
	for _, tt := range []struct {
		expression string
		code       int
		want       string
	}{
		{"list->", -32602, "the expression cannot be understood: unexpected end at character 7"},
		{"exit(0)", -32602, "functions of the program cannot be called"},
		{"nothing", -1, "nothing: "},
		{"list->nothing", -1, "has no member nothing"},
		{"*(int *)8", -1, ""},
		{"1 / (count - 1)", -1, "division by zero"},
		{"$xyz", -1, "there are rax to r15"},
	} {
		a := c.Call("debugger/evaluate", args{"expression": tt.expression})
		if tt.want == "" { // shown as a value that cannot be read
			contains(t, a.Text, "<read memory at 0x8")
			continue
		}
		contains(t, c.fails("evaluate", args{"expression": tt.expression}, tt.code), tt.want)
	}
	contains(t, c.fails("evaluate", args{"expression": "1", "frame": 500}, -1), "the stack has ")
	contains(t, c.fails("evaluate", args{"expression": "1", "thread": 1}, -1), "no such thread")
	contains(t, c.fails("get_variables", args{"filter": "[a"}, -32602), "filter must be a pattern")
	contains(t, c.fails("get_variables", args{"scope": "everything"}, -32602), "scope")
}

// Frames further out have the variables and registers of their own.
func TestFrames(t *testing.T) {
	c, _ := stopped(t, "sum")
	contains(t, c.ok("evaluate", args{"expression": "count", "frame": 1}), "count: int = 1")
	contains(t, c.fails("evaluate", args{"expression": "count"}, -1), "count: ")
	var stack struct{ Frames []struct{ Address string } }
	c.data("get_stack_trace", nil, &stack)
	for i, f := range stack.Frames[:3] {
		contains(t, c.ok("evaluate", args{"expression": "$rip", "frame": i}), " = "+f.Address)
	}
	contains(t, c.ok("registers", args{"frame": 2}), "Registers:", "\n  rip     = "+stack.Frames[2].Address+" <main+0x", "\n  rsp     = 0x")
	contains(t, c.ok("registers", nil), "\n  rax     = 0x", "\n  eflags  = 0x", "\n  fs_base = 0x", "\n  rip     = "+stack.Frames[0].Address+" <add+0x")
}

func TestMemory(t *testing.T) {
	c, p := stopped(t, "sum")
	at := p.Symbol("bytes")
	matches(t, c.ok("read_memory", args{"address": fmt.Sprintf("%#x", at), "length": 4}), fmt.Sprintf(`%#x: 01 02 fe ff {38}\.\.\.\.`, at))
	matches(t, c.ok("read_memory", args{"address": "title", "length": 6}), `0x[0-9a-f]+: 73 68 61 70 65 73 {32}shapes`)
	var got struct {
		Hex     string
		Missing int
	}
	c.data("read_memory", args{"address": "&total", "length": 4}, &got)
	if got.Hex != "07000000" || got.Missing != 0 {
		t.Errorf("total is %+v", got)
	}
	contains(t, c.ok("write_memory", args{"address": "&total", "hex": "2a 00 00 00"}), "Wrote 4 bytes at 0x", "(before: 07000000)")
	contains(t, c.ok("evaluate", args{"expression": "total"}), "total: int = 42")
	contains(t, c.fails("read_memory", args{"address": "0x10"}, -1), "0x10")
	contains(t, c.fails("read_memory", args{"address": "nowhere"}, -1), "nowhere")
	contains(t, c.fails("write_memory", args{"address": "0x10", "hex": "00"}, -1), "0x10")
	contains(t, c.fails("write_memory", args{"address": "&total", "hex": "zz"}, -32602), "hex must be pairs")
	contains(t, c.fails("write_memory", args{"address": "&total", "hex": "123"}, -32602), "hex must be pairs")
}

// Writing is rejected if the server was started without it.
func TestNoWrite(t *testing.T) {
	p := debuggertest.Start(t, "shapes.c")
	c := connect(t, table(t, debugger.Config{Live: debugger.Live{NoWrite: true, NoLaunch: true}}))
	c.ok("attach", args{"pid": p.PID})
	contains(t, c.fails("write_memory", args{"address": "0x1000", "hex": "00"}, -32003), "--no-write")
	contains(t, c.fails("launch", args{"path": "/bin/true"}, -32003), "--no-launch")
}

// Addresses and bytes of the disassembly are objdump's.
func TestDisassembleLikeObjdump(t *testing.T) {
	path, err := exec.LookPath("objdump")
	if err != nil {
		t.Skip("comparing needs objdump")
	}
	c, p := stopped(t, "sum")
	out, err := exec.CommandContext(t.Context(), path, "-d", "--disassemble=add", p.Path).Output()
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile(`(?m)^ +[0-9a-f]+:\t((?:[0-9a-f]{2} )+) *\t(\w+)`).FindAllStringSubmatch(string(out), -1)
	var got struct {
		Instructions []struct {
			Address, Text, Bytes, Symbol string
			Current                      bool
			Line                         int
		}
	}
	c.data("disassemble", args{"address": "add", "count": len(rows)}, &got)
	if len(rows) < 8 || len(got.Instructions) != len(rows) {
		t.Fatalf("%d instructions, objdump has %d", len(got.Instructions), len(rows))
	}
	for i, row := range rows {
		in := got.Instructions[i]
		if want := strings.ReplaceAll(row[1], " ", ""); in.Bytes != want {
			t.Errorf("%s: bytes %s, objdump has %s", in.Address, in.Bytes, want)
		}
		if in.Current != (in.Address == fmt.Sprintf("%#x", p.Mark("sum"))) {
			t.Errorf("%s: current is %v", in.Address, in.Current)
		}
	}
	matches(t, c.ok("disassemble", args{"count": 2}), `=> 0x[0-9a-f]+ <add\+0x[0-9a-f]+>  mov edx, \[rbp-0x14\]|(?s)=> 0x\S+ <add\+0x\S+>  mov .*\n   0x\S+ <add\+0x\S+>  \w.*`)
}

// Source of the program is shown, and no other file.
func TestSource(t *testing.T) {
	c, _ := stopped(t, "sum")
	text := c.ok("source", args{"lines": 3})
	n := line(t, "sum")
	contains(t, text, "shapes.c:\n", fmt.Sprintf("\n   %4d  __attribute__((noinline)) int add(int a, int b) {", n-1),
		fmt.Sprintf("\n=> %4d      int sum = a + b; //break:sum", n), fmt.Sprintf("\n   %4d      return sum;", n+1))
	contains(t, c.ok("source", args{"frame": 1, "lines": 1}), fmt.Sprintf("\n=> %4d      total = add(total, count);", line(t, "call")))
	contains(t, c.ok("source", args{"file": "shapes.c", "line": 1, "lines": 1}), "// shapes has variables of many types")
	for _, file := range []string{"/etc/passwd", "../../etc/passwd", "passwd"} {
		contains(t, c.fails("source", args{"file": file, "line": 1}, -1), "the program was made of no file "+file)
	}
	contains(t, c.fails("source", args{"file": "shapes.c"}, -32602), "line is needed with file")
	contains(t, c.fails("source", args{"line": 100000}, -1), "cannot be read")
}

// Threads are all there, and another one can be looked at or chosen.
func TestThreads(t *testing.T) {
	c, p := attach(t, "threads.c")
	var list struct {
		State   position
		Threads []struct {
			ID       int
			Current  bool
			Function string
		}
	}
	c.data("threads", nil, &list)
	if len(list.Threads) != 4 || list.Threads[0].ID != p.PID || !list.Threads[0].Current {
		t.Fatalf("%+v", list)
	}
	other := list.Threads[2].ID
	contains(t, c.ok("get_stack_trace", args{"thread": other, "max_frames": 100}), " work+")
	if text := c.ok("get_stack_trace", args{"max_frames": 100}); !strings.Contains(text, " main+") {
		t.Errorf("the current thread is not main:\n%s", text)
	}
	contains(t, c.ok("threads", args{"select": other}), fmt.Sprintf("\n* %d ", other))
	contains(t, c.ok("get_stack_trace", args{"max_frames": 100}), " work+")
	contains(t, c.fails("threads", args{"select": 1}, -1), "no such thread")
	contains(t, c.fails("goroutines", nil, -1), "was not made by Go's compiler")
	c.ok("set_breakpoint", args{"function": "tick", "thread": other})
	var a answer
	c.data("continue", nil, &a)
	if a.State.Thread != other || a.State.Reason != "breakpoint" {
		t.Errorf("%+v, want thread %d at the breakpoint", a.State, other)
	}
}

// Goroutines of a Go program, and steps in one of them.
func TestGoroutines(t *testing.T) {
	c, _ := attach(t, "busy.go")
	var list struct {
		Goroutines []struct {
			ID                     int
			Status, Wait, Function string
			Start                  string
		}
	}
	c.data("goroutines", nil, &list)
	var starts []string
	for _, g := range list.Goroutines {
		starts = append(starts, g.Start)
		if g.Status == "" || g.ID < 1 {
			t.Errorf("%+v", g)
		}
	}
	if !slices.Contains(starts, "runtime.main") || !slices.Contains(starts, "main.work") && !slices.Contains(starts, "main.main.gowrap1") {
		t.Errorf("goroutines were begun with %v", starts)
	}
	c.ok("set_breakpoint", args{"function": "main.visit", "one_shot": true})
	c.ok("continue", nil)
	var stack struct{ Frames []struct{ Function string } }
	c.data("get_stack_trace", nil, &stack)
	visit := 0 // what is inlined comes before it
	for stack.Frames[visit].Function != "main.visit" {
		visit++
	}
	contains(t, c.ok("get_variables", args{"frame": visit}), "  n: *main.node = ")
	contains(t, c.ok("evaluate", args{"expression": "n.data[0] + 1", "frame": visit}), "n.data[0] + 1: int = 1")
	contains(t, c.ok("evaluate", args{"expression": "main.done.v >= 0"}), "bool = true")
	var a answer
	for range visit + 1 {
		c.data("step_out", nil, &a)
	}
	if a.State.Function != "main.work" || a.State.Reason != "step" {
		t.Errorf("step_out: %+v", a.State)
	}
	before := a.State.Line
	c.data("step_over", nil, &a)
	if a.State.Function != "main.work" || a.State.Line == before || a.State.Reason != "step" {
		t.Errorf("step_over: %+v", a.State)
	}
}

// A program with cgo has a goroutine for threads of C that call Go: it is listed only
// while one does.
func TestGoroutinesOfCgo(t *testing.T) {
	p := debuggertest.Start(t, "crossings/crossings.go", "c")
	p.AwaitSleep()
	c := connect(t, table(t, debugger.Config{}))
	c.ok("attach", args{"pid": p.PID})
	got := c.ok("goroutines", nil)
	contains(t, got, "  1 [")
	if strings.Contains(got, "[status ") {
		t.Error(got)
	}
}

// Goroutines that wait are where their code waits, not in the runtime, and have
// stacks and variables of their own.
func TestWaitingGoroutines(t *testing.T) {
	c, _ := attach(t, "waiters/waiters.go")
	var list struct {
		Goroutines []struct {
			ID, Line           int
			Status, File, Wait string
			Start, Function    string
		}
	}
	c.data("goroutines", nil, &list)
	waits := map[string]int{} // ids, by the name of the function
	for _, g := range list.Goroutines {
		name, _, _ := strings.Cut(g.Function, "+")
		waits[name] = g.ID
		if name == "main.receive" && (g.Line != debuggertest.Line(t, "waiters/waiters.go", "receive") || g.Status != "waiting" || g.Wait != "chan receive") {
			t.Errorf("%+v", g)
		}
	}
	receiver, locker := waits["main.receive"], waits["sync.(*Mutex).Lock"]
	if receiver == 0 || locker == 0 {
		t.Fatalf("goroutines wait in %v", waits)
	}
	stack := c.ok("get_stack_trace", args{"goroutine": receiver})
	contains(t, stack, "runtime.gopark", "main.receive+", fmt.Sprintf("waiters.go:%d", debuggertest.Line(t, "waiters/waiters.go", "receive")))
	var frames struct{ Frames []struct{ Function string } }
	c.data("get_stack_trace", args{"goroutine": receiver}, &frames)
	receive := slices.IndexFunc(frames.Frames, func(f struct{ Function string }) bool { return f.Function == "main.receive" })
	in := args{"goroutine": receiver, "frame": receive}
	contains(t, c.ok("get_variables", in), "mine: main.ticket = main.ticket {number: 41,", "number: int = 41")
	in["expression"] = "number + 1"
	contains(t, c.ok("evaluate", in), "= 42")
	in["expression"] = "$rax" // a goroutine that does not run has no such register
	c.fails("evaluate", in, -1)
	contains(t, c.ok("get_stack_trace", args{"goroutine": locker}), "main.lock+")
	contains(t, c.fails("get_stack_trace", args{"goroutine": 123456}, -1), "no goroutine 123456")
}

// Operands that are in data are named by the variable there, and not by a
// function that was somewhere before it.
func TestOperandsInData(t *testing.T) {
	c, _ := stopped(t, "after")
	text := c.ok("disassemble", args{"address": "visit", "count": 60})
	for _, want := range []string{"<watched>", "<total>"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	if strings.Contains(text, "_fini") {
		t.Errorf("data is said to be of a function:\n%s", text)
	}
	want := gdb(t, "after", "info symbol &bytes[2]", "info symbol &ratio")
	for i, expression := range []string{"&bytes[2]", "&ratio"} {
		text := c.ok("disassemble", args{"address": expression, "count": 1})
		name := strings.Fields(want[i])[0] // of: bytes + 2 in section .data
		if !strings.Contains(text, name) {
			t.Errorf("%s: %q, gdb says %s", expression, text, want[i])
		}
	}
}

// A look-up tells where the process is once: again after it has moved, and after
// another thread or position was chosen.
func TestStateIsToldOnce(t *testing.T) {
	c := connect(t, table(t, debugger.Config{}))
	c.ok("launch", args{"path": debuggertest.Build(t, "shapes.c")})
	told := func(tool string, arguments any) bool {
		t.Helper()
		var got struct{ State *position }
		c.data(tool, arguments, &got)
		return got.State != nil
	}
	for _, tt := range []struct {
		tool string
		args any
		want bool
	}{
		{"get_stack_trace", nil, false}, // launch has told it
		{"step_forward", nil, true},
		{"get_variables", nil, false},
		{"step_backward", nil, true},
		{"registers", nil, false},
		{"set_breakpoint", args{"function": "add"}, false},
		{"last_write", args{"address": "$rsp", "move": true}, true},
		{"evaluate", args{"expression": "1"}, false},
		{"continue", nil, true},
		{"list_breakpoints", nil, false},
	} {
		if got := told(tt.tool, tt.args); got != tt.want {
			t.Errorf("%s: told %v, want %v", tt.tool, got, tt.want)
		}
	}
}

// The state that a look could not tell because it failed is in the next answer.
func TestStateAfterAnError(t *testing.T) {
	c, p := attach(t, "shapes.c")
	c.ok("set_breakpoint", args{"file": "shapes.c", "line": line(t, "after")})
	contains(t, c.ok("continue", args{"wait_ms": 0}), "Process is running")
	p.Tell("run")
	var now answer
	for now.State.Status != "stopped" {
		time.Sleep(time.Millisecond)
		c.state("", &now) // which counts as no answer
	}
	for _, look := range []struct {
		tool string
		args any
	}{
		{"evaluate", args{"expression": "no_such_name"}},
		{"evaluate", args{"expression": "/q count"}},
		{"read_memory", args{"address": "0x10", "length": 8}},
		{"get_stack_trace", args{"thread": 1}},
		{"disassemble", args{"function": "no_such_name"}},
		{"call_trace", args{"function": "no_such_name"}},
	} {
		if a := c.Call("debugger/"+look.tool, look.args); a.Err == nil {
			t.Errorf("%s %v: %s, want an error", look.tool, look.args, a)
		}
	}
	var first, second struct{ State *position }
	c.data("evaluate", args{"expression": "count"}, &first)
	if first.State == nil || first.State.Line != line(t, "after") {
		t.Errorf("after errors evaluate tells the state %+v, want line %d", first.State, line(t, "after"))
	}
	c.data("evaluate", args{"expression": "count"}, &second)
	if second.State != nil {
		t.Errorf("evaluate tells the state again: %+v", second.State)
	}
}
