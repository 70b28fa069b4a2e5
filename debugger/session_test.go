package debugger_test

import (
	"context"
	"debug/elf"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/debugger"
	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/mcp/mcptest"
)

// free fails unless a process is untraced and answers.
func free(t *testing.T, p *debuggertest.Program) {
	t.Helper()
	if got := p.Status("TracerPid"); got != "0" {
		t.Errorf("process %d is traced by %s", p.PID, got)
	}
	if got := p.Ask("deep"); got != "24" {
		t.Errorf("process %d answers %q, want 24", p.PID, got)
	}
}

// One client has two sessions side by side, and says which one it means.
func TestTwoSessions(t *testing.T) {
	c := connect(t, table(t, debugger.Config{}))
	var a, b answer
	p, q := debuggertest.Start(t, "shapes.c"), debuggertest.Start(t, "shapes.c")
	c.data("attach", args{"pid": p.PID}, &a)
	c.data("attach", args{"pid": q.PID}, &b)
	if a.State.Session == b.State.Session || a.State.PID != p.PID || b.State.PID != q.PID {
		t.Fatalf("%+v and %+v", a.State, b.State)
	}
	contains(t, c.fails("get_stack_trace", nil, -1), a.State.Session, b.State.Session, "say which one with the argument session")
	var again answer
	c.data("attach", args{"pid": p.PID}, &again)
	if again.State.Session != a.State.Session {
		t.Errorf("attaching again made the session %s, there was %s", again.State.Session, a.State.Session)
	}
	for _, s := range []position{a.State, b.State} {
		var got answer
		c.state(s.Session, &got)
		if got.State.PID != s.PID {
			t.Errorf("session %s is of process %d, want %d", s.Session, got.State.PID, s.PID)
		}
	}
	c.ok("detach", args{"session": a.State.Session})
	free(t, p)
	contains(t, c.fails("continue", args{"session": a.State.Session}, -32005), "was detached from")
	var rest answer
	c.state("", &rest) // there is only one again
	if rest.State.PID != q.PID {
		t.Errorf("the session left is of process %d, want %d", rest.State.PID, q.PID)
	}
}

// send calls a tool as a principal whose requests each stand alone, as over
// HTTP on the baseline.
func send(t *testing.T, server *mcp.Server, principal, tool, arguments string) string {
	t.Helper()
	h := server.Bind(host.Caller{Principal: host.Principal{ID: principal, Scopes: host.Local().Scopes}}, nil)
	defer h.End(context.WithoutCancel(t.Context()))
	req := jsonrpc.Request{
		ID: jsonrpc.NumberID(1), Method: "tools/call",
		Params: fmt.Appendf(nil, `{"name":"debugger/%s","arguments":%s}`, tool, arguments),
	}
	return string(jsonrpc.Answer(t.Context(), h, &req, nil))
}

// A session belongs to its key: the next request finds it, another key does
// not, not even by its id.
func TestSessionsBelongToKeys(t *testing.T) {
	server, err := mcp.New(mcp.Config{Name: "test", Version: "1"}, table(t, debugger.Config{}))
	if err != nil {
		t.Fatal(err)
	}
	p := debuggertest.Start(t, "shapes.c")
	contains(t, send(t, server, "ann", "attach", fmt.Sprintf(`{"pid":%d}`, p.PID)), fmt.Sprintf("Successfully attached to process %d", p.PID))
	contains(t, send(t, server, "ann", "get_stack_trace", `{}`), "Stack trace:")
	contains(t, send(t, server, "bob", "get_stack_trace", `{}`), `"code":-32005,"message":"Not attached"`)
	list := send(t, server, "ann", "sessions", `{}`)
	id := list[strings.Index(list, "dbg-"):][:12]
	contains(t, send(t, server, "bob", "get_stack_trace", `{"session":"`+id+`"}`), `"code":-32005,"message":"Not attached"`, "there is no session")
	contains(t, send(t, server, "bob", "detach", `{"session":"`+id+`"}`), `"code":-32005`)
	contains(t, send(t, server, "bob", "sessions", `{}`), "No sessions")
	contains(t, send(t, server, "bob", "attach", fmt.Sprintf(`{"pid":%d}`, p.PID)), `"code":-32003,"message":"Permission denied"`, "traces it already")
	contains(t, send(t, server, "ann", "get_stack_trace", `{"session":"`+id+`"}`), "Stack trace:")
	server.EndSession("bob")
	contains(t, send(t, server, "ann", "get_stack_trace", `{}`), "Stack trace:")
}

