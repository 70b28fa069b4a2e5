package debugger_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/debugger"
	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/mcp/mcptest"
)

// table opens the family for a test.
func table(t testing.TB, cfg debugger.Config) *mcp.Table {
	t.Helper()
	return tableIn(t, t.TempDir(), cfg)
}

// tableIn opens the family for a test with a data folder.
func tableIn(t testing.TB, folder string, cfg debugger.Config) *mcp.Table {
	t.Helper()
	table, err := cfg.Open(t.Context(), host.Env{
		Logger: slog.New(slog.DiscardHandler), Now: time.Now, Getenv: func(string) string { return "" }, Data: folder,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := table.Close(); err != nil {
			t.Error(err)
		}
	})
	return table
}

// connect is a client of the newest revision whose errors are not turned into
// results.
func connect(t testing.TB, tables ...*mcp.Table) *client {
	t.Helper()
	c := &client{Client: mcptest.Connect(t, tables...), t: t}
	c.Initialize("2025-06-18")
	return c
}

// A client calls tools of the family.
type client struct {
	*mcptest.Client
	t testing.TB
}

// ok calls a tool that must not fail and returns its text.
func (c *client) ok(tool string, args any) string {
	c.t.Helper()
	a := c.Call("debugger/"+tool, args)
	if a.Err != nil || a.IsError {
		c.t.Fatalf("%s %v: %s", tool, args, a)
	}
	return a.Text
}

// data calls a tool that must not fail and decodes its structured content.
func (c *client) data(tool string, args, to any) {
	c.t.Helper()
	a := c.Call("debugger/"+tool, args)
	if a.Err != nil {
		c.t.Fatalf("%s %v: %s", tool, args, a)
	}
	if err := json.Unmarshal(a.Structured, to); err != nil {
		c.t.Fatalf("%s: %s: %v", tool, a.Structured, err)
	}
}

// state decodes where a session is, by its id or the only one. Look-ups tell a
// state once.
func (c *client) state(id string, to any) {
	c.t.Helper()
	var list struct{ Sessions []json.RawMessage }
	c.data("sessions", nil, &list)
	for _, raw := range list.Sessions {
		var one answer
		if err := json.Unmarshal(raw, &one); err != nil {
			c.t.Fatal(err)
		}
		if id == "" || id == one.State.Session {
			if err := json.Unmarshal(raw, to); err != nil {
				c.t.Fatal(err)
			}
			return
		}
	}
	c.t.Fatalf("no session %q among %d", id, len(list.Sessions))
}

// fails calls a tool that must fail with a code, and returns the details.
func (c *client) fails(tool string, args any, code int) string {
	c.t.Helper()
	a := c.Call("debugger/"+tool, args)
	if a.Err == nil || int(a.Err.Code) != code {
		c.t.Fatalf("%s %v: %s, want the code %d", tool, args, a, code)
	}
	var data struct{ Details string }
	if err := json.Unmarshal(a.Err.Data, &data); err != nil {
		c.t.Fatalf("%s: data %q: %v", tool, a.Err.Data, err)
	}
	return data.Details
}

type args = map[string]any

// position is the part of a state that tests compare.
type position struct {
	Syscall                                                                       string
	Session, Status, Reason, Address, Function, File, Source, Signal, Fault, Note string

	PID, Thread, Line, Breakpoint int
	ExitStatus                    *int `json:"exit_status"`
}

type answer struct{ State position }

// contains fails unless the text has all the parts.
func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in\n%s", part, text)
		}
	}
}

// matches fails unless the whole text matches.
func matches(t *testing.T, text, pattern string) {
	t.Helper()
	if !regexp.MustCompile(`^(?:` + pattern + `)$`).MatchString(text) {
		t.Errorf("got\n%s\nwant %s", text, pattern)
	}
}

// attach starts a program and attaches to it where it waits for a command.
func attach(t *testing.T, name string) (*client, *debuggertest.Program) {
	t.Helper()
	p := debuggertest.Start(t, name)
	p.AwaitSleep()
	c := connect(t, table(t, debugger.Config{}))
	if got, want := c.ok("attach", args{"pid": p.PID}), fmt.Sprintf("Successfully attached to process %d", p.PID); got != want {
		t.Fatalf("attach: %q, want %q", got, want)
	}
	return c, p
}

