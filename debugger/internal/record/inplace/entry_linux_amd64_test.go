package inplace_test

import (
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/inplace"
)

// A thread that has made a system call stops at the next one so that the call can be made
// from there: it returns what the kernel says, with the registers that the instruction
// syscall leaves.
func TestCallIsMadeWhereTheThreadStops(t *testing.T) {
	entries := 0
	launch(t, []string{"/bin/true"}, func(g *guest) {
		for {
			if stop := g.toStop(t); stop.Kind == inplace.Exited {
				return
			}
			entry, before := g.AtEntry(), g.Regs
			stop, err := g.Execute()
			must(err)
			if stop.Kind == inplace.Exited {
				return
			}
			if after := g.Regs; after.RIP != before.RIP+2 || after.RCX != after.RIP || after.R11 != before.EFlags {
				t.Errorf("system call %d has led from %+v to %+v", before.RAX, before, after)
			}
			if entry {
				entries++
			}
		}
	})
	if entries == 0 {
		t.Error("no thread has stopped at the entry of a system call in the cache")
	}
}

// A system call that the kernel restarts is skipped, and the program continues by itself: the
// call is not made.
func TestSkippedCallIsNotMade(t *testing.T) {
	launch(t, []string{"/bin/sleep", "1000"}, func(g *guest) {
		stop := g.toSleep(t)
		if stop.Kind != inplace.Blocked {
			panic(failuref("a stop of kind %d", stop.Kind))
		}
		must(unix.Kill(g.Thread(), unix.SIGWINCH))
		_, err := g.Execute()
		must(err)
		for stop.Kind != inplace.Call {
			stop, err = g.Run(t.Context(), 1<<40)
			must(err)
			if stop.Kind == inplace.Signal {
				_, err = g.Deliver() // it has no effect
				must(err)
			}
		}
		g.Skip(0)
		want := g.Regs
		must(g.Release())
		if err := g.tracer.Regs(g.Thread(), &g.Regs); err != nil || g.Regs != want {
			panic(failuref("the thread continues at %#x with %#x in rax, want %#x and %#x (%v)", g.Regs.RIP, g.Regs.RAX, want.RIP, want.RAX, err))
		}
		must(g.tracer.Cont(g.Thread(), 0))
		must(g.awaitStatus(0))
	})
}

// A thread that is stopped from outside just when it steps away from a system call that is not
// made steps all the same: what the kernel reports of that call is no signal of the program.
func TestStepFromSkippedCallIsInterrupted(t *testing.T) {
	launch(t, []string{"/bin/true"}, func(g *guest) {
		for g.toStop(t); !g.AtEntry(); g.toStop(t) {
			_, err := g.Execute()
			must(err)
		}
		g.Skip(0)
		pc := g.Regs.RIP
		must(g.tracer.Interrupt(g.Thread()))
		stop, err := g.Step(t.Context())
		must(err)
		if stop.Kind != inplace.Done || g.Regs.RIP == pc {
			info := g.SigInfo()
			t.Errorf("%+v (signal %d, code %d) at %#x, stepped from %#x", stop, info.Signal(), info.Code(), g.Regs.RIP, pc)
		}
	})
}

// A signal that comes when the kernel has begun to restart a system call, of which only the
// debugger knows that it was interrupted, ends the call: the program has waited in it.
func TestSignalComesWhenCallIsRestarted(t *testing.T) {
	program := debuggertest.Compile(t, filepath.Join("testdata", "interrupted.c"), nil, "gcc", "-O1")
	launch(t, []string{program}, func(g *guest) {
		for stop := g.toStop(t); stop.Kind != inplace.Blocked; {
			var err error
			if stop, err = g.Start(); stop.Kind == inplace.Done {
				stop = g.toStop(t)
			}
			must(err)
		}
		withdrawn, err := g.Withdraw()
		must(err)
		if !withdrawn {
			panic(failure("read(2) has returned"))
		}
		var regs ptrace.Regs
		must(g.tracer.Regs(g.Thread(), &regs))
		regs.RIP, regs.RAX = regs.RIP-2, regs.OrigRAX // as the kernel does when it restarts a call
		must(g.tracer.SetRegs(g.Thread(), &regs))
		must(unix.Tgkill(g.Thread(), g.Thread(), unix.SIGALRM))
		stop, err := g.Start()
		must(err)
		if stop.Kind != inplace.Done || !g.Regs.Restarts() {
			t.Errorf("a stop of kind %d, %d in rax", stop.Kind, int64(g.Regs.RAX))
		}
		if g.finish(t.Context(), 1<<40); g.status != 5 {
			t.Errorf("status %d, killed by %d", g.status, g.killed)
		}
	})
}

// toStop runs a program to its next stop but those at instructions that must be stepped.
func (g *guest) toStop(t *testing.T) inplace.Stop {
	for {
		stop, err := g.Run(t.Context(), 1<<40)
		must(err)
		if stop.Kind != inplace.Native {
			return stop
		}
		_, err = g.Step(t.Context())
		must(err)
	}
}

// toSleep runs a program until it sleeps.
func (g *guest) toSleep(t *testing.T) inplace.Stop {
	for {
		switch stop := g.toStop(t); {
		case stop.Kind != inplace.Call:
		case g.Regs.RAX == unix.SYS_CLOCK_NANOSLEEP:
			stop, err := g.Start()
			must(err)
			return stop
		default:
			_, err := g.Execute()
			must(err)
		}
	}
}
