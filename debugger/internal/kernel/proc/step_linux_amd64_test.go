package proc_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// stopAtMark runs a program to a mark.
func stopAtMark(t *testing.T, p *proc.Process, address uint64) proc.Stop {
	t.Helper()
	b := set(t, p, proc.BreakpointSpec{Address: address, Once: true})
	stop := resume(t, p)
	if stop.Breakpoint != b.ID {
		t.Fatalf("stop %+v, want breakpoint %d", stop, b.ID)
	}
	return stop
}

// Steps go from instruction to instruction as objdump lists them, and only the
// thread that steps runs.
func TestStepInstruction(t *testing.T) {
	program := debuggertest.Start(t, "threads.c")
	p := attach(t, program, proc.Options{})
	stop := stopAtMark(t, p, program.Symbol("tick"))
	want := listing(t, program, "tick")
	others := otherRegs(t, p, stop.Thread)
	for i := 1; i < len(want); i++ {
		stop, err := p.StepInstruction(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := stop.Address - program.Symbol("tick"); stop.Why != proc.Stepped || got != want[i]-want[0] {
			t.Fatalf("step %d: %+v at %#x, want %#x", i, stop, got, want[i]-want[0])
		}
	}
	if got := otherRegs(t, p, stop.Thread); got != others {
		t.Error("other threads have moved")
	}
	requireDetached(t, p, program)
}

// listing are the addresses of a function's instructions in the file.
func listing(t *testing.T, program *debuggertest.Program, function string) []uint64 {
	t.Helper()
	out, err := exec.Command("objdump", "-d", "--no-show-raw-insn", "--disassemble="+function, program.Path).Output()
	if err != nil {
		t.Skip("this needs objdump: ", err)
	}
	var all []uint64
	for _, m := range regexp.MustCompile(`(?m)^ +([0-9a-f]+):\t`).FindAllSubmatch(out, -1) {
		n, err := strconv.ParseUint(string(m[1]), 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, n)
	}
	if len(all) == 0 {
		t.Fatalf("objdump lists nothing of %s", function)
	}
	return all
}

func otherRegs(t *testing.T, p *proc.Process, but int) string {
	t.Helper()
	threads, err := p.Threads()
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, x := range threads {
		if x.ID == but {
			continue
		}
		r, err := p.Regs(x.ID)
		if err != nil {
			t.Fatal(err)
		}
		text += fmt.Sprintln(x.ID, r)
	}
	return text
}

// A system call that waits for another thread ends, since the others step too.
func TestStepOverBlockingCall(t *testing.T) {
	program := debuggertest.Start(t, "threads.c", "0")
	p := attach(t, program, proc.Options{})
	program.Tell("wait")
	start := stopAtMark(t, p, program.Mark("block"))
	end := program.Mark("unblocked")
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	n := 0
	for {
		stop, err := p.StepInstruction(ctx, start.Thread)
		if err != nil || stop.Why != proc.Stepped {
			t.Fatalf("step %d: %+v, %v", n, stop, err)
		}
		if n++; stop.Address == end {
			break
		}
	}
	t.Logf("%d steps", n)
	if got := answer(t, p, program); got != "0 0" {
		t.Errorf("the program says %q", got)
	}
	requireDetached(t, p, program)
}

// A step over a system call that does not end is given up with the context,
// and the call goes on later as if nothing had been: a sleep of 300 ms that is
// disturbed again and again neither fails nor lasts less.
func TestInterruptedSleep(t *testing.T) {
	program := debuggertest.Start(t, "threads.c", "0")
	p := attach(t, program, proc.Options{})
	began := time.Now()
	program.Tell("sleep")
	resumeFor(t, p, 30*time.Millisecond)
	for range 5 {
		if time.Since(began) > 200*time.Millisecond {
			break // the machine is too busy to disturb it once more in time
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		stop, err := p.StepInstruction(ctx, 0)
		cancel()
		if time.Since(began) >= 300*time.Millisecond {
			break // the sleep may have ended before the step began
		}
		if err != nil || stop.Why != proc.Paused {
			t.Errorf("stop %+v (%v), want a pause in the sleep", stop, err)
		}
		if got, err := p.Inject(0, unix.SYS_GETPID); err != nil || int(got) != program.PID {
			t.Errorf("getpid = %d (%v), want %d", got, err, program.PID)
		}
	}
	answer(t, p, program)
	if d := time.Since(began); d < 300*time.Millisecond {
		t.Errorf("the sleep lasted %v, want 300ms", d)
	}
	requireDetached(t, p, program)
}

// Stepping through pushf and system calls leaves no trap flag behind: the
// program would die of it after it was let go.
func TestStepsLeaveNoTrap(t *testing.T) {
	for _, name := range []string{"busy.go", "threads.c", "ticker.c"} {
		t.Run(name, func(t *testing.T) {
			program := debuggertest.Start(t, name)
			p := attach(t, program, proc.Options{})
			resumeFor(t, p, time.Millisecond)
			threads, err := p.Threads()
			if err != nil {
				t.Fatal(err)
			}
			for _, thread := range threads {
				stepMany(t, p, thread.ID, 3000)
			}
			requireDetached(t, p, program)
			program.Ask("count")
		})
	}
}

// stepMany does a number of steps in one series, or as many as can be done
// without waiting long.
func stepMany(t *testing.T, p *proc.Process, thread, n int) {
	t.Helper()
	err := p.Step(t.Context(), thread, func(s *proc.Stepper) error {
		for range n {
			outcome, err := s.Step()
			if err != nil {
				return err
			}
			switch outcome {
			case proc.StepBlocked, proc.StepGone, proc.StepEnded:
				return nil
			case proc.StepDone:
				r, err := s.Regs()
				if err != nil {
					return err
				}
				if r.EFlags&ptrace.TrapFlag != 0 {
					t.Errorf("the trap flag shows at %#x", r.RIP)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A SIGTRAP that another process sends and that is dropped does not hide the
// step: the registers have the values after it.
func TestStepAfterDroppedTrap(t *testing.T) {
	program := debuggertest.Start(t, "threads.c", "1")
	p := attach(t, program, proc.Options{})
	if err := p.SetSignal(unix.SIGTRAP, proc.Drop); err != nil {
		t.Fatal(err)
	}
	stop := stopAtMark(t, p, program.Symbol("tick"))
	want := listing(t, program, "tick")
	err := p.Step(t.Context(), stop.Thread, func(s *proc.Stepper) error {
		for i := range 2 {
			if err := unix.Tgkill(program.PID, stop.Thread, unix.SIGTRAP); err != nil {
				return err
			}
			outcome, err := s.Step()
			if err != nil {
				return err
			}
			r, err := s.Regs()
			if got := r.RIP - program.Symbol("tick"); err != nil || outcome != proc.StepDone || got != want[i+1]-want[0] {
				t.Errorf("step %d: %v, %v at %#x, want %#x", i, outcome, err, got, want[i+1]-want[0])
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	requireDetached(t, p, program)
}

// A signal's handler is entered by the step after the one that reports it.
func TestStepIntoHandler(t *testing.T) {
	program := debuggertest.Start(t, "ticker.c")
	p := attach(t, program, proc.Options{})
	if err := unix.Kill(program.PID, unix.SIGUSR1); err != nil {
		t.Fatal(err)
	}
	stop := resume(t, p)
	if stop.Why != proc.Signalled || stop.Signal != unix.SIGUSR1 {
		t.Fatalf("stop %+v, want SIGUSR1", stop)
	}
	stop, err := p.StepInstruction(t.Context(), 0)
	if err != nil || stop.Address != program.Symbol("on_signal") {
		t.Errorf("stop %+v (%v), want the handler at %#x", stop, err, program.Symbol("on_signal"))
	}
	if err := p.Detach(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := program.Ask("signals"); !strings.HasPrefix(got, "1 ") {
		t.Errorf("the program counted %q, want one signal", got)
	}
	requireUnharmed(t, program)
}

// Pause, looking and killing from other goroutines at any time neither race
// nor hang.
func TestConcurrentCalls(t *testing.T) {
	program := debuggertest.Start(t, "threads.c")
	p := attach(t, program, proc.Options{})
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	var all sync.WaitGroup
	calls := []func() error{
		func() error { _, err := p.Resume(ctx); return err },
		func() error { _, err := p.StepInstruction(ctx, 0); return err },
		func() error { p.Pause(); return nil },
		func() error { _, err := p.Regs(0); return err },
		func() error { _, err := p.Threads(); return err },
		func() error { _, err := p.ReadMemory(program.Symbol("counts"), make([]byte, 8)); return err },
		func() error {
			b, err := p.SetBreakpoint(proc.BreakpointSpec{Address: program.Mark("tick"), Ignore: 5})
			if err == nil {
				err = p.ClearBreakpoint(b.ID)
			}
			return err
		},
	}
	for _, call := range calls {
		all.Go(func() {
			for ctx.Err() == nil {
				err := call()
				if err != nil && !errors.Is(err, proc.ErrRunning) && ctx.Err() == nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	requireDetached(t, p, program)
}

// Pause stops a process that runs, and Detach does too.
func TestPauseAndDetachWhileRunning(t *testing.T) {
	program := debuggertest.Start(t, "threads.c")
	p := attach(t, program, proc.Options{})
	for _, end := range []func() error{
		func() error { p.Pause(); return nil },
		func() error { return p.Detach(t.Context()) },
	} {
		done := make(chan error, 1)
		go func() {
			stop, err := p.Resume(context.Background())
			if err == nil && stop.Why != proc.Paused {
				err = fmt.Errorf("stop %+v", stop)
			}
			done <- err
		}()
		eventually(func() bool { // a pause before it runs is none
			_, err := p.Regs(0)
			return errors.Is(err, proc.ErrRunning)
		})
		if err := end(); err != nil {
			t.Error(err)
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if _, err := p.Regs(0); !errors.Is(err, proc.ErrDetached) {
		t.Errorf("Regs after Detach: %v, want ErrDetached", err)
	}
	requireUnharmed(t, program)
	program.Ask("count")
}

// A live process does not stand still for longer than it may.
func TestMaxStop(t *testing.T) {
	program := debuggertest.Start(t, "threads.c")
	p := attach(t, program, proc.Options{MaxStop: 50 * time.Millisecond})
	set(t, p, proc.BreakpointSpec{Address: program.Mark("tick")})
	resume(t, p)
	program.Ask("count") // it answers although it was stopped
	if _, err := p.Regs(0); !errors.Is(err, proc.ErrRunning) {
		t.Errorf("Regs while it runs by itself: %v, want ErrRunning", err)
	}
	if stop := resume(t, p); stop.Why != proc.AtBreakpoint {
		t.Errorf("stop %+v, want the breakpoint, which is in again", stop)
	}
	time.Sleep(100 * time.Millisecond)
	var err error
	eventually(func() bool { // unless it runs on again before
		p.Pause()
		_, err = p.Regs(0)
		return err == nil
	})
	if err != nil {
		t.Errorf("Regs after Pause: %v", err)
	}
	requireDetached(t, p, program)
}

// Registers are the ones gdb shows, in every thread.
func TestRegistersAsGDB(t *testing.T) {
	gdb := debuggertest.GDB(t)
	program := debuggertest.Start(t, "forker.c")
	program.AwaitSleep()
	p := attach(t, program, proc.Options{})
	r, err := p.Regs(0)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Detach(t.Context()); err != nil {
		t.Fatal(err)
	}
	program.AwaitSleep()
	out, err := exec.Command(gdb, "-batch", "-nx", "-p", strconv.Itoa(program.PID),
		"-ex", `printf "got %lx %lx %lx %lx %lx\n", $rip, $rsp, $rbp, $rdi, $fs_base`).CombinedOutput()
	if err != nil {
		t.Skipf("gdb: %v\n%s", err, out)
	}
	want := fmt.Sprintf("got %x %x %x %x %x\n", r.RIP, r.RSP, r.RBP, r.RDI, r.FSBase)
	if !bytes.Contains(out, []byte(want)) {
		t.Errorf("gdb says\n%s\nwant %s", out, want)
	}
}