// When a client's session ends, its process runs on.
func TestEndSession(t *testing.T) {
	family := table(t, debugger.Config{})
	server, err := mcp.New(mcp.Config{Name: "test", Version: "1"}, family)
	if err != nil {
		t.Fatal(err)
	}
	p := debuggertest.Start(t, "shapes.c")
	h := server.Bind(host.Caller{Principal: host.Local(), Connection: true}, nil)
	req := jsonrpc.Request{ID: jsonrpc.NumberID(1), Method: "tools/call", Params: fmt.Appendf(nil, `{"name":"debugger/attach","arguments":{"pid":%d}}`, p.PID)}
	contains(t, string(jsonrpc.Answer(t.Context(), h, &req, nil)), "Successfully attached")
	h.End(t.Context())
	free(t, p)
}

// The end of the server lets processes go, also those that run to a breakpoint.
func TestClose(t *testing.T) {
	family := table(t, debugger.Config{})
	c := connect(t, family)
	p := debuggertest.Start(t, "shapes.c")
	c.ok("attach", args{"pid": p.PID})
	c.ok("set_breakpoint", args{"function": "deep"})
	c.ok("continue", args{"wait_ms": 0})
	if err := family.Close(); err != nil {
		t.Error(err)
	}
	free(t, p)
	contains(t, c.fails("attach", args{"pid": p.PID}, -32003), "about to end")
}

// An idle session ends.
func TestIdle(t *testing.T) {
	c := connect(t, table(t, debugger.Config{Live: debugger.Live{Idle: 100 * time.Millisecond}}))
	p := debuggertest.Start(t, "shapes.c")
	c.ok("attach", args{"pid": p.PID})
	for end := time.Now().Add(10 * time.Second); p.Status("TracerPid") != "0"; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the session does not end")
		}
	}
	free(t, p)
	contains(t, c.fails("get_stack_trace", nil, -32005), "the session had been idle for 100ms")
}

// One client has as many sessions as it may.
func TestSessionLimit(t *testing.T) {
	c := connect(t, table(t, debugger.Config{Live: debugger.Live{Sessions: 1}}))
	p, q := debuggertest.Start(t, "shapes.c"), debuggertest.Start(t, "shapes.c")
	c.ok("attach", args{"pid": p.PID})
	contains(t, c.fails("attach", args{"pid": q.PID}, -32003), "1 sessions are open already")
	c.ok("detach", nil)
	c.ok("attach", args{"pid": q.PID})
}

// Which processes may be attached to.
func TestPolicy(t *testing.T) {
	p := debuggertest.Start(t, "shapes.c")
	for _, tt := range []struct {
		rules []string
		ok    bool
	}{
		{nil, true},
		{[]string{"none", "user:12345"}, false},
		{[]string{"exe:" + filepath.Dir(p.Path) + "/shapes-*"}, true},
		{[]string{"none", fmt.Sprintf("user:%d", os.Getuid())}, true},
	} {
		c := connect(t, table(t, debugger.Config{Live: debugger.Live{Attach: tt.rules}}))
		if tt.ok {
			c.ok("attach", args{"pid": p.PID})
			c.ok("detach", nil)
			continue
		}
		contains(t, c.fails("attach", args{"pid": p.PID}, -32003), "--attach is "+strings.Join(tt.rules, ","))
	}
	cfg := debugger.Config{Live: debugger.Live{Attach: []string{"all"}}}
	_, err := cfg.Open(t.Context(), host.Env{Logger: slog.New(slog.DiscardHandler), Now: time.Now, Getenv: func(string) string { return "" }})
	if err == nil || !strings.Contains(err.Error(), `rule "all" of --attach`) {
		t.Errorf("a rule that is none: %v", err)
	}
}

