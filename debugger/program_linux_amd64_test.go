package debugger_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger"
	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
)

// untilOutput returns the new output of the program, when it has the text.
func (c *client) untilOutput(want string) string {
	c.t.Helper()
	var all strings.Builder
	for range 100 {
		var part struct{ Output string }
		c.data("get_output", args{"wait_ms": 60000}, &part)
		all.WriteString(part.Output)
		if strings.Contains(all.String(), want) {
			return all.String()
		}
		if part.Output == "" {
			break
		}
	}
	c.t.Fatalf("the program wrote %q, want %q", &all, want)
	return ""
}

// await waits for the stop of the process.
func (c *client) await() position {
	c.t.Helper()
	for range 10 {
		var a answer
		if c.data("wait", args{"wait_ms": 60000}, &a); a.State.Status != "running" {
			return a.State
		}
	}
	c.t.Fatal("the process does not stop")
	return position{}
}

// A program reads what is sent to it, while it runs and while it is stopped, and
// the end of its input.
func TestInput(t *testing.T) {
	c := connect(t, table(t, debugger.Config{}))
	c.ok("launch", args{"path": debuggertest.Build(t, "shapes.c"), "input": "pipe"})
	if got := c.ok("send_input", args{"text": "deep\n"}); got != "Wrote 5 bytes" {
		t.Errorf("send_input: %q", got)
	}
	if got := c.ok("continue", args{"wait_ms": 0}); !strings.HasPrefix(got, "Process is running") {
		t.Errorf("continue: %q", got)
	}
	c.untilOutput("24\n") // 4!
	if got := c.ok("wait", args{"wait_ms": 1}); got != "Process is running" {
		t.Errorf("wait: %q", got)
	}
	if got, want := c.ok("send_input", args{"text": "quit\n", "eof": true}), "Wrote 5 bytes and ended the input"; got != want {
		t.Errorf("send_input: %q, want %q", got, want)
	}
	if s := c.await(); s.Status != "exited" || s.ExitStatus == nil || *s.ExitStatus != 3 {
		t.Errorf("at the end: %+v", s)
	}
}

// Wait never lets the process run.
func TestWait(t *testing.T) {
	c := connect(t, table(t, debugger.Config{}))
	c.ok("launch", args{"path": debuggertest.Build(t, "shapes.c"), "input": "pipe"})
	c.ok("set_breakpoint", args{"function": "add"})
	c.ok("continue", args{"wait_ms": 0})
	c.ok("send_input", args{"text": "run\n"})
	first := c.await()
	if first.Reason != "breakpoint" || first.Function != "add" {
		t.Errorf("wait: %+v", first)
	}
	if again := c.await(); again != first {
		t.Errorf("wait went from %+v to %+v", first, again)
	}
}

// A program has a terminal of its own, which ends its input without ending the
// terminal.
func TestTerminal(t *testing.T) {
	c := connect(t, table(t, debugger.Config{}))
	c.ok("launch", args{
		"path": "sh", "input": "terminal", "stop_at_entry": true,
		"args": []string{"-c", `test -t 0 && test -t 1 && test -t 2 && tty; read x; echo "got $x"; cat; echo end`},
	})
	c.ok("send_input", args{"text": "hello\n"})
	c.ok("continue", args{"wait_ms": 0})
	contains(t, c.untilOutput("got hello\n"), "/dev/pts/")
	c.ok("send_input", args{"text": "last\n", "eof": true})
	if got := c.untilOutput("end\n"); got != "last\nend\n" {
		t.Errorf("the program wrote %q", got)
	}
	if s := c.await(); s.Status != "exited" || s.ExitStatus == nil || *s.ExitStatus != 0 {
		t.Errorf("at the end: %+v", s)
	}
}

// A program reads a file as its input, also when it is launched again, and a path is as that of
// the program.
func TestInputFile(t *testing.T) {
	c := connect(t, table(t, debugger.Config{}))
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "names"), []byte(strings.Repeat("Ada\n", 100_000)), 0o600); err != nil {
		t.Fatal(err)
	}
	c.ok("launch", args{"path": "sh", "cwd": dir, "input": "names", "stop_at_entry": true, "args": []string{"-c", "wc -l"}})
	contains(t, c.fails("send_input", args{"text": "x"}, -1), "launched without an input")
	for range 2 {
		contains(t, c.ok("continue", args{"wait_ms": 60000}), "exited with status 0", "100000")
		c.ok("restart", nil)
	}
	contains(t, c.fails("launch", args{"path": "sh", "input": filepath.Join(dir, "none")}, -1), "none: no such file or directory")
	contains(t, c.fails("launch", args{"path": "sh", "input": dir}, -1), "is a directory")
}

