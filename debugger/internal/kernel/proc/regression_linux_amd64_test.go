package proc_test

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// A thread that was stopped in the middle of clone, fork or exec had the registers
// of a call that was not done, and a call of ours took the place of its end: the
// program was told ENOSYS. Programs of Go, which begin threads when they are new,
// died of it.
func TestCallsWhereThreadsAreBorn(t *testing.T) {
	programs := sample.Count(3, 20)
	for range programs {
		program := debuggertest.Start(t, "busy.go")
		p := attach(t, program, proc.Options{})
		for range 20 {
			if stop := resumeFor(t, p, time.Millisecond); stop.Why != proc.Paused {
				t.Fatalf("stop %+v", stop)
			}
			threads, err := p.Threads()
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range threads {
				if got, err := p.Inject(x.ID, unix.SYS_GETPID); err != nil || int(got) != program.PID {
					t.Fatalf("getpid in thread %d = %d, %v, want %d", x.ID, got, err, program.PID)
				}
			}
		}
		requireDetached(t, p, program)
	}
}

// The same for a program that has just begun.
func TestCallsAfterExec(t *testing.T) {
	for _, how := range []string{"exec", "thread"} {
		program := debuggertest.Start(t, "forker.c")
		p := attach(t, program, proc.Options{})
		program.Tell(how)
		if stop := resume(t, p); stop.Why != proc.Executed {
			t.Fatalf("stop %+v, want exec", stop)
		}
		if got, err := p.Inject(0, unix.SYS_GETPID); err != nil || int(got) != program.PID {
			t.Errorf("getpid = %d, %v, want %d", got, err, program.PID)
		}
		if got := answer(t, p, program); got != "ready" {
			t.Errorf("the program says %q", got)
		}
	}
}