// What the environment says holds where no flag says otherwise.
func TestEnvironment(t *testing.T) {
	open := func(cfg debugger.Live, name, value string) error {
		table, err := (&debugger.Config{Live: cfg}).Open(t.Context(), host.Env{
			Logger: slog.New(slog.DiscardHandler), Now: time.Now,
			Getenv: func(asked string) string {
				if asked == name {
					return value
				}
				return ""
			},
		})
		if err == nil {
			err = table.Close()
		}
		return err
	}
	for _, tt := range []struct {
		cfg         debugger.Live
		name, value string
		want        string // "" for no error
	}{
		{debugger.Live{}, "TRIPTYCH_ATTACH", "own,pid:7", ""},
		{debugger.Live{}, "TRIPTYCH_ATTACH", "everything", `rule "everything" of --attach`},
		{debugger.Live{Attach: []string{"own"}}, "TRIPTYCH_ATTACH", "everything", ""},
		{debugger.Live{}, "TRIPTYCH_DEBUG_IDLE", "soon", `TRIPTYCH_DEBUG_IDLE is "soon", want a duration such as 30m`},
		{debugger.Live{}, "TRIPTYCH_DEBUG_IDLE", "-1m", "TRIPTYCH_DEBUG_IDLE is negative"},
		{debugger.Live{}, "TRIPTYCH_MAX_STOP", "2s", ""},
		{debugger.Live{MaxStop: time.Second}, "TRIPTYCH_MAX_STOP", "never", ""},
	} {
		err := open(tt.cfg, tt.name, tt.value)
		if got := fmt.Sprint(err); tt.want == "" && err != nil || tt.want != "" && !strings.Contains(got, tt.want) {
			t.Errorf("%s=%s: got %s, want %s", tt.name, tt.value, got, tt.want)
		}
	}
}

// A process that is killed during a query is reported as ended.
func TestProcessDies(t *testing.T) {
	for _, tool := range []string{"get_stack_trace", "get_variables", "step_over", "step_forward", "continue", "registers", "threads"} {
		t.Run(tool, func(t *testing.T) {
			c, p := attach(t, "shapes.c")
			p.Kill()
			for end := time.Now().Add(10 * time.Second); ; {
				a := c.Call("debugger/"+tool, nil)
				if a.Err != nil && a.Err.Code == -32005 && strings.Contains(string(a.Err.Data), "SIGKILL") ||
					a.Err == nil && strings.Contains(a.Text, "killed by signal SIGKILL") {
					break
				}
				if time.Now().After(end) || a.Err != nil {
					t.Fatalf("%s", a)
				}
			}
			contains(t, c.fails("get_stack_trace", nil, -32005), "SIGKILL")
		})
	}
}

// Pause and detach overtake a call that waits.
func TestOvertaking(t *testing.T) {
	c, p := attach(t, "shapes.c")
	for _, tool := range []string{"pause", "detach"} {
		var wg sync.WaitGroup
		var waited mcptest.Answer
		wg.Go(func() { waited = c.Call("debugger/continue", args{"wait_ms": 60000}) })
		for !strings.Contains(c.ok("sessions", nil), ", running") {
			time.Sleep(time.Millisecond)
		}
		began := time.Now()
		c.ok(tool, nil)
		wg.Wait()
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("%s took %v", tool, took)
		}
		if tool == "pause" {
			matches(t, waited.Text, `Paused at 0x[0-9a-f]+`)
		} else if waited.Err == nil || waited.Err.Code != -32005 {
			t.Errorf("continue after %s: %s", tool, waited)
		}
	}
	free(t, p)
}

