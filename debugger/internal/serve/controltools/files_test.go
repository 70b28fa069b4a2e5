package controltools

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/serve/sessiontools"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/sessiontest"
)

// trace returns the tools, and a session of the trace of counter.c.
func trace(t *testing.T) (*Group, *session.Session) {
	t.Helper()
	r := sessiontest.NewRegistry(t)
	return &Group{Sessions: r}, sessiontest.AddTrace(t, r)
}

// Breakpoints of a trace are set, listed in their order, and cleared all or none.
func TestBreakpoints(t *testing.T) {
	g, s := trace(t)
	for _, tt := range []struct {
		args breakpointArgs
		want string
	}{
		{breakpointArgs{Function: "fill"}, "Breakpoint 1 set at 0x401007 fill /tmp/counter/counter.c:10"},
		{breakpointArgs{Address: "0x40102c", Condition: "i == 4"}, "Breakpoint 2 set at 0x40102c"},
		{breakpointArgs{File: "counter.c", Line: 16, Log: "where is {data.where}"}, "Breakpoint 3 set at 0x401046 use /tmp/counter/counter.c:16"},
		{breakpointArgs{Function: "nothing"}, "error: no function nothing is known"},
		{breakpointArgs{Function: "nothing", Pending: true}, "error: "},
		{breakpointArgs{Function: "use", Condition: "i +"}, "error: "},
		{breakpointArgs{Function: "use", Log: "{"}, "error: "},
	} {
		answer, err := g.setBreakpoint(t.Context(), nil, s, tt.args)
		got := answer.Text
		if err != nil {
			got = func() string { return "error: " + err.Error() }
		}
		if text := got(); !strings.Contains(text, tt.want) {
			t.Errorf("%+v: %q, want %q", tt.args, text, tt.want)
		}
	}
	if answer, err := g.setWatchpoint(t.Context(), nil, s, watchpointArgs{Expression: "data.where", Access: "write"}); err != nil || answer.Text() != "Watchpoint 4 set at 0x402010 (8 bytes, write)" || answer.AuditAddress() != "0x402010" {
		t.Errorf("%+v, %v", answer, err)
	}
	const want = "Breakpoints:\n" +
		"  1  breakpoint at 0x401007 fill /tmp/counter/counter.c:10\n" +
		"  2  breakpoint at 0x40102c fill /tmp/counter/counter.c:11, if i == 4\n" +
		"  3  breakpoint at 0x401046 use /tmp/counter/counter.c:16, logs where is {data.where}\n" +
		"  4  watchpoint at 0x402010, data.where, 8 bytes, write"
	list := func() string {
		t.Helper()
		answer, err := g.listBreakpoints(t.Context(), nil, s, sessiontools.OnlySession{})
		if err != nil {
			t.Fatal(err)
		}
		return answer.Text()
	}
	if got := list(); got != want {
		t.Errorf("%s\nwant:\n%s", got, want)
	}
	if _, err := g.clearBreakpoint(t.Context(), nil, s, clearArgs{IDs: []int{1, 9}}); err == nil || !strings.Contains(err.Error(), "there is no breakpoint or watchpoint 9") || list() != want {
		t.Errorf("one is not there: %v", err)
	}
	answer, err := g.clearBreakpoint(t.Context(), nil, s, clearArgs{IDs: []int{4, 2, 4}})
	if err != nil || answer.Text() != "Breakpoint 2 cleared\nWatchpoint 4 cleared" || answer.ID != 0 {
		t.Errorf("%+v, %v", answer, err)
	}
	answer, err = g.clearBreakpoint(t.Context(), nil, s, clearArgs{ID: 3})
	if err != nil || answer.Text() != "Breakpoint 3 cleared" || answer.ID != 3 || answer.Kind != "breakpoint" {
		t.Errorf("%+v, %v", answer, err)
	}
	if answer, err := g.clearBreakpoint(t.Context(), nil, s, clearArgs{All: true}); err != nil || answer.Text() != "Breakpoint 1 cleared" || list() != "No breakpoints" {
		t.Errorf("%+v, %v", answer, err)
	}
}