// The first things that everybody does: attach, look, let go.
func TestAttach(t *testing.T) {
	c, p := attach(t, "shapes.c")
	if p.Status("TracerPid") == "0" {
		t.Error("nobody traces the process")
	}
	trace := c.ok("get_stack_trace", nil)
	matches(t, trace, `(?s)Stack trace:\n#0  0x[0-9a-f]+ .*\n#\d+ +0x[0-9a-f]+ main\+0x[0-9a-f]+ \S*shapes\.c:\d+\n.*`)
	frames := strings.Split(trace, "\n")[1:]
	n := 0
	for ; !strings.Contains(frames[n], " main+"); n++ {
	}
	vars := c.ok("get_variables", args{"frame": n})
	contains(t, vars, "Local variables:\n", "\n  line: char [64] = ", "\n  first: struct node = {value = 10, at = {x = 1, y = 2}, next = ")
	contains(t, c.ok("get_variables", args{"scope": "global", "filter": "tota*"}), "Global variables:\n  total: int = 7")
	matches(t, c.ok("sessions", nil), fmt.Sprintf(`Sessions:\n  dbg-[0-9a-f]{8}: process %d \S*shapes-c-\S+, stopped at 0x.*`, p.PID))
	if got, want := c.ok("detach", nil), fmt.Sprintf("Detached from process %d", p.PID); got != want {
		t.Errorf("detach: %q, want %q", got, want)
	}
	if got := p.Status("TracerPid"); got != "0" {
		t.Errorf("TracerPid %s after detach", got)
	}
	if got := p.Ask("deep"); got != "24" {
		t.Errorf("the program answers %q after detach, want 24", got)
	}
	contains(t, c.fails("get_stack_trace", nil, -32005), fmt.Sprintf("process %d was detached from", p.PID))
}

// Without a process there is nothing to read.
func TestNotAttached(t *testing.T) {
	c := connect(t, table(t, debugger.Config{}))
	for _, tool := range []string{"get_stack_trace", "get_variables", "continue", "pause", "detach"} {
		details := c.fails(tool, nil, -32005)
		contains(t, details, "debugger/attach")
		details = c.fails(tool, args{"session": "dbg-00000000"}, -32005)
		contains(t, details, `there is no session "dbg-00000000"`)
	}
	contains(t, c.fails("attach", args{"pid": 1 << 22}, -32004), "process 4194304 does not exist")
	if got := c.fails("attach", args{"pid": 0}, -32602); got != "pid must be a positive integer" {
		t.Errorf("pid 0: %q", got)
	}
	contains(t, c.fails("attach", args{"pid": os.Getpid()}, -32003), "it is the debugger itself")
	contains(t, c.fails("attach", args{"pid": os.Getppid()}, -32003), "the debugger runs under it")
}

// Continue answers in time, and pause overtakes it.
func TestContinueAndPause(t *testing.T) {
	c, p := attach(t, "shapes.c")
	if got := c.ok("continue", args{"wait_ms": 20}); got != "Process is running" {
		t.Errorf("continue: %q", got)
	}
	contains(t, c.fails("get_stack_trace", nil, -1), "debugger/pause")
	if got := p.Ask("deep"); got != "24" {
		t.Errorf("the running program answers %q", got)
	}
	matches(t, c.ok("pause", nil), `Paused at 0x[0-9a-f]+`)
	contains(t, c.ok("get_stack_trace", nil), " main+")
	matches(t, c.ok("pause", nil), `Paused at 0x[0-9a-f]+`)
	c.ok("continue", args{"wait_ms": 0})
	p.Tell("quit")
	if got := c.ok("continue", nil); got != "Process exited with status 3" {
		t.Errorf("the end: %q", got)
	}
	contains(t, c.fails("continue", nil, -32005), "exited with status 3")
	if got := c.ok("sessions", nil); got != "No sessions" {
		t.Errorf("sessions: %q", got)
	}
}