// A breakpoint that is hit while no request waits is reported to the next
// request, before the process runs on.
func TestHitWhileNobodyWaits(t *testing.T) {
	c, p := attach(t, "shapes.c")
	c.ok("set_breakpoint", args{"function": "deep"})
	c.ok("continue", args{"wait_ms": 0})
	p.Tell("deep")
	for strings.Contains(c.ok("sessions", nil), ", running") {
		time.Sleep(time.Millisecond)
	}
	contains(t, c.ok("continue", nil), "Stopped at breakpoint 1 (")
	contains(t, c.ok("evaluate", args{"expression": "n"}), "n: int = 4")
	contains(t, c.ok("continue", nil), "Stopped at breakpoint 1 (")
	contains(t, c.ok("evaluate", args{"expression": "n"}), "n: int = 3")
}

// Cancelling a call that waits stops the process.
func TestCancel(t *testing.T) {
	family := table(t, debugger.Config{})
	server, err := mcp.New(mcp.Config{Name: "test", Version: "1"}, family)
	if err != nil {
		t.Fatal(err)
	}
	p := debuggertest.Start(t, "shapes.c")
	h := server.Bind(host.Caller{Principal: host.Local(), Connection: true}, nil)
	defer h.End(context.WithoutCancel(t.Context()))
	do := func(ctx context.Context, tool, arguments string) string {
		req := jsonrpc.Request{ID: jsonrpc.NumberID(1), Method: "tools/call", Params: fmt.Appendf(nil, `{"name":"debugger/%s","arguments":%s}`, tool, arguments)}
		return string(jsonrpc.Answer(ctx, h, &req, nil))
	}
	do(t.Context(), "attach", fmt.Sprintf(`{"pid":%d}`, p.PID))
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() { do(ctx, "continue", `{"wait_ms":60000}`) })
	for !strings.Contains(do(t.Context(), "sessions", `{}`), ", running") {
		time.Sleep(time.Millisecond)
	}
	cancel()
	wg.Wait()
	contains(t, do(t.Context(), "sessions", `{}`), ", stopped at")
	contains(t, do(t.Context(), "get_stack_trace", `{}`), "Stack trace:")
	contains(t, do(t.Context(), "continue", `{"wait_ms":10}`), "Process is running")
}

// A program is started, stops at main, and shows what it writes.
func TestLaunch(t *testing.T) {
	c := connect(t, table(t, debugger.Config{}))
	path := debuggertest.Build(t, "shapes.c")
	var a answer
	c.data("launch", args{"path": path}, &a)
	var list struct{ Sessions []answer }
	c.data("sessions", nil, &list)
	if a.State.Reason != "launched" || list.Sessions[0].State.Reason != "launched" {
		t.Errorf("the reason is %q, then %q, want launched", a.State.Reason, list.Sessions[0].State.Reason)
	}
	if s := a.State; s.Function != "main" || s.Reason != "launched" || !strings.HasSuffix(s.File, "shapes.c") {
		t.Errorf("%+v", s)
	}
	c.ok("detach", args{"kill": true})
	matches(t, c.ok("launch", args{"path": path}), `^Launched process \d+\nStopped at main \(0x[0-9a-f]+\)$`)
	matches(t, c.ok("continue", nil), `Process exited with status 0\nOutput:\nready`)
	contains(t, c.fails("continue", nil, -32005), "exited with status 0")

	text := c.ok("launch", args{"path": path, "stop_at_entry": true})
	matches(t, text, `Launched process \d+\nStopped at 0x[0-9a-f]+`)
	c.ok("set_breakpoint", args{"function": "main"})
	contains(t, c.ok("continue", nil), "Stopped at breakpoint 1 (")
	matches(t, c.ok("detach", args{"kill": true}), `Killed process \d+`)

	dir := t.TempDir()
	text = c.ok("launch", args{"path": "sh", "args": []string{"-c", "pwd; echo $GREETING $1; exit 4", "sh", "you"}, "env": args{"GREETING": "hello"}, "cwd": dir})
	contains(t, text, "Launched process ")
	text = c.ok("continue", nil)
	contains(t, text, "Process exited with status 4", "\nOutput:\n"+dir+"\nhello you")
}

