package debugger_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger"
	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
)

// compiled builds a program of a text.
func compiled(t *testing.T, name, text string, command ...string) string {
	t.Helper()
	source := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return debuggertest.Compile(t, source, nil, command...)
}

// What ends a program stops it first: a panic of Go, and what aborts.
func TestStopsAtTheEnd(t *testing.T) {
	for _, tt := range []struct {
		name, source, text string
		command            []string
		reason, function   string // of the stop
		below              string // a function of the program on the stack
	}{
		{
			"panic", "panic.go", "package main\n\n//go:noinline\nfunc broken(m map[string]int) { m[\"a\"] = 1 }\n\nfunc main() {\n\tfunc() {\n\t\tdefer func() { _ = recover() }()\n\t\tpanic(\"caught\")\n\t}()\n\tbroken(nil)\n}\n",
			[]string{"go", "build"}, "panic", "runtime.fatalpanic", "main.broken",
		},
		{
			"fatal error", "locks.go", "package main\n\nimport \"sync\"\n\n//go:noinline\nfunc broken(m *sync.Mutex) { m.Unlock() }\n\nfunc main() { broken(new(sync.Mutex)) }\n",
			[]string{"go", "build"}, "panic", "runtime.fatalthrow", "main.broken",
		},
		{
			"assertion", "assert.c", "#include <assert.h>\n__attribute__((noinline)) void broken(int n) { assert(n == 2); }\nint main(int argc, char **argv) { broken(argc); return 0; }\n",
			[]string{"gcc", "-g", "-O0"}, "signal", "", "broken",
		},
		{
			"terminate", "terminate.cc", "#include <stdexcept>\n__attribute__((noinline)) void broken() { throw std::runtime_error(\"x\"); }\nint main() { broken(); }\n",
			[]string{"g++", "-g", "-O0"}, "signal", "", "broken",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := compiled(t, tt.source, tt.text, tt.command...)
			c := connect(t, table(t, debugger.Config{}))
			c.ok("launch", args{"path": path})
			var a answer
			c.data("continue", args{"wait_ms": 60000}, &a)
			if a.State.Status != "stopped" || a.State.Reason != tt.reason || tt.function != "" && a.State.Function != tt.function || tt.function == "" && a.State.Signal != "SIGABRT" {
				t.Errorf("%+v, want %s in %s", a.State, tt.reason, tt.function)
			}
			contains(t, c.ok("get_stack_trace", args{"max_frames": 100}), tt.below)
			if got := c.ok("list_breakpoints", nil); got != "No breakpoints" {
				t.Errorf("the breakpoints are %s", got)
			}
			if got := c.ok("continue", args{"wait_ms": 60000}); !strings.Contains(got, "Process ") {
				t.Errorf("at the end: %s", got)
			}
		})
	}
}

// Catchpoints stop where gdb's do.
func TestCatch(t *testing.T) {
	const text = `#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>
int thrown(int n) {
	try {
		throw std::runtime_error("x");
	} catch (std::exception &) {
		n++;
	}
	return n;
}
int main(int argc, char **argv) {
	int n = thrown(argc);
	pid_t child = fork();
	if (child == 0)
		_exit(n);
	int status;
	waitpid(child, &status, 0);
	execl("/bin/true", "true", (char *)0);
	return 1;
}
`
	path := compiled(t, "events.cc", text, "g++", "-g", "-O0")
	c := connect(t, table(t, debugger.Config{}))
	c.ok("launch", args{"path": path})
	for _, event := range []string{"throw", "fork", "exec"} {
		contains(t, c.ok("set_breakpoint", args{"catch": event}), "Breakpoint ")
	}
	contains(t, c.fails("set_breakpoint", args{"catch": "panic"}, -32006), "no function that is called for a panic")
	contains(t, c.fails("set_breakpoint", args{"catch": "throw", "function": "main"}, -32602), "give either")
	var lines []string
	for i, function := range []string{"thrown", "main", "main"} {
		var a answer
		c.data("continue", args{"wait_ms": 60000}, &a)
		if a.State.Reason != "breakpoint" || a.State.Breakpoint != i+1 {
			t.Errorf("stop %d: %+v", i, a.State)
		}
		stack := c.ok("get_stack_trace", nil)
		m := regexp.MustCompile(` ` + function + `(?:\(.*\))?\+0x[0-9a-f]+ \S*events\.cc:(\d+)`).FindStringSubmatch(stack)
		if m == nil {
			t.Fatalf("stop %d: %s is not in\n%s", i, function, stack)
		}
		lines = append(lines, m[1])
	}
	if want := gdbCatches(t, path); fmt.Sprint(lines) != fmt.Sprint(want) {
		t.Errorf("stopped in the lines %v, gdb in %v", lines, want)
	}
	contains(t, c.ok("continue", args{"wait_ms": 60000}), "Stopped in a new program")
	contains(t, c.ok("continue", args{"wait_ms": 60000}), "exited with status 0")
}

