package debugger_test

import (
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger"
	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// workLine returns the number of the line of work.c with a mark.
func workLine(t *testing.T, mark string) int { return debuggertest.Line(t, "work.c", mark) }

// waits are the arguments of tools that wait for the process as long as they may: on a machine
// that is busy, a recording and its replay take more than the default.
var waits = args{"wait_ms": 60000}

// work is a client with work.c at main.
func work(t *testing.T, cfg debugger.Config, arguments ...string) *client {
	t.Helper()
	c := connect(t, table(t, cfg))
	c.ok("launch", args{"path": debuggertest.Build(t, "work.c", "-O1", "-pthread"), "args": arguments})
	return c
}

// worked returns what work.c writes when it is not debugged.
func worked(t *testing.T, arguments ...string) string {
	t.Helper()
	out, _ := exec.Command(debuggertest.Build(t, "work.c", "-O1", "-pthread"), arguments...).Output() // its status is 3
	return strings.TrimSuffix(string(out), "\n")
}

// A program of 100 million instructions is recorded to a breakpoint. From there everything
// before can be reached.
func TestRecordTranslated(t *testing.T) {
	sample.Alone(t)
	c := work(t, debugger.Config{}, "10", "500000")
	c.ok("set_breakpoint", args{"function": "done"})
	var at when
	c.data("continue", args{"record": true, "wait_ms": 60000}, &at)
	if at.State.Reason != "breakpoint" || at.State.Note != "" || at.State.History.End < 80_000_000 || at.State.History.Oldest != 0 {
		t.Fatalf("%+v, %+v", at.State, at.State.History)
	}
	end := at.State.History.End
	present := c.look()
	contains(t, c.ok("last_write", args{"expression": "planted"}), "Value: 0x000000000007a125, before it 0x0000000000000000", " plant+")
	c.ok("set_breakpoint", args{"function": "round_of"})
	contains(t, c.ok("reverse_continue", waits), "Stopped at breakpoint 2 (")
	c.data("step_backward", args{"by": "over", "wait_ms": 60000}, &at)
	if at.State.Function != "main" || !at.State.History.Past {
		t.Errorf("%+v, %+v", at.State, at.State.History)
	}
	c.data("seek", args{"position": end - 3, "wait_ms": 60000}, &at)
	before := c.look()
	c.ok("step_backward", args{"count": 2, "wait_ms": 60000})
	c.ok("step_forward", args{"count": 2, "wait_ms": 60000})
	if got := c.look(); got != before {
		t.Errorf("%s\nbefore:\n%s", got, before)
	}
	c.data("seek", args{"position": 0, "wait_ms": 60000}, &at)
	if at.State.Function != "main" {
		t.Errorf("%+v", at.State)
	}
	contains(t, c.ok("evaluate", args{"expression": "planted"}), "= 0")
	contains(t, c.ok("continue", waits), "Stopped at breakpoint 2 (")
	c.ok("clear_breakpoint", args{"id": 2})
	contains(t, c.ok("continue", waits), "Stopped at breakpoint 1 (")
	c.data("seek", args{"position": end, "wait_ms": 60000}, &at)
	if got := c.look(); got != present {
		t.Errorf("%s\nbefore:\n%s", got, present)
	}
	if got, want := c.ok("continue", waits), worked(t, "10", "500000"); !strings.Contains(got, want) {
		t.Errorf("the program has written %q, want %q", got, want)
	}
}

// What a small program has done looks the same when it was recorded by translation, in memory
// and in a file, and when it was recorded instruction by instruction.
func TestRecordTranslatedAlike(t *testing.T) {
	sample.Alone(t)
	var said [3][]string
	for n, live := range []debugger.Live{{NoTranslate: true}, {}, {HistoryFile: 64}} {
		c := work(t, debugger.Config{Live: live}, "3", "40")
		c.ok("set_breakpoint", args{"function": "done"})
		say := func(tool string, arguments any) {
			text := c.ok(tool, arguments)
			said[n] = append(said[n], text)
		}
		say("continue", args{"record": true, "wait_ms": 60000})
		say("get_stack_trace", nil)
		say("last_write", args{"expression": "planted"})
		say("last_write", args{"expression": "sum", "move": true})
		c.ok("set_breakpoint", args{"function": "mix"})
		for range 5 {
			say("reverse_continue", waits)
			say("get_variables", nil)
		}
		say("continue", waits)
		say("step_backward", args{"by": "line", "wait_ms": 60000})
		say("step_backward", args{"by": "out", "wait_ms": 60000})
		say("step_backward", args{"count": 3, "wait_ms": 60000})
		say("trace_value", args{"expression": "sum"})
		say("call_tree", nil)
		say("call_trace", args{"function": "round_of", "nth": 2})
		say("collect", args{"points": []args{{"at": "mix", "expressions": []string{"x"}}}, "limit": 3})
	}
	for n, want := range said[0] {
		for _, other := range said[1:] {
			if got := other[n]; withoutAddresses(got) != withoutAddresses(want) {
				t.Errorf("%d: %s\nwithout translation:\n%s", n, got, want)
			}
		}
	}
}

// A breakpoint that is reached again and again stops each time, and all that was before stays
// in the history: recordings, and steps between them.
func TestRecordTranslatedAgain(t *testing.T) {
	sample.Alone(t)
	c := work(t, debugger.Config{}, "6", "20000")
	c.ok("set_breakpoint", args{"function": "round_of"})
	var sums []string
	var ends []uint64
	var at when
	for n := range 6 {
		c.data("continue", args{"record": true, "wait_ms": 60000}, &at)
		if h := at.State.History; at.State.Reason != "breakpoint" || h.Oldest != 0 || at.State.Note != "" {
			t.Fatalf("%+v, %+v", at.State, h)
		}
		if n%2 == 1 {
			c.ok("step_line", waits)
			c.data("step_forward", waits, &at)
		}
		sums, ends = append(sums, c.ok("evaluate", args{"expression": "sum"})), append(ends, at.State.History.End)
	}
	for n := len(ends) - 1; n >= 0; n-- {
		c.data("seek", args{"position": ends[n], "wait_ms": 60000}, &at)
		if got := c.ok("evaluate", args{"expression": "sum"}); got != sums[n] {
			t.Errorf("position %d: %s, want %s", ends[n], got, sums[n])
		}
	}
	c.data("seek", args{"position": ends[5], "wait_ms": 60000}, &at)
	for n := range 5 {
		if got := c.ok("reverse_continue", waits); !strings.Contains(got, "Stopped at breakpoint 1 (") {
			t.Errorf("%d: %s", n, got)
		}
	}
	contains(t, c.ok("last_write", args{"expression": "planted"}), " plant+")
	contains(t, c.ok("continue", waits), "Stopped at breakpoint 1 (")
	c.data("seek", args{"position": ends[5], "wait_ms": 60000}, &at)
	c.ok("clear_breakpoint", args{"id": 1})
	contains(t, c.ok("continue", args{"record": true, "wait_ms": 60000}), "the next step ends the process", worked(t, "6", "20000"))
	contains(t, c.ok("continue", args{"record": true, "wait_ms": 60000}), "exited with status 3")
}

// A signal with a handler stops the recording, and is delivered when the process goes on.
func TestRecordTranslatedSignals(t *testing.T) {
	c := work(t, debugger.Config{}, "3", "20000", "signal")
	for range 2 {
		contains(t, c.ok("continue", args{"record": true, "wait_ms": 60000}), "Stopped by signal SIGUSR1")
	}
	c.ok("set_breakpoint", args{"function": "on_signal"})
	contains(t, c.ok("continue", args{"record": true, "wait_ms": 60000}), "Stopped at breakpoint 1 (")
	contains(t, c.ok("get_stack_trace", nil), "on_signal", "raise")
	contains(t, c.ok("continue", args{"record": true, "signals": args{"SIGUSR1": "pass"}, "wait_ms": 60000}), "Stopped at breakpoint 1 (")
	contains(t, c.ok("reverse_continue", waits), "Stopped at breakpoint 1 (")
	contains(t, c.ok("evaluate", args{"expression": "handled"}), "= 10")
	contains(t, c.ok("last_write", args{"expression": "handled"}), " on_signal+")
	c.ok("clear_breakpoint", args{"id": 1})
	c.ok("seek", waits)
	if got, want := c.ok("continue", waits), worked(t, "3", "20000", "signal"); !strings.Contains(got, want) {
		t.Errorf("the program has written %q, want %q", got, want)
	}
}

// A signal that arrives before one that was reported is reported, too.
func TestRecordTranslatedSignalBefore(t *testing.T) {
	c := work(t, debugger.Config{}, "3", "20000", "signal")
	var at when
	c.data("continue", args{"record": true, "wait_ms": 60000}, &at)
	if at.State.Reason != "signal" {
		t.Fatalf("%+v, want a signal", at.State)
	}
	if err := unix.Tgkill(at.State.Thread, at.State.Thread, unix.SIGHUP); err != nil { // to the first thread
		t.Fatal(err)
	}
	contains(t, c.ok("continue", args{"record": true, "wait_ms": 60000}), "Stopped by signal SIGHUP")
}

// A crash is recorded, and what has led to it can be found.
func TestRecordTranslatedCrash(t *testing.T) {
	sample.Alone(t)
	c := work(t, debugger.Config{}, "3", "20000", "crash")
	contains(t, c.ok("continue", args{"record": true, "wait_ms": 60000}), "Stopped by signal SIGSEGV", "about the address 0x4e25")
	contains(t, c.ok("last_write", args{"expression": "planted", "move": true}), " plant+")
	c.ok("seek", waits)
	contains(t, c.ok("continue", args{"record": true, "wait_ms": 60000}), "killed by signal SIGSEGV")
}

// Threads that hand over to each other stop at breakpoints, and are seen in the past.
func TestRecordTranslatedThreads(t *testing.T) {
	c := work(t, debugger.Config{}, "2", "20000", "threads")
	c.ok("set_breakpoint", args{"file": "work.c", "line": workLine(t, "passed")})
	var at when
	var threads []int
	for range 6 {
		c.data("continue", args{"record": true, "wait_ms": 60000}, &at)
		if h := at.State.History; at.State.Reason != "breakpoint" || h.Oldest != 0 || at.State.Note != "" {
			t.Fatalf("%+v, %+v", at.State, h)
		}
		threads = append(threads, at.State.Thread)
	}
	for n := range threads[2:] {
		if threads[n+2] != threads[n] || threads[n+1] == threads[n] {
			t.Errorf("the threads were %v", threads)
		}
	}
	for n := len(threads) - 2; n >= 0; n-- {
		if c.data("reverse_continue", waits, &at); at.State.Thread != threads[n] {
			t.Errorf("%+v, want thread %d", at.State, threads[n])
		}
	}
	c.ok("seek", waits)
	c.ok("clear_breakpoint", args{"id": 1})
	if got, want := c.ok("continue", waits), worked(t, "2", "20000", "threads"); !strings.Contains(got, want) {
		t.Errorf("the program has written %q, want %q", got, want)
	}
}

// Where steps must be recorded one by one, the answer says so.
func TestRecordNotTranslated(t *testing.T) {
	c := work(t, debugger.Config{}, "1", "50", "seals")
	c.ok("set_watchpoint", args{"expression": "planted"})
	contains(t, c.ok("continue", args{"record": true, "wait_ms": 60000}), "Stopped at watchpoint 1 (", "one by one, which is slow: watchpoint 1 is checked")
	c.ok("clear_breakpoint", args{"id": 1})
	c.ok("set_breakpoint", args{"function": "done"})
	var at when
	c.data("continue", args{"record": true, "wait_ms": 60000}, &at)
	if at.State.Reason != "limit" || !strings.Contains(at.State.Note, "the recording ends here: the program restricts its system calls by seccomp") {
		t.Fatalf("%+v", at.State)
	}
	end := at.State.History.End
	contains(t, c.ok("last_write", args{"expression": "planted"}), " plant+")
	c.ok("seek", waits)
	contains(t, c.ok("continue", args{"record": true, "wait_ms": 60000}), "Stopped at breakpoint 2 (", "one by one, which is slow: the program restricts its system calls by seccomp")
	c.data("seek", args{"position": end - 5, "wait_ms": 60000}, &at)
	contains(t, c.ok("continue", waits), "Stopped at breakpoint 2 (")
	contains(t, c.ok("continue", args{"record": true, "wait_ms": 60000}), "the next step ends the process", worked(t, "1", "50"))
}

// What the debugger changes is part of the history, and is seen by what follows.
func TestRecordTranslatedChanges(t *testing.T) {
	c := work(t, debugger.Config{}, "3", "2000")
	c.ok("set_breakpoint", args{"function": "round_of"})
	c.ok("continue", args{"record": true, "wait_ms": 60000})
	var at when
	c.data("continue", args{"record": true, "wait_ms": 60000}, &at)
	before := at.State.History.End
	c.ok("write_memory", args{"address": "&planted", "hex": "0100000000000000"})
	c.data("continue", args{"record": true, "wait_ms": 60000}, &at)
	if h := at.State.History; h.Oldest != 0 || at.State.Note != "" {
		t.Errorf("%+v, %+v", at.State, h)
	}
	contains(t, c.ok("evaluate", args{"expression": "planted"}), "= 1")
	c.ok("seek", args{"position": before, "wait_ms": 60000})
	contains(t, c.ok("evaluate", args{"expression": "planted"}), "= 2005")
	c.ok("seek", args{"position": before + 1, "wait_ms": 60000})
	contains(t, c.ok("evaluate", args{"expression": "planted"}), "= 1")
	contains(t, c.ok("continue", waits), "Stopped at breakpoint 1 (")
	contains(t, c.ok("evaluate", args{"expression": "planted"}), "= 1")

	c.ok("seek", args{"position": before - 5, "wait_ms": 60000}) // from there once more, without the change
	text := c.ok("continue", args{"from": "past", "record": true, "wait_ms": 60000})
	contains(t, text, "Stopped at breakpoint 1 (", "the process went on from position", "is dropped")
	c.ok("continue", args{"record": true, "wait_ms": 60000})
	contains(t, c.ok("evaluate", args{"expression": "planted"}), "= 2005")
	c.ok("clear_breakpoint", args{"id": 1})
	contains(t, c.ok("continue", waits), worked(t, "3", "2000"))
}

// Another program ends the history, and is recorded, too.
func TestRecordTranslatedExec(t *testing.T) {
	c := connect(t, table(t, debugger.Config{}))
	c.ok("launch", args{"path": "/bin/sh", "args": []string{"-c", "exec /bin/echo begun"}})
	var at when
	c.data("continue", args{"record": true, "wait_ms": 60000}, &at)
	if h := at.State.History; at.State.Reason != "exec" || h.Oldest == 0 || h.Oldest != h.End || !strings.Contains(h.Begins, "another program was begun") {
		t.Fatalf("%+v, %+v", at.State, h)
	}
	contains(t, c.ok("continue", args{"record": true, "wait_ms": 60000}), "the next step ends the process", "Output:\nbegun")
	c.ok("step_backward", args{"count": 10, "wait_ms": 60000})
	contains(t, c.ok("continue", args{"record": true, "wait_ms": 60000}), "Came to the present")
	contains(t, c.ok("continue", args{"record": true, "wait_ms": 60000}), "exited with status 0")
}

// A process that is killed while it is recorded has ended.
func TestRecordTranslatedKill(t *testing.T) {
	c := work(t, debugger.Config{}, "1000000", "1000000")
	var running answer
	c.data("continue", args{"record": true, "wait_ms": 0}, &running)
	if err := syscall.Kill(running.State.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if s := c.await(); s.Status != "exited" || s.Signal != "SIGKILL" {
		t.Errorf("%+v", s)
	}
}

// withoutAddresses replaces what differs between two runs: addresses and process ids.
func withoutAddresses(text string) string {
	return runSpecific.ReplaceAllString(text, "?")
}

var runSpecific = regexp.MustCompile(`0x[0-9a-f]+|thread \d+`)
