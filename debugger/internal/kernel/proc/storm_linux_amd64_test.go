package proc_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
)

// A Go program to which all happens at once lives: breakpoints that come and go,
// steps and calls of ours in all its threads, while the signals with which Go
// preempts goroutines rain down on them.
func TestStorm(t *testing.T) {
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			program := debuggertest.Start(t, "busy.go")
			defer rain(program.PID)()
			p := attach(t, program, kind.options)
			places := []uint64{
				program.Mark("visit"), program.Symbol("runtime.rtsigprocmask.abi0"), program.Symbol("runtime.asyncPreempt.abi0"),
				program.Symbol("runtime.sigtramp.abi0"), program.Symbol("runtime.mallocgc"),
			}
			for i := range rounds() {
				var all []proc.Breakpoint
				for n := range 1 + i%2 {
					all = append(all, set(t, p, proc.BreakpointSpec{Address: places[(i+n)%len(places)]}))
				}
				requireSound(t, p, resumeFor(t, p, 5*time.Millisecond))
				if i%3 == 0 {
					callAndStep(t, p, program.PID)
				}
				clearAll(t, p, all...)
				requireSound(t, p, resumeFor(t, p, time.Duration(i%3)*100*time.Microsecond))
			}
			requireDetached(t, p, program)
		})
	}
}

// rain sends SIGURG to the threads of a process, one after the other, until the
// function that it returns is called.
func rain(pid int) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() {
		for ctx.Err() == nil {
			entries, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
			for _, e := range entries {
				if tid, err := strconv.Atoi(e.Name()); err == nil {
					_ = unix.Tgkill(pid, tid, unix.SIGURG) // it may be gone
				}
				time.Sleep(100 * time.Microsecond)
			}
		}
	})
	return func() { cancel(); done.Wait() }
}

// callAndStep makes each thread do a call and a step.
func callAndStep(t *testing.T, p *proc.Process, pid int) {
	t.Helper()
	threads, err := p.Threads()
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range threads {
		if got, err := p.Inject(x.ID, unix.SYS_GETPID); err != nil || int(got) != pid {
			t.Fatalf("getpid in thread %d = %d (%v), want %d", x.ID, got, err, pid)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
		stop, err := p.StepInstruction(ctx, x.ID)
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		requireSound(t, p, stop)
	}
}

// requireSound fails the test when a program ends or has a fault, and says then
// how its threads are.
func requireSound(t *testing.T, p *proc.Process, stop proc.Stop) {
	t.Helper()
	switch stop.Why {
	case proc.Exited, proc.Killed:
		t.Fatalf("the program has ended: %+v", stop)
	case proc.Signalled:
		t.Fatalf("stop %+v\n%s", stop, states(t, p))
	}
}

// states are the registers, the code and the top of the stack of all threads.
func states(t *testing.T, p *proc.Process) string {
	t.Helper()
	threads, err := p.Threads()
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, x := range threads {
		r, err := p.Regs(x.ID)
		mask, _ := p.SigMask(x.ID)
		fmt.Fprintf(&text, "thread %d at %#x (%v), flags %#x, call %d, blocks %#x\n", x.ID, r.RIP, err, r.EFlags, int64(r.OrigRAX), mask)
		fmt.Fprintf(&text, "\tax %#x bx %#x cx %#x dx %#x si %#x di %#x bp %#x sp %#x\n", r.RAX, r.RBX, r.RCX, r.RDX, r.RSI, r.RDI, r.RBP, r.RSP)
		code, stack := make([]byte, 16), make([]byte, 32*8)
		n, _ := p.ReadMemory(r.RIP, code)
		fmt.Fprintf(&text, "\tcode % x\n", code[:n])
		n, _ = p.ReadMemory(r.RSP, stack)
		for i := 0; i+8 <= n; i += 8 {
			fmt.Fprintf(&text, "\t%#x %#x\n", r.RSP+uint64(i), binary.LittleEndian.Uint64(stack[i:]))
		}
	}
	return text.String()
}
