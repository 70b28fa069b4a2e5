package debugger_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger"
	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
)

// line is the number of a marked line of shapes.c.
func line(t *testing.T, mark string) int { return debuggertest.Line(t, "shapes.c", mark) }

// The documented texts of breakpoints, steps and the end.
func TestBreakpoint(t *testing.T) {
	c, p := attach(t, "shapes.c")
	sum := fmt.Sprintf("%#x", p.Mark("sum"))
	if got, want := c.ok("set_breakpoint", args{"address": sum}), "Breakpoint 1 set at "+sum; got != want {
		t.Errorf("set_breakpoint: %q, want %q", got, want)
	}
	p.Tell("run")
	if got, want := c.ok("continue", nil), fmt.Sprintf("Stopped at breakpoint 1 (%s)", sum); got != want {
		t.Errorf("continue: %q, want %q", got, want)
	}
	contains(t, c.ok("get_variables", nil), "Local variables:\n  a: int = 7\n  b: int = 1\n  sum: int = ")
	trace := strings.Split(c.ok("get_stack_trace", args{"max_frames": 3}), "\n")
	if len(trace) != 5 {
		t.Fatalf("stack trace:\n%s", strings.Join(trace, "\n"))
	}
	matches(t, trace[1], fmt.Sprintf(`#0  %s add\+0x[0-9a-f]+ \S*shapes\.c:%d`, sum, line(t, "sum")))
	matches(t, trace[2], fmt.Sprintf(`#1  0x[0-9a-f]+ visit\+0x[0-9a-f]+ \S*shapes\.c:%d`, line(t, "call")))
	matches(t, trace[3], fmt.Sprintf(`#2  0x[0-9a-f]+ main\+0x[0-9a-f]+ \S*shapes\.c:%d`, line(t, "loop")))
	matches(t, c.ok("step_forward", nil), `Stepped to 0x[0-9a-f]+\nInstruction: \S.*`)
	contains(t, c.ok("list_breakpoints", nil), "Breakpoints:\n  1  breakpoint at "+sum+" add ", ", hits: 1")
	if got := c.ok("clear_breakpoint", args{"id": 1}); got != "Breakpoint 1 cleared" {
		t.Errorf("clear_breakpoint: %q", got)
	}
	c.ok("continue", args{"wait_ms": 0})
	if got := p.Line(); got != "31" { // 7+1+2+3, and grid[1][2] three times
		t.Errorf("run answers %q, want 31", got)
	}
}

// A breakpoint by line and by function, with a condition, once.
func TestBreakpointPlaces(t *testing.T) {
	c, p := attach(t, "shapes.c")
	got := c.ok("set_breakpoint", args{"function": "add", "condition": "b == 3", "one_shot": true})
	matches(t, got, fmt.Sprintf(`Breakpoint 1 set at %#x add \S*shapes.c:%d`, p.Mark("sum"), line(t, "sum")))
	got = c.ok("set_breakpoint", args{"file": "shapes.c", "line": line(t, "end"), "hit_count": 2})
	matches(t, got, fmt.Sprintf(`Breakpoint 2 set at %#x visit \S*shapes.c:%d`, p.Mark("end"), line(t, "end")))
	p.Tell("run")
	contains(t, c.ok("continue", nil), "Stopped at breakpoint 2 ")
	contains(t, c.ok("get_variables", args{"filter": "count"}), "  count: int = 2")
	contains(t, c.ok("continue", nil), "Stopped at breakpoint 1 ")
	contains(t, c.ok("get_variables", args{"filter": "b"}), "  b: int = 3")
	if got := c.ok("list_breakpoints", nil); strings.Contains(got, "  1  ") {
		t.Errorf("the breakpoint that was for once is still there:\n%s", got)
	}
	contains(t, c.ok("continue", nil), "Stopped at breakpoint 2 ")
	if got := c.ok("continue", args{"wait_ms": 50}); got != "Process is running" {
		t.Errorf("at last: %q", got)
	}
}

// Reasons why there can be no breakpoint.
func TestBreakpointFailures(t *testing.T) {
	c, _ := attach(t, "shapes.c")
	for _, tt := range []struct {
		args args
		code int
		want string
	}{
		{args{"address": "0x10"}, -32006, "0x10"},
		{args{"address": "here"}, -32602, "address must be a number such as 0x401000"},
		{args{}, -32602, "give either address, or function, or file and line"},
		{args{"function": "add", "address": "0x1"}, -32602, "give either"},
		{args{"file": "shapes.c"}, -32602, "file and line belong together"},
		{args{"function": "nowhere"}, -32006, "no function nowhere is known"},
		{args{"file": "shapes.c", "line": 99999}, -32006, "no code is known for line 99999 of shapes.c"},
		{args{"file": "other.c", "line": 1}, -32006, "no source file other.c is known"},
		{args{"function": "add", "condition": "a =="}, -32006, "the condition cannot be understood: unexpected end at character 5"},
		{args{"function": "add", "condition": "aa == 3"}, -32006, "the condition cannot be decided there: aa: "},
		{args{"function": "add", "condition": "a == 3 && aa"}, -32006, "the condition cannot be decided there: aa: "},
		{args{"function": "add", "condition": "(struct nope *)a == 0"}, -32006, "type nope"},
		{args{"file": "shapes.c", "line": line(t, "sum"), "condition": "total == 3 || a == none"}, -32006, "none: "},
		{args{"function": "add", "condition": "exit(1)"}, -32006, "functions of the program cannot be called at character 1"},
	} {
		contains(t, c.fails("set_breakpoint", tt.args, tt.code), tt.want)
	}
	contains(t, c.fails("clear_breakpoint", args{"id": 1}, -1), "there is no breakpoint or watchpoint 1")
	if got := c.ok("list_breakpoints", nil); got != "No breakpoints" {
		t.Errorf("list_breakpoints: %q", got)
	}
}