// A program without symbols stops where it begins itself, which its header
// says, and not in the loader.
func TestLaunchStripped(t *testing.T) {
	for _, flags := range [][]string{{"-s"}, {"-s", "-static"}} {
		path := debuggertest.Build(t, "shapes.c", flags...)
		file, err := elf.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
		c := connect(t, table(t, debugger.Config{}))
		text := c.ok("launch", args{"path": path})
		matches(t, text, `Launched process \d+\nStopped at the program's entry point \(0x[0-9a-f]+\)\nNote: no function main is known, .*`)
		var list struct{ Sessions []answer }
		c.data("sessions", nil, &list)
		at, err := strconv.ParseUint(list.Sessions[0].State.Address, 0, 64)
		if err != nil || at%4096 != file.Entry%4096 {
			t.Errorf("%v: at %#x, %v; the entry point is %#x", flags, at, err, file.Entry)
		}
		matches(t, c.ok("continue", nil), `Process exited with status 0\nOutput:\nready`)
	}
}

func TestLaunchFailures(t *testing.T) {
	c := connect(t, table(t, debugger.Config{}))
	dir := t.TempDir()
	text, source, script := filepath.Join(dir, "text"), filepath.Join(dir, "heap.c"), filepath.Join(dir, "script")
	for _, err := range []error{
		os.WriteFile(text, []byte("no program"), 0o700),
		os.WriteFile(source, []byte("int main(void) {}"), 0o600),
		os.WriteFile(script, []byte("#!/no/such/shell\n"), 0o700),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		args args
		code int
		want string
	}{
		{args{"path": "no-such-program"}, -1, "no-such-program"},
		{args{"path": "/no/such/program"}, -1, "/no/such/program"},
		{args{"path": text}, -1, "exec format error: it is neither a program for this machine nor a script"},
		{args{"path": source}, -1, "permission denied: it is not executable; a source file has to be compiled"},
		{args{"path": "./" + filepath.Base(source), "cwd": filepath.Dir(source)}, -1, "chmod +x"},
		{args{"path": filepath.Dir(source)}, -1, "it is a folder"},
		{args{"path": script}, -1, "the file is there, but the interpreter"},
		{args{"path": "true", "cwd": text}, -1, "which is no folder"},
		{args{"path": "true", "cwd": "/no/such/folder"}, -1, "no such file"},
		{args{"path": ""}, -32602, "path must not be empty"},
		{args{"path": "a\x00b"}, -32602, "null bytes"},
		{args{"path": "true", "env": args{"A=B": "c"}}, -32602, "env must have names without ="},
	} {
		contains(t, c.fails("launch", tt.args, tt.code), tt.want)
	}
	if got := c.ok("sessions", nil); got != "No sessions" {
		t.Errorf("sessions: %q", got)
	}
}

// A program that was launched ends with its session; one that is detached from
// runs on.
func TestLaunchedEnds(t *testing.T) {
	family := table(t, debugger.Config{})
	c := connect(t, family)
	var kept, detached answer
	c.data("launch", args{"path": "sleep", "args": []string{"1000"}}, &kept)
	c.data("launch", args{"path": "sleep", "args": []string{"1000"}}, &detached)
	c.ok("detach", args{"session": detached.State.Session})
	if err := family.Close(); err != nil {
		t.Error(err)
	}
	if err := signal(kept.State.PID, syscall.Signal(0)); err == nil {
		t.Errorf("process %d, which was launched, still runs", kept.State.PID)
	}
	if err := signal(detached.State.PID, os.Kill); err != nil {
		t.Errorf("process %d, which was detached from, does not run: %v", detached.State.PID, err)
	}
}

// signal fails when there is no such process.
func signal(pid int, s os.Signal) error {
	p, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	return p.Signal(s)
}

// Only what was launched is killed.
func TestDetachKill(t *testing.T) {
	c, p := attach(t, "shapes.c")
	contains(t, c.fails("detach", args{"kill": true}, -1), "was not launched here and is not ours to kill")
	c.ok("detach", nil)
	free(t, p)
}

