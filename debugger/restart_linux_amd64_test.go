package debugger_test

import (
	"syscall"
	"testing"

	"github.com/triptych-mcp/triptych/debugger"
)

const twiceText = `#include <pthread.h>
#include <stdio.h>
void visit(long who) { printf("%ld\n", who); }
void *run(void *arg) { visit(1); return arg; }
int main(void) {
	pthread_t t;
	pthread_create(&t, NULL, run, NULL);
	pthread_join(t, NULL);
	visit(2);
	return 0;
}
`

// A program that is launched again keeps what was decided about signals, and the
// breakpoints of its first thread.
func TestRestartKeepsSignalsAndThread(t *testing.T) {
	c := connect(t, table(t, debugger.Config{}))
	var at answer
	c.data("launch", args{"path": compiled(t, "twice.c", twiceText, "gcc", "-g", "-O0", "-pthread")}, &at)
	c.ok("set_breakpoint", args{"function": "visit", "thread": at.State.PID})
	contains(t, c.ok("continue", args{"signals": args{"SIGUSR1": "drop"}}), "Stopped at breakpoint 1 (")
	contains(t, c.ok("evaluate", args{"expression": "who"}), "= 2")
	c.data("restart", nil, &at)
	if err := syscall.Kill(at.State.PID, syscall.SIGUSR1); err != nil {
		t.Fatal(err)
	}
	contains(t, c.ok("continue", nil), "Stopped at breakpoint 1 (")
	contains(t, c.ok("evaluate", args{"expression": "who"}), "= 2")
}

// Breakpoints of other threads apply to all threads of the next process, and the answer says
// so.
func TestRestartTellsOfThreads(t *testing.T) {
	c := connect(t, table(t, debugger.Config{}))
	c.ok("launch", args{"path": compiled(t, "twice.c", twiceText, "gcc", "-g", "-O0", "-pthread")})
	c.ok("set_breakpoint", args{"function": "visit"})
	var at answer
	c.data("continue", nil, &at)
	c.ok("set_breakpoint", args{"function": "run", "thread": at.State.Thread})
	c.data("restart", nil, &at)
	contains(t, at.State.Note, "breakpoint 2 applies to all threads")
}
