package inplace_test

import (
	"context"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/inplace"
)

// TestCallsInLockstep runs programs twice, translated and not, and compares all
// registers at every system call.
func TestCallsInLockstep(t *testing.T) {
	thrower := debuggertest.Build(t, "thrower.cc", "-O2")
	for _, argv := range [][]string{
		{"/bin/ls", "-l", "/etc/passwd"}, {"gzip", "-c", "/bin/cat"}, {thrower, "alone"},
	} {
		t.Run(argv[0], func(t *testing.T) {
			calls := 0
			err := onTracer(t, func(tracer *ptrace.Tracer) {
				calls = lockstep(tracer, argv)
			})
			report(t, err)
			if t.Logf("%d calls", calls); calls < 20 {
				t.Errorf("only %d calls", calls)
			}
		})
	}
}

// onTracer calls f on the thread of a tracer, with address space randomization turned
// off for the programs that it launches.
func onTracer(t *testing.T, f func(tracer *ptrace.Tracer)) error {
	t.Helper()
	tracer, err := ptrace.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer tracer.Close()
	return tracer.Do(t.Context(), func() error {
		const fixedAddresses = 0x0040000 // ADDR_NO_RANDOMIZE
		if _, _, errno := unix.RawSyscall(unix.SYS_PERSONALITY, fixedAddresses, 0, 0); errno != 0 {
			return skip("addresses are random: " + errno.Error()) // containers may refuse it
		}
		// The thread ends with the tracer.
		return caught(func() { f(tracer) })
	})
}

// launchFixed launches a program whose random bytes are 0.
func launchFixed(tracer *ptrace.Tracer, argv []string) int {
	path, err := exec.LookPath(argv[0])
	if err != nil {
		panic(skip(err.Error()))
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	must(err)
	defer func() { _ = null.Close() }()
	attr := &syscall.ProcAttr{Files: []uintptr{null.Fd(), null.Fd(), 2}, Env: []string{"PATH=/usr/bin", "LC_ALL=C"}}
	pid, err := tracer.Launch(path, argv, attr, ptrace.Options|ptrace.ExitKill)
	if err != nil {
		panic(skip(err.Error()))
	}
	const random = 25 // AT_RANDOM
	auxv, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/auxv")
	must(err)
	at, _ := ptrace.Auxiliary(auxv, random)
	memory, err := ptrace.OpenMemory(pid)
	must(err)
	defer func() { _ = memory.Close() }()
	_, err = memory.Write(at, make([]byte, 16))
	must(err)
	return pid
}

// lockstep runs a program twice and returns the number of its system calls.
func lockstep(tracer *ptrace.Tracer, argv []string) int {
	native := launchFixed(tracer, argv)
	translated := launchFixed(tracer, argv)
	r, err := inplace.New(tracer, translated)
	allowed(err)
	defer func() { _ = r.Close() }()
	start := uint64(0)
	for calls := 0; ; calls++ {
		stop := toCall(r, &start)
		event := nativeCall(tracer, native)
		if stop.Kind == inplace.Exited || event.Gone() {
			if stop.Kind != inplace.Exited || stop.Status != event.Status {
				panic(failure("only one of the processes has ended"))
			}
			return calls
		}
		compareCalls(tracer, r, native, start)
		stop, err := r.Execute()
		must(err)
		if stop.Kind == inplace.Exited {
			event, err := finishCall(tracer, native)
			must(err)
			if event.Status != stop.Status {
				panic(failure("the exit status is another one"))
			}
			return calls
		}
		_, err = finishCall(tracer, native)
		must(err)
		takeResult(tracer, r, native)
	}
}

// toCall runs the translated process to its next system call. The first reading of the
// time stamp counter becomes start.
func toCall(r *inplace.Runner, start *uint64) inplace.Stop {
	for {
		stop, err := r.Run(context.Background(), 1<<40)
		switch stop.Kind {
		case inplace.Native:
			var code [2]byte
			_, _ = r.Memory().Read(r.Regs.RIP, code[:])
			stop, err = r.Step(context.Background())
			if code == [2]byte{0x0f, 0x31} && *start == 0 { // rdtsc
				*start = r.Regs.RDX<<32 | r.Regs.RAX
			}
		case inplace.Signal:
			stop, err = r.Deliver()
		}
		must(err)
		if stop.Kind == inplace.Call || stop.Kind == inplace.Exited {
			return stop
		}
	}
}

// nativeCall continues the other process to its next system call.
func nativeCall(tracer *ptrace.Tracer, pid int) ptrace.Event {
	event, err := finishCall(tracer, pid)
	must(err)
	for event.Kind == ptrace.SignalStop {
		must(tracer.ToSyscall(pid, event.Signal))
		event, err = tracer.Wait()
		must(err)
	}
	return event
}

func finishCall(tracer *ptrace.Tracer, pid int) (ptrace.Event, error) {
	if err := tracer.ToSyscall(pid, 0); err != nil {
		return ptrace.Event{}, err
	}
	return tracer.Wait()
}

// compareCalls compares the registers at a system call, except process ids and
// readings of the time stamp counter, which the dynamic linker makes.
func compareCalls(tracer *ptrace.Tracer, r *inplace.Runner, native int, start uint64) {
	const someTime = 1 << 40 // minutes
	var want ptrace.Regs
	must(tracer.Regs(native, &want))
	got := r.Regs
	want.RAX, want.OrigRAX, want.RIP = want.OrigRAX, got.OrigRAX, want.RIP-2
	want.RCX, want.R11 = got.RCX, got.R11 // the processor has changed them there
	for n, name := range ptrace.RegNames {
		g, w := got.Words()[n], want.Words()[n]
		isID := g == uint64(r.Thread()) && w == uint64(native)
		isTime := start != 0 && g-start < someTime && w-start < someTime
		if g != w && !isID && !isTime && name != "eflags" {
			panic(failuref("at %#x: %s is %#x, want %#x", got.RIP, name, g, w))
		}
	}
	const flags = 0xcd5
	if (got.EFlags^want.EFlags)&flags != 0 {
		panic(failuref("at %#x: eflags are %#x, want %#x", got.RIP, got.EFlags, want.EFlags))
	}
}

// takeResult gives the translated process the result and the random bytes of the other
// one's system call.
func takeResult(tracer *ptrace.Tracer, r *inplace.Runner, native int) {
	var regs ptrace.Regs
	must(tracer.Regs(native, &regs))
	if regs.OrigRAX == unix.SYS_GETRANDOM {
		for pid, at := range map[int]uint64{r.Thread(): r.Regs.RDI, native: regs.RDI} {
			memory, err := ptrace.OpenMemory(pid)
			must(err)
			_, err = memory.Write(at, make([]byte, regs.RAX))
			must(err)
			must(memory.Close())
		}
	}
}
