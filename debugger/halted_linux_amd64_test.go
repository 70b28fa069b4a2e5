package debugger_test

import (
	"syscall"
	"testing"

	"github.com/triptych-mcp/triptych/debugger"
)

// A process that SIGSTOP has stopped says so, though the session lets it run; SIGCONT
// lets it go on.
func TestHalted(t *testing.T) {
	const want = "Process is stopped by SIGSTOP and goes on when it gets SIGCONT"
	c := connect(t, table(t, debugger.Config{}))
	c.ok("launch", args{"path": program(t, "gcc", "-g", "-O0", "halts.c")})
	contains(t, c.ok("continue", nil), "Stopped by signal SIGSTOP")
	var a struct{ State struct{ PID int } }
	c.state("", &a)
	got := c.ok("continue", args{"wait_ms": 0})
	for got == "Process is running" {
		got = c.ok("wait", args{"wait_ms": 10})
	}
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	contains(t, c.ok("sessions", nil), ", running, but stopped by SIGSTOP until it gets SIGCONT")
	contains(t, c.ok("pause", nil), "Paused at ")
	if got := c.ok("continue", args{"wait_ms": 100}); got != want {
		t.Errorf("after a pause: got %q, want %q", got, want)
	}
	if err := syscall.Kill(a.State.PID, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	contains(t, c.ok("wait", args{"wait_ms": 60000}), "exited with status 3")
}