// A condition that cannot be decided stops and says why.
func TestConditionFails(t *testing.T) {
	c, p := attach(t, "shapes.c")
	c.ok("set_breakpoint", args{"function": "add", "condition": "*(int *)8 > 3"})
	p.Tell("run")
	text := c.ok("continue", nil)
	contains(t, text, "Stopped at breakpoint 1 (", "Note: the condition could not be decided: ", "0x8")
}

// The processor watches a variable; the stop says what has changed.
func TestWatchpoint(t *testing.T) {
	c, p := attach(t, "shapes.c")
	at := fmt.Sprintf("%#x", p.Symbol("watched"))
	if got, want := c.ok("set_watchpoint", args{"expression": "watched"}), fmt.Sprintf("Watchpoint 1 set at %s (8 bytes, write)", at); got != want {
		t.Errorf("set_watchpoint: %q, want %q", got, want)
	}
	p.Tell("run")
	text := c.ok("continue", nil)
	contains(t, text, "Stopped at watchpoint 1 (", "Note: the value was 0x0000000000000000 and is 0x0000000000000001")
	text = c.ok("continue", nil)
	contains(t, text, "Note: the value was 0x0000000000000001 and is 0x0000000000000003")
	contains(t, c.ok("list_breakpoints", nil), "  1  watchpoint at "+at+", watched, 8 bytes, write, hits: 2")
	if got := c.ok("clear_breakpoint", args{"id": 1}); got != "Watchpoint 1 cleared" {
		t.Errorf("clear_breakpoint: %q", got)
	}
	contains(t, c.fails("set_watchpoint", args{"expression": "1 + 1"}, -32006), "nothing that is in memory")
	contains(t, c.fails("set_watchpoint", args{"expression": "title", "size": 3}, -32602), "size must be 1, 2, 4 or 8")
	contains(t, c.fails("set_watchpoint", args{"address": "0x10"}, -32006), "cannot be read")
}

// Steps by line, over calls, into them and out of them.
func TestLineSteps(t *testing.T) {
	c, p := attach(t, "shapes.c")
	c.ok("set_breakpoint", args{"file": "shapes.c", "line": line(t, "visit"), "one_shot": true})
	p.Tell("run")
	c.ok("continue", nil)
	at := func(tool, function, mark string) {
		t.Helper()
		var a answer
		c.data(tool, nil, &a)
		if s := a.State; s.Status != "stopped" || s.Reason != "step" || s.Function != function || s.Line != line(t, mark) {
			t.Fatalf("%s: %+v, want %s at line %d", tool, s, function, line(t, mark))
		}
	}
	at("step_line", "visit", "call")
	at("step_line", "add", "sum")
	at("step_line", "add", "return")
	at("step_out", "visit", "call")
	at("step_over", "visit", "after")
	contains(t, c.ok("step_over", nil), "visit at ", "total += grid[1][2];")
	at("step_over", "visit", "end")
	contains(t, c.ok("step_out", nil), "main at ", "for (int i = 1; i <= 3; i++)") // what visit returns is dropped
	at("step_line", "main", "loop")
	contains(t, c.ok("step_line", nil), "visit at ", "short small = -3;")
	c.ok("set_breakpoint", args{"file": "shapes.c", "line": line(t, "visit"), "one_shot": true})
	c.ok("continue", nil)
	at("step_over", "visit", "call")
	at("step_over", "visit", "after") // over add
}

// A call that recurs is stepped over as a whole.
func TestStepOverRecursion(t *testing.T) {
	c, p := attach(t, "shapes.c")
	c.ok("set_breakpoint", args{"file": "shapes.c", "line": line(t, "recurse"), "condition": "n == 3"})
	p.Tell("deep")
	c.ok("continue", nil)
	contains(t, c.ok("step_over", nil), "deep at ")
	contains(t, c.ok("get_variables", nil), "  n: int = 3")
	contains(t, c.ok("step_out", nil), "deep at ")
	contains(t, c.ok("get_variables", nil), "  n: int = 4")
	contains(t, c.ok("step_out", nil), "main at ")
}

