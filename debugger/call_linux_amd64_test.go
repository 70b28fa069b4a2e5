package debugger_test

import (
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/debugger"
	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/mcp/host"
)

// markLine is the line of the mark where main stops.
func markLine(t *testing.T, source string) int {
	t.Helper()
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	before, _, ok := strings.Cut(string(text), "//break:here")
	if !ok {
		t.Fatalf("%s has no mark", source)
	}
	return strings.Count(before, "\n") + 1
}

// callClient is a client that may call functions, with a program where main stops.
func callClient(t *testing.T, path, mark string, live debugger.Live) *client {
	t.Helper()
	live.AllowCalls = true
	c := connect(t, table(t, debugger.Config{Live: live}))
	c.ok("launch", args{"path": path})
	c.ok("set_breakpoint", args{"file": filepath.Base(mark), "line": markLine(t, mark)})
	contains(t, c.ok("continue", nil), "Stopped at breakpoint 1 (")
	return c
}

// gdbCalls are the values that gdb's print gives to expressions at the same place, by
// itself: the strings without their addresses.
func gdbCalls(t *testing.T, path, mark string, expressions []string) []string {
	t.Helper()
	gdb := debuggertest.GDB(t, debuggertest.Call)
	var script strings.Builder
	fmt.Fprintf(&script, "set breakpoint pending off\nset print address off\nset print null-stop on\nset width 0\nbreak %s:%d\nrun\n", filepath.Base(mark), markLine(t, mark))
	for _, e := range expressions {
		fmt.Fprintf(&script, "echo @@\\n\nprint %s\n", e)
	}
	file := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(file, []byte(script.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), gdb, "-nx", "-batch", "-iex", "set debuginfod enabled off", "-x", file, path).CombinedOutput()
	parts := strings.Split(string(out), "@@\n")
	if len(parts) != len(expressions)+1 {
		t.Fatalf("gdb: %v\n%s", err, out)
	}
	var values []string
	for _, part := range parts[1:] {
		line, _, _ := strings.Cut(part, "\n")
		_, value, _ := strings.Cut(line, " = ")
		values = append(values, value)
	}
	return values
}

// failed is the error of an expression.
func failed(c *client, expression string) string {
	a := c.Call("debugger/evaluate", args{"expression": expression})
	if a.Err == nil {
		return a.String()
	}
	return a.String() + string(a.Err.Data)
}