// gdbCatches returns the lines of the program at which gdb's catchpoints stop.
func gdbCatches(t *testing.T, path string) (lines []string) {
	t.Helper()
	gdb := debuggertest.GDB(t)
	cmd := exec.CommandContext(t.Context(), gdb, "-nx", "-batch", "-iex", "set debuginfod enabled off",
		"-ex", "catch throw", "-ex", "catch fork", "-ex", "catch syscall execve",
		"-ex", "run", "-ex", "bt", "-ex", "continue", "-ex", "bt", "-ex", "continue", "-ex", "bt", "-ex", "kill", path)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("gdb: %v\n%s", err, out)
	}
	for stack := range strings.SplitSeq(string(out), "\nCatchpoint ") {
		if m := regexp.MustCompile(`at \S*events\.cc:(\d+)`).FindStringSubmatch(stack); m != nil {
			lines = append(lines, m[1])
		}
	}
	return lines
}

// Signals stop and pass as the caller decides.
func TestSignals(t *testing.T) {
	const text = `#include <signal.h>
#include <stdio.h>
static volatile int usr, alarms;
static void on(int sig) { if (sig == SIGUSR1) usr++; else alarms++; }
int main(void) {
	signal(SIGUSR1, on);
	signal(SIGALRM, on);
	for (int i = 0; i < 3; i++) { raise(SIGUSR1); raise(SIGALRM); }
	printf("%d %d\n", usr, alarms);
	return 0;
}
`
	path := compiled(t, "signals.c", text, "gcc", "-g", "-O0")
	for _, tt := range []struct {
		signals args
		stops   int
		output  string
	}{
		{nil, 3, "3 3"},
		{args{"SIGUSR1": "pass"}, 0, "3 3"},
		{args{"SIGUSR1": "drop"}, 0, "0 3"},
		{args{"SIGUSR1": "stop_drop", "SIGALRM": "stop"}, 6, "0 3"},
	} {
		c := connect(t, table(t, debugger.Config{}))
		c.ok("launch", args{"path": path})
		first := args{"wait_ms": 60000}
		if tt.signals != nil {
			first["signals"] = tt.signals
		}
		stops := 0
		for got := c.ok("continue", first); ; got = c.ok("continue", args{"wait_ms": 60000}) {
			if !strings.HasPrefix(got, "Stopped by signal ") {
				contains(t, got, "exited with status 0", "\n"+tt.output)
				break
			}
			stops++
		}
		if stops != tt.stops {
			t.Errorf("%v: %d stops, want %d", tt.signals, stops, tt.stops)
		}
	}
	c := connect(t, table(t, debugger.Config{}))
	c.ok("launch", args{"path": path})
	contains(t, c.fails("continue", args{"signals": args{"SIGNOPE": "stop"}}, -32602), "want a name such as SIGUSR1")
	contains(t, c.fails("continue", args{"signals": args{"SIGUSR1": "go"}}, -32602), "want a name such as SIGUSR1")
}

// System calls are caught before and after them, as gdb does: the same calls in the
// same order, from the first instruction to the end.
func TestCatchSyscalls(t *testing.T) {
	const text = `#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
	int fds[2];
	char c = 'x';
	if (pipe(fds) != 0)
		return 2;
	write(fds[1], "a \"quoted\"\n", 11);
	read(fds[0], &c, 1);
	open("/no/such/file", O_RDWR | O_CLOEXEC);
	pid_t child = fork();
	if (child == 0)
		_exit(3);
	waitpid(child, 0, 0);
	if (vfork() == 0)
		_exit(0);
	close(fds[0]);
	return c == 'a' ? 0 : 1;
}
`
	path := compiled(t, "calls.c", text, "gcc", "-g", "-O0", "-static")
	for _, record := range []bool{false, true} {
		t.Run(fmt.Sprintf("record %v", record), func(t *testing.T) {
			c := connect(t, table(t, debugger.Config{}))
			c.ok("launch", args{"path": path, "stop_at_entry": true})
			contains(t, c.ok("set_breakpoint", args{"catch": "syscall"}), "Breakpoint 1 set at syscall")
			contains(t, c.ok("list_breakpoints", nil), "breakpoint at syscall")
			var got []string
			for range 500 {
				var a answer
				c.data("continue", args{"wait_ms": 60000, "record": record}, &a)
				if a.State.Status != "stopped" || a.State.Reason == "exit" {
					break
				}
				if a.State.Reason != "syscall" || a.State.Breakpoint != 1 {
					t.Fatalf("%+v, want a system call", a.State)
				}
				name, _, _ := strings.Cut(a.State.Syscall, "(")
				got = append(got, name)
			}
			if want := gdbSyscalls(t, path); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("stopped at\n%v, gdb at\n%v", got, want)
			}
		})
	}
}

// gdbSyscalls returns the names of all system calls of a program at whose begin and
// end gdb stops.
func gdbSyscalls(t *testing.T, path string) (names []string) {
	t.Helper()
	gdb := debuggertest.GDB(t)
	script := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(script, []byte("starti\ncatch syscall\nwhile 1\ncontinue\nend\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	// The error of continue after the end of the program ends the script.
	out, _ := exec.CommandContext(t.Context(), gdb, "-nx", "-batch", "-iex", "set debuginfod enabled off", "-x", script, path).CombinedOutput()
	for _, m := range regexp.MustCompile(`Catchpoint 1 \((?:call to|returned from) syscall '?([a-z0-9_]+)'?\)`).FindAllStringSubmatch(string(out), -1) {
		names = append(names, m[1])
	}
	if len(names) == 0 {
		t.Fatalf("gdb caught nothing:\n%s", out)
	}
	return names
}