// Breakpoints count while stepping, too.
func TestStepsMeetBreakpoints(t *testing.T) {
	c, p := attach(t, "shapes.c")
	c.ok("set_breakpoint", args{"file": "shapes.c", "line": line(t, "visit"), "one_shot": true})
	c.ok("set_breakpoint", args{"file": "shapes.c", "line": line(t, "return"), "condition": "sum == 8"})
	p.Tell("run")
	c.ok("continue", nil)
	contains(t, c.ok("step_forward", args{"count": 1000}), "Stopped at breakpoint 2 (")
	c.ok("clear_breakpoint", args{"id": 2})
	c.ok("set_watchpoint", args{"expression": "total"})
	text := c.ok("step_forward", args{"count": 1000})
	contains(t, text, "Stopped at watchpoint 3 (", "the value was 0x00000007 and is 0x00000008")
}

// A signal stops; the answer says which, and what the fault is about.
func TestCrash(t *testing.T) {
	c, p := attach(t, "shapes.c")
	c.ok("continue", args{"wait_ms": 0})
	p.Tell("crash")
	var a answer
	c.data("continue", nil, &a)
	if s := a.State; s.Reason != "signal" || s.Signal != "SIGSEGV" || s.Fault != "0x0" || s.Function != "crash" || s.Line != line(t, "crash") {
		t.Errorf("%+v", s)
	}
	if got := c.ok("continue", nil); got != "Process was killed by signal SIGSEGV" {
		t.Errorf("continue: %q", got)
	}
	contains(t, c.fails("get_variables", nil, -32005), "was killed by signal SIGSEGV")
}

// Several breakpoints are cleared by one call, all of them or none.
func TestClearSeveral(t *testing.T) {
	c := connect(t, table(t, debugger.Config{}))
	c.ok("launch", args{"path": debuggertest.Build(t, "shapes.c")})
	for _, function := range []string{"add", "visit", "main"} {
		c.ok("set_breakpoint", args{"function": function})
	}
	c.ok("set_watchpoint", args{"address": "$rsp"})
	if got := c.ok("clear_breakpoint", args{"ids": []int{4, 1, 4}}); got != "Breakpoint 1 cleared\nWatchpoint 4 cleared" {
		t.Errorf("%q", got)
	}
	if got := c.ok("clear_breakpoint", args{"all": true}); got != "Breakpoint 2 cleared\nBreakpoint 3 cleared" {
		t.Errorf("%q", got)
	}
	c.fails("clear_breakpoint", args{"ids": []int{}}, -32602)
	matches(t, c.ok("continue", nil), `Process exited with status 0\nOutput:\nready`)
}

// A logpoint logs and does not stop, live and in the past; a condition selects
// the hits that it logs. The numbers come from the program.
func TestLogpoint(t *testing.T) {
	dir := t.TempDir()
	code, path := filepath.Join(dir, "sum.c"), filepath.Join(dir, "sum")
	text := "int total;\nvoid add(int n)\n{\n\ttotal += n;\n}\nint main(void)\n{\n\tfor (int i = 1; i < 5; i++)\n\t\tadd(i);\n\treturn total; // end\n}\n"
	if err := os.WriteFile(code, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	build(t, "gcc", "-g", "-O0", code, "-o", path)
	c := connect(t, table(t, debugger.Config{}))
	c.ok("launch", args{"path": path})
	c.ok("set_breakpoint", args{"file": "sum.c", "line": 4, "log": "{{n} is {n}, total {total}", "condition": "n != 3"})
	c.ok("set_breakpoint", args{"file": "sum.c", "line": 10})
	logged := "\nLogged:\n{n} is 1, total 0\n{n} is 2, total 1\n{n} is 4, total 6"
	contains(t, c.ok("continue", args{"record": true}), "Stopped at breakpoint 2 (", logged)
	contains(t, c.ok("list_breakpoints", nil), ", if n != 3, logs {{n} is {n}, total {total}, hits: 3")
	contains(t, c.ok("reverse_continue", nil), "Came to the beginning of history", "\nLogged:\n{n} is 4, total 6\n{n} is 2, total 1\n{n} is 1, total 0")
	contains(t, c.ok("continue", nil), "Stopped at breakpoint 2 (", logged)
	if again := c.ok("step_line", nil); strings.Contains(again, "Logged") {
		t.Errorf("logged twice: %s", again)
	}
	c.ok("detach", args{"kill": true})

	c.ok("launch", args{"path": path})
	c.ok("set_breakpoint", args{"file": "sum.c", "line": 4, "log": "n={n}"})
	contains(t, c.ok("continue", nil), "Process exited with status 10\nLogged:\nn=1\nn=2\nn=3\nn=4")

	c.ok("launch", args{"path": path})
	for message, want := range map[string]string{
		"{n": "a brace that is not closed", "{n +}": "cannot be understood", "{nothing}": "nothing: ",
	} {
		contains(t, c.fails("set_breakpoint", args{"file": "sum.c", "line": 4, "log": message}, -32006), want)
	}
	contains(t, c.fails("set_breakpoint", args{"function": "add", "log": "x", "one_shot": true}, -32602), "log does not stop")
}
