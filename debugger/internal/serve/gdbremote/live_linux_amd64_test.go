package gdbremote_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/gdbremote"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/sessiontest"
)

// gdb drives a process that it owns: breakpoints, watchpoints, libraries,
// writes, calls of functions, and the end. Expected numbers follow from the
// arithmetic of sums.c.
func TestLive(t *testing.T) {
	r := sessiontest.NewRegistry(t)
	exe := debuggertest.Build(t, "sums.c")
	v := serve(t, r, launch(t, r, exe), gdbremote.Options{Role: session.Owner})
	steps := []struct{ command, want string }{
		{"break main", "Breakpoint 1"},
		{"continue", "Breakpoint 1, main"},
		{"info sharedlibrary", "libc.so.6"},
		{"info threads", `"sums-c-`},
		{"watch total", "Hardware watchpoint 2"},
		{"continue", "Old value = 0\nNew value = 10"},
		{"bt", "#1  0x"},
		{"rwatch calls", "Hardware read watchpoint 3"},
		{"continue", "Value = 1"},
		{"delete", ""},
		{"stepi", ""},
		{"reverse-stepi", ""},
		{"set var total = 1", "Cannot access memory"}, // in the past
		{"set var $r15 = 1", "the past cannot be changed"},
		{"monitor resume-here", "went on from position"},
		{"p half(5)", "= 2.5"},
		{"set var total = 1000", ""},
		{"p total", "= 1000"},
		{"set $xmm15.uint128 = 77", ""},
		{"p $xmm15.uint128", "= 77"},
		{"p $eflags", "IF"},
		{"set var $r15 = 0x1234", ""},
		{"p/x $r15", "= 0x1234"},
		{"monitor nonsense", "monitor seek: N"},
		{"tbreak add", ""},
		{"continue", "add (n=30)"},
		{"finish", "= 1050"},
		{"break sums.c:" + line(t, "end"), ""},
		{"continue", "Breakpoint 5, main"},
		{"continue", "exited with code 03"},
	}
	var commands []string
	for _, s := range steps {
		commands = append(commands, s.command)
	}
	out := v.gdb(t, exe, commands...)
	v.wait(t)
	for i, s := range steps {
		if !strings.Contains(out[i]+"\n", s.want) {
			t.Errorf("%d: %s: %q, want %q", i, s.command, out[i], s.want)
		}
	}
	if text := strings.Join(out, "\n"); !strings.Contains(text, "total 1140, half 570\n") { // it comes when it is read
		t.Errorf("the program's output is not in that of gdb:\n%s", text)
	}
	if all := r.All(); len(all) != 0 {
		t.Errorf("%d sessions are left, want none after the end of the process", len(all))
	}
}

// gdb's catch syscall stops through the server where it does without: the same calls
// in the same order.
func TestCatchSyscalls(t *testing.T) {
	r := sessiontest.NewRegistry(t)
	exe := debuggertest.Build(t, "sums.c")
	catch := []string{"catch syscall write exit_group"}
	for range 4 {
		catch = append(catch, "continue")
	}
	v := serve(t, r, launch(t, r, exe), gdbremote.Options{Role: session.Owner})
	ours := strings.Join(v.gdb(t, exe, catch...), "\n")
	v.wait(t)
	stops := func(text string) []string {
		return regexp.MustCompile(`Catchpoint 1 \((call to|returned from) syscall \w+\)|exited with code \d+`).FindAllString(text, -1)
	}
	got, want := stops(ours), stops(strings.Join(runGDB(t, exe, "starti", catch), "\n"))
	if len(want) < 4 || !slices.Equal(got, want) {
		t.Errorf("stops at %q, want %q:\n%s", got, want, ours)
	}
}

// With scheduler-locking one thread continues to the next breakpoint while the others stay
// where they are. lldb calls functions in this way.
func TestContinueAlone(t *testing.T) {
	r := sessiontest.NewRegistry(t)
	program := debuggertest.Start(t, "threads.c")
	process, err := proc.Attach(t.Context(), program.PID, proc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	v := serve(t, r, add(t, r, process), gdbremote.Options{Role: session.Owner})
	steps := []struct{ command, want string }{
		{"break tick if count == &counts[2]", "Breakpoint 1"},
		{"continue", "hit Breakpoint 1, tick (count="},
		{"delete", ""},
		{"p counts[0] + counts[1]", "= "},
		{"p $_thread", "= "},
		{"set scheduler-locking on", ""},
		{"tbreak usleep", "breakpoint 2"},
		{"continue", "hit Temporary breakpoint 2"},
		{"p counts[0] + counts[1]", "= "},
		{"p $_thread", "= "},
		{"p counts[2] % 64", "= 0"}, // a thread sleeps after so many
		{"detach", ""},
	}
	var commands []string
	for _, s := range steps {
		commands = append(commands, s.command)
	}
	out := v.gdb(t, program.Path, commands...)
	v.wait(t)
	for i, s := range steps {
		if !strings.Contains(out[i], s.want) {
			t.Errorf("%d: %s: %q, want %q", i, s.command, out[i], s.want)
		}
	}
	for _, i := range []int{3, 4} {
		_, before, _ := strings.Cut(out[i], "=")
		if _, after, _ := strings.Cut(out[i+5], "="); before != after {
			t.Errorf("%s: %s, before %s", steps[i].command, after, before)
		}
	}
}
