package debugger_test

import (
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/debugger"
)

// familyText is a program with a child of fork and one of vfork, which begins another
// program. Its breakpoints are at its function visit.
const familyText = `#include <sys/wait.h>
#include <unistd.h>
volatile int visits;
__attribute__((noinline)) void visit(int who) { visits += who; }
int main(int argc, char **argv) {
	int status, sum = 0;
	if (argc > 1) {
		visit(3);
		_exit(visits);
	}
	if (fork() == 0) {
		visit(2);
		_exit(visits);
	}
	wait(&status);
	sum += WEXITSTATUS(status);
	if (vfork() == 0) {
		execl(argv[0], argv[0], "again", (char *)0);
		_exit(9);
	}
	wait(&status);
	sum += WEXITSTATUS(status);
	visit(1);
	return sum == 5 && visits == 1 ? 7 : sum;
}
`

// childOf waits for a session that is not known yet, and for its stop.
func childOf(t *testing.T, c *client, known map[string]bool) (id string) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		var list struct {
			Sessions []struct {
				Parent string
				State  position
			}
		}
		c.data("sessions", nil, &list)
		for _, s := range list.Sessions {
			if s.Parent != "" && !known[s.State.Session] && s.State.Status == "stopped" {
				known[s.State.Session] = true
				return s.State.Session
			}
		}
	}
	t.Fatal("no child stops")
	return ""
}

// With follow both children have sessions of their own, with the breakpoints of their
// parent, which waits for them.
func TestFollowBoth(t *testing.T) {
	path := compiled(t, "family.c", familyText, "gcc", "-g", "-O0")
	c := connect(t, table(t, debugger.Config{}))
	var a answer
	c.data("launch", args{"path": path, "follow": "both"}, &a)
	parent, known := a.State.Session, map[string]bool{}
	c.ok("set_breakpoint", args{"function": "visit", "condition": "who < 9"})
	contains(t, c.ok("continue", args{"wait_ms": 1}), "running")

	first := childOf(t, c, known)
	contains(t, c.ok("evaluate", args{"session": first, "expression": "who"}), "2")
	contains(t, c.ok("list_breakpoints", args{"session": first}), "if who < 9, hits: 1")
	contains(t, c.fails("restart", args{"session": first}, -1), "was not launched here")
	contains(t, c.ok("continue", args{"session": first, "wait_ms": 60000}), "exited with status 2")

	second := childOf(t, c, known)
	var s answer
	c.data("wait", args{"session": second, "wait_ms": 60000}, &s)
	if s.State.Reason != "exec" || s.State.PID == a.State.PID {
		t.Errorf("%+v, want a stop in the new program", s.State)
	}
	contains(t, s.State.Note, "breakpoints set in it: 1")
	contains(t, c.ok("continue", args{"session": second, "wait_ms": 60000}), "Stopped at breakpoint 1")
	contains(t, c.ok("evaluate", args{"session": second, "expression": "who"}), "3")
	contains(t, c.ok("sessions", nil), "child of "+parent)
	contains(t, c.ok("continue", args{"session": second, "wait_ms": 60000}), "exited with status 3")

	text := c.ok("wait", args{"session": parent, "wait_ms": 60000})
	contains(t, text, "Stopped at breakpoint 1", "its session is "+first, "its session is "+second)
	contains(t, c.ok("continue", args{"wait_ms": 60000}), "exited with status 7")
}

// Children that end without a stop leave no session, and the limit of sessions holds.
func TestFollowLimits(t *testing.T) {
	path := compiled(t, "family.c", familyText, "gcc", "-g", "-O0")
	c := connect(t, table(t, debugger.Config{Live: debugger.Live{Sessions: 1}}))
	c.ok("launch", args{"path": path})
	text := c.ok("continue", args{"wait_ms": 60000, "follow": "both"})
	contains(t, text, "exited with status 7")

	c = connect(t, table(t, debugger.Config{}))
	c.ok("launch", args{"path": path})
	c.ok("set_breakpoint", args{"function": "visit", "condition": "who == 1"})
	c.ok("continue", args{"wait_ms": 1, "follow": "both"})
	second := childOf(t, c, map[string]bool{}) // the first has ended without a stop
	contains(t, c.ok("continue", args{"session": second, "wait_ms": 60000}), "exited with status 3")
	if list := c.ok("sessions", nil); strings.Count(list, "\n") != 1 {
		t.Errorf("more than the parent is left:\n%s", list)
	}
}

// With follow child the session goes on with the child, and its parent runs on.
func TestFollowChild(t *testing.T) {
	path := compiled(t, "family.c", familyText, "gcc", "-g", "-O0")
	c := connect(t, table(t, debugger.Config{}))
	var a, b answer
	c.data("launch", args{"path": path, "follow": "child"}, &a)
	c.ok("set_breakpoint", args{"function": "visit"})
	c.data("continue", args{"wait_ms": 60000}, &b)
	if b.State.Session != a.State.Session || b.State.PID == a.State.PID || b.State.Breakpoint != 1 {
		t.Errorf("%+v, want the breakpoint in a child", b.State)
	}
	contains(t, b.State.Note, "a child of process")
	contains(t, c.ok("evaluate", args{"expression": "who"}), "2")
	contains(t, c.ok("get_stack_trace", nil), "main")
	contains(t, c.ok("step_out", args{"wait_ms": 60000}), "main")
	contains(t, c.ok("step_backward", nil), "Stepped back")
	contains(t, c.ok("continue", args{"wait_ms": 60000}), "Came to the present")
	contains(t, c.ok("continue", args{"wait_ms": 60000}), "exited with status 2")
	contains(t, c.ok("restart", nil), "Launched process")
	contains(t, c.ok("continue", args{"wait_ms": 60000}), "Stopped at breakpoint 1", "a child of process")
}
