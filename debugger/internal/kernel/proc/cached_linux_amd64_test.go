package proc_test

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// Most queries are answered without the tracer's thread, also after it has been
// used.
func TestLookAside(t *testing.T) {
	program := debuggertest.Start(t, "threads.c")
	p := attach(t, program, proc.Options{})
	stop := stopAtMark(t, p, program.Mark("tick"))
	set, err := p.SetBreakpoint(proc.BreakpointSpec{Address: stop.Address})
	if err := errors.Join(err, p.WithTracer(func() error { return nil })); err != nil {
		t.Fatal(err)
	}
	release := p.Occupy()
	looked := make(chan error, 1)
	go func() { looked <- errors.Join(p.ClearBreakpoint(set.ID), lookAround(p)) }()
	select {
	case err := <-looked:
		release()
		if err != nil {
			t.Error(err)
		}
	case <-time.After(20 * time.Second):
		release()
		t.Errorf("a look has waited for the tracer's thread; without that: %v", <-looked)
	}
}

// lookAround does all that a stack trace and its like need.
func lookAround(p *proc.Process) error {
	regs, regsErr := p.Regs(0)
	_, vectorErr := p.XState(0, nil)
	_, memoryErr := p.ReadMemory(regs.RSP, make([]byte, 8))
	_, mapsErr := p.Maps()
	_, threadsErr := p.Threads()
	current, currentErr := p.CurrentThread()
	_, breakpointsErr := p.Breakpoints()
	if _, ended := p.End(); ended {
		return errors.New("the process has ended")
	}
	return errors.Join(regsErr, vectorErr, memoryErr, mapsErr, threadsErr, currentErr, breakpointsErr, p.SetCurrentThread(current))
}

// Cached registers equal the kernel's, whatever was done to the threads.
func TestKeptRegisters(t *testing.T) {
	program := debuggertest.Start(t, "threads.c")
	p := attach(t, program, proc.Options{})
	first := stopAtMark(t, p, program.Mark("tick")).Thread
	other := func() int {
		infos, err := p.Threads()
		if err != nil {
			t.Fatal(err)
		}
		for _, info := range infos {
			if info.ID != first {
				return info.ID
			}
		}
		t.Fatal("there is one thread only")
		return 0
	}()
	ctx := context.Background()
	for _, test := range []struct {
		name string
		do   func() error
	}{
		{"nothing", func() error { return nil }},
		{"another thread", func() error { return p.SetCurrentThread(other) }},
		{"the first thread again", func() error { return p.SetCurrentThread(first) }},
		{"new registers", func() error {
			regs, err := p.Regs(0)
			regs.RBX ^= 0x5a5a
			return errors.Join(err, p.SetRegs(0, regs))
		}},
		{"new vectors", func() error {
			state, err := p.XState(0, nil)
			copy(state[160:], "sixteen bytes of") // xmm0, Intel SDM volume 1, table 10-2
			state[512] |= 2                       // SSE is in use: XSTATE_BV, section 13.4.2
			return errors.Join(err, p.SetXState(0, state))
		}},
		{"registers set by who has the tracer's thread", func() error {
			return p.WithTracer(func() error {
				regs, err := p.Regs(other)
				regs.R12 ^= 0x1234
				return errors.Join(err, p.SetRegs(other, regs))
			})
		}},
		{"a system call", func() error {
			_, err := p.Inject(0, unix.SYS_GETPID)
			return err
		}},
		{"an instruction", func() error {
			_, err := p.StepInstruction(ctx, 0)
			return err
		}},
		{"instructions of another thread", func() error {
			return p.Step(ctx, other, func(s *proc.Stepper) error { return steps(s, 10) })
		}},
		{"a run", func() error {
			run, cancel := context.WithTimeout(ctx, 5*time.Millisecond)
			defer cancel()
			_, err := p.Resume(run)
			return err
		}},
	} {
		for _, thread := range []int{first, other} {
			if _, err := p.Regs(thread); err != nil { // it is kept
				t.Fatal(err)
			}
		}
		if err := test.do(); err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		for _, thread := range []int{0, first, other} {
			requireKept(t, p, test.name, thread)
		}
	}
}

// requireKept compares what is kept of a thread with what the kernel says.
func requireKept(t *testing.T, p *proc.Process, after string, thread int) {
	t.Helper()
	kept, keptErr := p.Regs(thread)
	keptVectors, vectorErr := p.XState(thread, nil)
	var asked ptrace.Regs
	var askedVectors []byte
	err := p.WithTracer(func() (err error) { // there the kernel is asked
		asked, err = p.Regs(thread)
		if err == nil {
			askedVectors, err = p.XState(thread, nil)
		}
		return err
	})
	if err := errors.Join(keptErr, vectorErr, err); err != nil {
		t.Fatalf("%s: %v", after, err)
	}
	if kept != asked {
		t.Errorf("after %s thread %d has the registers\n%+v, want\n%+v", after, thread, kept, asked)
	}
	if !bytes.Equal(keptVectors, askedVectors) {
		t.Errorf("after %s thread %d has other vectors than the kernel says", after, thread)
	}
}

// Memory of a process that was killed while it stood still is not there, which
// is found out without another call.
func TestMemoryOfTheDead(t *testing.T) {
	program := debuggertest.Start(t, "threads.c")
	p := attach(t, program, proc.Options{})
	stop := stopAtMark(t, p, program.Mark("tick"))
	if err := unix.Kill(p.ID(), unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(20 * time.Second); ; {
		_, err := p.ReadMemory(stop.Address, make([]byte, 8))
		if errors.Is(err, proc.ErrExited) {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("memory of a dead process: %v, want ErrExited", err)
		}
	}
}