// From 2025-11-25 on the model is told of errors, with the code for programs.
func TestErrorsForModels(t *testing.T) {
	c := mcptest.Connect(t, table(t, debugger.Config{}))
	c.Initialize(mcptest.Newest())
	a := c.Call("debugger_get_stack_trace", nil)
	if !a.IsError || a.Text != "Not attached: use debugger/attach or debugger/launch first" {
		t.Errorf("%s", a)
	}
	var result struct {
		Meta map[string]struct{ Code int } `json:"_meta"`
	}
	if err := json.Unmarshal(a.Raw, &result); err != nil {
		t.Fatal(err)
	}
	found := false
	for _, each := range result.Meta {
		found = found || each.Code == -32005
	}
	if !found {
		t.Errorf("the code is not in %s", a.Raw)
	}
}

// A process that stands still for too long runs on by itself, and can be
// stopped again.
func TestMaxStop(t *testing.T) {
	c := connect(t, table(t, debugger.Config{Live: debugger.Live{MaxStop: time.Second}}))
	p := debuggertest.Start(t, "shapes.c")
	c.ok("attach", args{"pid": p.PID})
	if got := p.Ask("deep"); got != "24" { // though it was stopped
		t.Errorf("the program answers %q", got)
	}
	contains(t, c.ok("sessions", nil), ", running")
	contains(t, c.fails("get_stack_trace", nil, -1), "debugger/pause")
	for end := time.Now().Add(20 * time.Second); ; { // a busy machine may let the second pass
		matches(t, c.ok("pause", nil), `Paused at 0x[0-9a-f]+`)
		a := c.Call("debugger/get_stack_trace", nil)
		if a.Err == nil && strings.Contains(a.Text, "Stack trace:") {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("no stack after a pause: %s", a)
		}
	}
}

// A call that waits tells how long it has waited.
func TestProgress(t *testing.T) {
	c, _ := attach(t, "shapes.c")
	_, err := c.Ask("tools/call", json.RawMessage(`{"name":"debugger/continue","arguments":{"wait_ms":1300},"_meta":{"progressToken":"p"}}`))
	if err != nil {
		t.Fatal(err)
	}
	heard := c.Notification()
	contains(t, heard.Method, "notifications/progress")
	contains(t, string(heard.Params), `"progressToken":"p"`, `"total":1.3`, `"message":"The process is running"`)
}

// Without a filter the global variables of the program itself are listed.
func TestGlobals(t *testing.T) {
	c, _ := stopped(t, "sum")
	text := c.ok("get_variables", args{"scope": "all"})
	contains(t, text, "Local variables:\n  a: int = 7\n", "\nGlobal variables:\n  total: int = 7\n", "\n  ratio: double = 2.5")
	for line := range strings.Lines(text) {
		if name, _, _ := strings.Cut(line, ":"); strings.HasPrefix(name, "  _nl_") || strings.HasPrefix(name, "  __libc_") {
			t.Errorf("a variable of the C library: %s", line)
		}
	}
}

// A search for similar bugs begins where the process has crashed, with what was
// there.
func TestSimilarToStop(t *testing.T) {
	dir := t.TempDir()
	other := "#include <stdlib.h>\n\nint three(void) {\n\tint *p = malloc(4);\n\t*p = 3;\n\treturn *p;\n}\n"
	if err := os.WriteFile(filepath.Join(dir, "other.c"), []byte(other), 0o600); err != nil {
		t.Fatal(err)
	}
	c := connect(t, table(t, debugger.Config{Projects: debugger.Projects{dir}}))
	p := debuggertest.Start(t, "shapes.c")
	c.ok("attach", args{"pid": p.PID})
	c.ok("continue", args{"wait_ms": 0})
	p.Tell("crash")
	c.ok("continue", nil)
	a := c.Call("debugger/find_similar_bugs", nil)
	contains(t, a.Text, "other.c:")
	contains(t, string(a.Structured), `"kind":"null-dereference"`, "address 0x0 was accessed")
}