// ownCalls are the values that a program prints of expressions at the mark, by themselves, if
// the expressions are calculated there: numbers, characters and strings. Of other types it
// prints a question mark.
func ownCalls(t *testing.T, mark string, expressions []string, command ...string) []string {
	t.Helper()
	text := read(t, mark)
	var show strings.Builder
	for _, e := range expressions {
		fmt.Fprintf(&show, "SHOW(%s);", e)
	}
	before, _, _ := strings.Cut(text, "\tprintf(")
	printer, err := filepath.Abs(filepath.Join(filepath.Dir(mark), "show.h"))
	if err != nil {
		t.Fatal(err)
	}
	source := filepath.Join(t.TempDir(), filepath.Base(mark))
	changed := "#include \"" + printer + "\"\n" + before + show.String() + "return 0;\n}\n"
	if err := os.WriteFile(source, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "program")
	argv := append(slices.Clone(command[1:]), "-o", program, source, "-lm")
	if out, err := exec.CommandContext(t.Context(), command[0], argv...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.CommandContext(t.Context(), program).CombinedOutput()
	values := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if err != nil || len(values) != len(expressions) {
		t.Fatalf("%v\n%s", err, out)
	}
	return values
}

// sameCalls compares the results of calls with what the program itself makes of the same
// expressions, and with what gdb does if it can call functions on this machine. Each
// comparison has a client of its own, and ends with done.
func sameCalls(t *testing.T, path, mark string, expressions, command []string, done func(c *client)) {
	t.Helper()
	compare := func(t *testing.T, values []string) {
		t.Helper()
		c, compared := callClient(t, path, mark, debugger.Live{}), 0
		for i, want := range values {
			a := c.Call("debugger/evaluate", args{"expression": expressions[i]})
			_, got, _ := strings.Cut(a.Text, " = ")
			if fields := strings.Fields(got); strings.HasSuffix(got, `"`) && len(fields) > 1 {
				got = fields[1] // without the address
			}
			if want == "?" {
				continue
			}
			compared++
			if a.Err != nil || got != want {
				t.Errorf("%s: got %v, want %s", expressions[i], a, want)
			}
		}
		if compared < len(expressions)/2 {
			t.Errorf("only %d of %d are compared", compared, len(expressions))
		}
		done(c)
	}
	t.Run("program", func(t *testing.T) { compare(t, ownCalls(t, mark, expressions, command...)) })
	t.Run("gdb", func(t *testing.T) { compare(t, gdbCalls(t, path, mark, expressions)) })
}

// Calls of C functions have the results that the program and gdb have.
func TestCallsInC(t *testing.T) {
	mark := filepath.Join("testdata", "calls", "calls.c")
	command := []string{"gcc", "-g", "-O0", "-lm"}
	sameCalls(t, debuggertest.Compile(t, mark, nil, command...), mark, []string{
		"add(2, 3)", "nine(1, 2, 3, 4, 5, 6, 7, 8, 9)", "nine(-1, -2, -3, -4, 5, -6, -7, -8, -9)",
		"mix(1, 2.5, 3.5, 4, 5.25)", "ten(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)", "halved(5)", "wrapped(300)", "next('a')",
		`length("hello")`, `behind("hello", 'l')`, `length(behind("hello", 'l'))`, `joined("ab", "cd")`, `joined(joined("a", "b"), text)`,
		"at(1, 2)", "at(7, 8).y", "both(1.5, 2)", "three(1)", `filled(10, "n")`, "filled(20, text).n[4]",
		"norm(&p)", "fp(4, 5)", "ops.add(4, 5) + ops.bias", "(&ops)->add(1, add(1, 1))", "sum(3, 4, 5, 6)", "mean(2, 1.0, 4.0)",
		"paint(1)", "(long)add(1, 1) + 1", "(int)(third(1) * 3000)", "norm(&p) == 25 ? add(1, 2) : forever()",
	}, command, func(c *client) {
		// gdb shows a _Bool as a number only where its language has none.
		contains(t, c.ok("evaluate", args{"expression": "odd(3)"}), "= true")
		contains(t, c.ok("evaluate", args{"expression": "reset()"}), "reset(): void")
		contains(t, c.ok("evaluate", args{"expression": "calls"}), "= 0")
		contains(t, c.ok("get_stack_trace", args{"max_frames": 1}), "main")
		contains(t, c.ok("continue", nil), "exited with status 1")
	})
}

// A call that cannot be made, or ends early, says why, and the process goes on as if
// nothing had been called.
func TestCallsThatFail(t *testing.T) {
	mark := filepath.Join("testdata", "calls", "calls.c")
	path := debuggertest.Compile(t, mark, nil, "gcc", "-g", "-O0", "-lm")
	c := callClient(t, path, mark, debugger.Live{})
	c.ok("set_breakpoint", args{"function": "add"})
	before := c.ok("registers", nil)
	for expression, want := range map[string]string{
		"crash(0)":              "ended by signal 11",
		"fp(1, 2)":              "reached breakpoint 2",
		"add(1)":                "add does not take 1 arguments, but 2",
		"fp(1, 2, 3)":           "add takes 2 arguments, not 3",
		"by_value(p)":           "a struct point cannot be passed by value",
		"add(0x10000000000, 1)": "does not fit into int",
		`add("a", 1)`:           "a string is no int",
		"nothing(1)":            "nothing: ",
		"p(1)":                  "is no function",
		"((long (*)(int))1)(1)": "cannot be understood",
		"puts(\"x\")":           "what puts returns is not known",
		"p.x(1)":                "is no function",
		"calls + crash(0)":      "what the function changed in memory stays",
	} {
		if got := failed(c, expression); !strings.Contains(got, want) {
			t.Errorf("%s: got %s, want %s", expression, got, want)
		}
	}
	if after := c.ok("registers", nil); after != before {
		t.Errorf("the registers have changed:\n%s\n%s", before, after)
	}
	contains(t, c.ok("evaluate", args{"expression": `(long)labs(-5)`}), "= 5")
	contains(t, c.ok("evaluate", args{"expression": `(unsigned long)strlen("four")`}), "= 4")
	contains(t, c.ok("continue", nil), "Stopped at breakpoint 2")
}

// A function that does not return is ended after a while.
func TestCallTakesTooLong(t *testing.T) {
	t.Parallel() // it waits
	mark := filepath.Join("testdata", "calls", "calls.c")
	c := callClient(t, debuggertest.Compile(t, mark, nil, "gcc", "-g", "-O0", "-lm"), mark, debugger.Live{})
	contains(t, failed(c, "forever()"), "had not returned after 5s")
	contains(t, c.ok("evaluate", args{"expression": "add(1, 1)"}), "= 2")
}

// Methods of C++ get their object, virtual ones of its class, and overloaded functions
// are told apart by their arguments.
func TestCallsInCPlusPlus(t *testing.T) {
	mark := filepath.Join("testdata", "calls", "calls.cc")
	command := []string{"g++", "-g", "-O0"}
	sameCalls(t, debuggertest.Compile(t, mark, nil, command...), mark, []string{
		"app::plus(2, 3)", "app::plus(1.5, 2.25)", "s.more(1)", "s.more(2.5)", "s.twice()", "base->twice()", "s.read()",
		"s.area(2)", "base->area(2)", "app::square::fixed(3)", "app::increment(n)", "app::made(6)", "app::made(6).b",
	}, command, func(c *client) {
		contains(t, c.ok("evaluate", args{"expression": "v.size()"}), "= 3")
		contains(t, c.ok("evaluate", args{"expression": "n"}), "= 6")
	})
}

// Functions are called only where the server and the key permit it, and not in the past.
func TestCallsArePermitted(t *testing.T) {
	mark := filepath.Join("testdata", "calls", "calls.c")
	path := debuggertest.Compile(t, mark, nil, "gcc", "-g", "-O0", "-lm")
	c := callClient(t, path, mark, debugger.Live{MaskSecrets: "on"})
	masked := c.ok("evaluate", args{"expression": "token()"})
	if strings.Contains(masked, "0123456789abcdef") {
		t.Errorf("the result is not masked: %s", masked)
	}
	c.ok("step_line", nil)
	position := c.ok("evaluate", args{"expression": "add(1, 1)"})
	contains(t, position, "= 2")
	c.ok("step_backward", nil)
	contains(t, failed(c, "add(1, 1)"), "functions can be called at the present only")

	plain := connect(t, table(t, debugger.Config{}))
	plain.ok("launch", args{"path": path})
	contains(t, failed(plain, "add(1, 1)"), "functions of the program cannot be called at character 1, unless the server is started with --allow-calls")
}

// Functions of Go are not called.
func TestCallsInGo(t *testing.T) {
	path := debuggertest.Build(t, "busy.go")
	c := connect(t, table(t, debugger.Config{Live: debugger.Live{AllowCalls: true}}))
	c.ok("launch", args{"path": path})
	contains(t, failed(c, "main.visit(nil)"), "functions cannot be called in programs of Go")
}

// Functions of Rust are called with numbers and pointers; how Rust returns structs is
// not specified.
func TestCallsInRust(t *testing.T) {
	mark := filepath.Join("testdata", "calls", "calls.rs")
	path := debuggertest.Compile(t, mark, nil, "rustc", "-g")
	c := callClient(t, path, mark, debugger.Live{})
	for expression, want := range map[string]string{
		"calls::add(-2, 40)": "= 38", "calls::scale(1.5, 2.5, 7)": "= 10.75", "calls::even(3)": "= false",
		"calls::Point::norm(&p, 2)": "= 50", "p.norm(3)": "= 75",
	} {
		contains(t, c.ok("evaluate", args{"expression": expression}), want)
	}
	contains(t, failed(c, "calls::made(1)"), "returns a calls::Point in a way that is not supported")
}

// What may not be started or written may not be by a called function either.
func TestCallsAreRefusedWithLimits(t *testing.T) {
	for flag, live := range map[string]debugger.Live{
		"--no-write":  {AllowCalls: true, NoWrite: true},
		"--no-launch": {AllowCalls: true, NoLaunch: true},
	} {
		cfg := debugger.Config{Live: live}
		_, err := cfg.Open(t.Context(), host.Env{Logger: slog.New(slog.DiscardHandler), Now: time.Now, Getenv: func(string) string { return "" }})
		if err == nil {
			t.Fatalf("--allow-calls with %s is permitted", flag)
		}
		contains(t, err.Error(), "--allow-calls and "+flag+" exclude each other")
	}
}

// Functions with parameters or results that are passed in other ways are not called.
func TestCallsOfOtherTypes(t *testing.T) {
	mark := filepath.Join("testdata", "calls", "abi.c")
	path := debuggertest.Compile(t, mark, nil, "gcc", "-g", "-O0", "-std=gnu17")
	c := callClient(t, path, mark, debugger.Live{})
	for expression, want := range map[string]string{
		"four(1)":   "in a way that is not supported",
		"two(1)":    "in a way that is not supported",
		"boxed(1)":  "in a way that is not supported",
		"narrow(1)": "in a way that is not supported",
		"half(1)":   "a _Float16 cannot be passed",
		"wide(1)":   "cannot be passed",
	} {
		if got := failed(c, expression); !strings.Contains(got, want) {
			t.Errorf("%s: got %s, want %s", expression, got, want)
		}
	}
	contains(t, failed(c, `(int)printf("%Lf", l)`), "cannot be passed")
}