// A wait for output ends when the program stops, with what it has written.
func TestOutputAtAStop(t *testing.T) {
	c := connect(t, table(t, debugger.Config{}))
	c.ok("launch", args{"path": "sh", "stop_at_entry": true, "args": []string{"-c", "kill -STOP $$; exit 3"}})
	c.ok("continue", args{"wait_ms": 0})
	if got := c.ok("get_output", args{"wait_ms": 60000}); got != "No output since byte 0" {
		t.Errorf("%q", got)
	}
	contains(t, c.ok("wait", args{"wait_ms": 0}), "SIGSTOP")
}

// Of much output the latest is kept, and says how much there was.
func TestMuchOutput(t *testing.T) {
	c := connect(t, table(t, debugger.Config{}))
	c.ok("launch", args{"path": "sh", "stop_at_entry": true, "args": []string{"-c", `head -c 10000000 /dev/zero | tr '\0' x; echo; echo end; exec sleep 1000`}})
	c.ok("continue", args{"wait_ms": 0})
	var o struct {
		Output     string
		From, Next int64
	}
	const all = 10_000_000 + len("\nend\n")
	for range 10_000 {
		if c.data("get_output", args{"wait_ms": 60000}, &o); o.Next == int64(all) {
			break
		}
	}
	const end = "x\nend\n" // the last part of it may be an answer of its own
	if !strings.HasSuffix(o.Output, end) && !strings.HasSuffix(end, o.Output) || o.Next-o.From != int64(len(o.Output)) || len(o.Output) > 16<<10 {
		t.Errorf("the last answer has bytes %d to %d of %d: %d bytes", o.From, o.Next, all, len(o.Output))
	}
	c.data("get_output", args{"from": 0}, &o)
	if o.From != int64(all)-1<<20 || o.Output != strings.Repeat("x", 16<<10) {
		t.Errorf("the oldest that is kept is byte %d, with %d bytes", o.From, len(o.Output))
	}
	contains(t, c.fails("send_input", args{"text": "x"}, -1), "launched without an input")
}

// A program is launched again with its breakpoints, under the same session:
// while it is stopped, and after its end.
func TestRestart(t *testing.T) {
	c := connect(t, table(t, debugger.Config{}))
	var first, second answer
	c.data("launch", args{"path": debuggertest.Build(t, "shapes.c"), "input": "pipe"}, &first)
	c.ok("set_breakpoint", args{"function": "add", "condition": "b == 2"})
	c.ok("set_breakpoint", args{"file": "shapes.c", "line": line(t, "end"), "hit_count": 2, "log": ""})
	c.ok("set_watchpoint", args{"expression": "total"})
	c.ok("clear_breakpoint", args{"id": 2})
	c.ok("set_breakpoint", args{"file": "shapes.c", "line": line(t, "sum"), "log": "a is {a}"})
	before := withoutPlaces(c.ok("list_breakpoints", nil))
	for _, how := range []string{"stopped", "ended"} {
		c.data("restart", nil, &second)
		if second.State.Session != first.State.Session || second.State.PID == first.State.PID || second.State.Function != "main" {
			t.Errorf("%s: %+v after %+v", how, second.State, first.State)
		}
		first = second
		if after := withoutPlaces(c.ok("list_breakpoints", nil)); after != before {
			t.Errorf("%s: got\n%s\nthere were\n%s", how, after, before)
		}
		c.ok("send_input", args{"text": "run\nquit\n"})
		contains(t, c.ok("continue", nil), "Stopped at watchpoint 3 (", "a is 7")
		c.ok("clear_breakpoint", args{"id": 3})
		contains(t, c.ok("continue", nil), "Stopped at breakpoint 1 (")
		contains(t, c.ok("get_variables", args{"filter": "b"}), "  b: int = 2")
		c.ok("set_watchpoint", args{"expression": "total"})
		before = withoutPlaces(c.ok("list_breakpoints", nil))
		before = strings.ReplaceAll(before, ", hits: 1", "")
		if how == "stopped" {
			c.ok("detach", args{"kill": true})
			break
		}
	}
	c.ok("restart", nil)
	contains(t, c.ok("list_breakpoints", nil), "  1  breakpoint", "  4  breakpoint", "  5  watchpoint")
}