// Memory is watched where the processor can: 1, 2, 4 or 8 bytes (Intel SDM volume 3,
// 18.2.4). In recorded steps any size can.
func TestWatchedSizes(t *testing.T) {
	g, s := trace(t)
	if answer, err := g.setWatchpoint(t.Context(), nil, s, watchpointArgs{Expression: "data.table", Access: "write"}); err != nil || answer.Breakpoint.Size != 16 {
		t.Errorf("in a trace: %+v, %v", answer.Breakpoint, err)
	}
	for want, args := range map[string]watchpointArgs{
		"is nothing that is in memory": {Expression: "1 + 1"},
		"has no value":                 {Expression: "nothing"},
		"cannot be read":               {Address: "0x40"},
	} {
		if _, err := g.setWatchpoint(t.Context(), nil, s, args); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", args, err, want)
		}
	}
	for size := range 20 {
		args := watchpointArgs{Address: "0x1000", Size: size, Access: "write"}
		if ok := size == 0 || size == 1 || size == 2 || size == 4 || size == 8; (args.Validate() == nil) != ok {
			t.Errorf("%d bytes: %v", size, args.Validate())
		}
	}
}

// A session is listed with what it shows.
func TestSessions(t *testing.T) {
	const want = "s1: trace /t /p, stopped"
	list := sessionList{Sessions: []sessionItem{{Executable: "/p", name: "trace /t", State: session.State{Session: "s1", Status: "stopped"}}}}
	if got := list.Text(); got != "Sessions:\n  "+want {
		t.Errorf("%q", got)
	}
	list.Sessions[0].Parent = "s0"
	if got := list.Text(); got != "Sessions:\n  "+want+", child of s0" {
		t.Errorf("%q", got)
	}
	if got := (sessionList{}).Text(); got != "No sessions" {
		t.Errorf("%q", got)
	}
}

// Places, breakpoints to clear and memory to watch are each given in one way.
func TestArguments(t *testing.T) {
	for _, tt := range []struct {
		args interface{ Validate() error }
		ok   bool
	}{
		{breakpointArgs{Function: "f"}, true}, {breakpointArgs{Address: "0x1"}, true}, {breakpointArgs{File: "f.c", Line: 1}, true},
		{breakpointArgs{File: "f.c", Expected: "x = 1;"}, true}, {breakpointArgs{Catch: "throw"}, true}, {breakpointArgs{Catch: "syscall:open,close"}, true},
		{breakpointArgs{}, false}, {breakpointArgs{Function: "f", Address: "0x1"}, false}, {breakpointArgs{File: "f.c"}, false}, {breakpointArgs{Line: 1}, false},
		{breakpointArgs{Address: "main"}, false}, {breakpointArgs{Catch: "sleep"}, false},
		{breakpointArgs{Function: "f", Log: "x", OneShot: true}, false}, {breakpointArgs{Function: "f", Log: "x", HitCount: 2}, false},
		{clearArgs{ID: 1}, true}, {clearArgs{IDs: []int{1}}, true}, {clearArgs{All: true}, true}, {clearArgs{}, false}, {clearArgs{ID: 1, All: true}, false},
		{watchpointArgs{Address: "1", Access: "readwrite"}, true}, {watchpointArgs{Address: "1", Expression: "x"}, false}, {watchpointArgs{}, false},
		{watchpointArgs{Expression: "x", Access: "readwrite", Recorded: true}, false}, {watchpointArgs{Expression: "x", Size: 3, Access: "write", Recorded: true}, true},
	} {
		if err := tt.args.Validate(); (err == nil) != tt.ok {
			t.Errorf("%+v: %v", tt.args, err)
		}
	}
}

// A policy lets a process in that one of its rules names.
func TestPolicy(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	mine := &candidate{pid: os.Getpid(), uid: os.Getuid(), path: self}
	for rule, want := range map[string]bool{
		"own": true, "any": true, "none": false, " any ": true, "exe:" + filepath.Dir(self) + "/*": true, "exe:/no/*": false, "exe:*": false,
		"pid:1": false, "user:4294967294": false,
	} {
		policy, err := ParsePolicy([]string{rule})
		if err != nil {
			t.Errorf("%q: %v", rule, err)
		} else if got := policy[0].lets(mine); got != want {
			t.Errorf("%q: %t, want %t", rule, got, want)
		}
	}
	if policy, err := ParsePolicy([]string{"exe:*"}); err != nil || policy[0].lets(&candidate{}) {
		t.Errorf("a program that cannot be read is let in: %v", err)
	}
	for _, rule := range []string{"", "all", "pid:", "pid:x", "exe:[", "user:no such user"} {
		if _, err := ParsePolicy([]string{"own", rule}); err == nil || !strings.Contains(err.Error(), "rule \""+rule+"\" of --attach") {
			t.Errorf("%q: %v", rule, err)
		}
	}
}