// withoutPlaces returns a list of breakpoints without its addresses and hits.
func withoutPlaces(list string) string {
	words := strings.Fields(list)
	for i, w := range words {
		if strings.HasPrefix(w, "0x") {
			words[i] = "ADDRESS"
		}
	}
	return strings.Join(words, " ")
}

// Only what was launched is launched again.
func TestRestartFailures(t *testing.T) {
	c, _ := attach(t, "shapes.c")
	contains(t, c.fails("restart", nil, -1), "was not launched here")
	contains(t, c.fails("get_output", nil, -1), "was not launched here")
	c.ok("detach", nil)
	contains(t, c.fails("restart", nil, -1), "was detached from")
	c = connect(t, table(t, debugger.Config{Live: debugger.Live{NoLaunch: true}}))
	contains(t, c.fails("restart", nil, -32003), "--no-launch")
}

// Breakpoints are kept across exec where their names are still there.
func TestExecKeepsBreakpoints(t *testing.T) {
	dir := t.TempDir()
	source := filepath.Join(dir, "twice.c")
	const text = `#include <unistd.h>
int both(int n) { return n + 1; }
#ifdef FIRST
int gone(int n) { return n + 2; }
int main(int argc, char **argv) { gone(both(1)); execv(argv[1], argv + 1); return 9; }
#else
int main(void) { return both(3); }
#endif
`
	if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	first := debuggertest.Compile(t, source, nil, "gcc", "-g", "-O0", "-DFIRST")
	second := debuggertest.Compile(t, source, nil, "gcc", "-g", "-O0")
	c := connect(t, table(t, debugger.Config{}))
	c.ok("launch", args{"path": first, "args": []string{second}})
	c.ok("set_breakpoint", args{"function": "both"})
	c.ok("set_breakpoint", args{"function": "gone"})
	contains(t, c.ok("continue", nil), "Stopped at breakpoint 1")
	contains(t, c.ok("continue", nil), "Stopped at breakpoint 2")
	contains(t, c.ok("continue", nil), "Stopped in a new program", "another program was begun; breakpoints set in it: 1; pending: 2")
	contains(t, c.ok("list_breakpoints", nil), "  1  breakpoint at 0x", "  2  breakpoint at gone, pending")
	contains(t, c.ok("continue", nil), "Stopped at breakpoint 1")
	contains(t, c.ok("evaluate", args{"expression": "n"}), "3")
	contains(t, c.ok("continue", nil), "Process exited with status 4")
}

// A client can subscribe to the output of its program, and no other client can
// read it.
func TestOutputResource(t *testing.T) {
	family := table(t, debugger.Config{})
	c := connect(t, family)
	var a answer
	c.data("launch", args{"path": debuggertest.Build(t, "shapes.c"), "input": "pipe"}, &a)
	uri := "debugger://output/" + a.State.Session
	if _, err := c.Ask("resources/subscribe", args{"uri": uri}); err != nil {
		t.Fatal(err)
	}
	c.ok("continue", args{"wait_ms": 0})
	c.ok("send_input", args{"text": "deep\n"})
	for n := c.Notification(); ; n = c.Notification() {
		if n.Method == "notifications/resources/updated" && strings.Contains(string(n.Params), uri) {
			break
		}
	}
	c.untilOutput("24\n")
	got, err := c.Read(uri)
	if err != nil || len(got) != 1 || got[0].Text != "ready\n24\n" {
		t.Errorf("the resource is %+v, %v", got, err)
	}
	if list := fmt.Sprintf("%s", c.List("resources")); !strings.Contains(list, uri) {
		t.Errorf("it is not listed: %s", list)
	}
	server, err2 := mcp.New(mcp.Config{Name: "test", Version: "1"}, family)
	if err2 != nil {
		t.Fatal(err2)
	}
	h := server.Bind(host.Caller{Principal: host.Principal{ID: "other", Scopes: host.Local().Scopes}}, nil)
	defer h.End(context.WithoutCancel(t.Context()))
	req := jsonrpc.Request{ID: jsonrpc.NumberID(1), Method: "resources/read", Params: fmt.Appendf(nil, `{"uri":%q}`, uri)}
	if raw := string(jsonrpc.Answer(t.Context(), h, &req, nil)); !strings.Contains(raw, `"error"`) || strings.Contains(raw, "ready") {
		t.Errorf("another client reads %s", raw)
	}
}
