package proc

import (
	"context"
	"encoding/binary"
	"errors"
	"os"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// attachInside starts a program and attaches to it.
func attachInside(t *testing.T, name string, options Options) (*debuggertest.Program, *Process) {
	t.Helper()
	program := debuggertest.Start(t, name)
	program.AwaitSleep()
	p, err := Attach(t.Context(), program.PID, options)
	if err != nil {
		t.Skip("tracing is not permitted here: ", err)
	}
	t.Cleanup(func() { _ = p.Detach(context.Background()) })
	return program, p
}

// cutOff stops a program at an int3 and brings the thread that is there to
// where an interruption meets it if it comes between the int3 and its signal:
// behind the first byte, with the signal waiting.
func cutOff(t *testing.T) (*debuggertest.Program, *Process, Breakpoint) {
	t.Helper()
	program, p := attachInside(t, "busy.go", Options{Software: true})
	b, err := p.SetBreakpoint(BreakpointSpec{Address: program.Mark("visit")})
	if err != nil {
		t.Fatal(err)
	}
	stop, err := p.Resume(t.Context())
	if err != nil || stop.Breakpoint != b.ID {
		t.Fatalf("stop %+v, %v", stop, err)
	}
	err = p.WithTracer(func() error {
		x := p.threads.byID[stop.Thread]
		if err := trapBehind(p, x, stop.Address+1); err != nil {
			return err
		}
		return errors.Join(p.tracer.Interrupt(x.id), p.tracer.Cont(x.id, 0), p.events.stopAll())
	})
	if err != nil {
		t.Fatal(err)
	}
	return program, p, b
}

// trapBehind moves a thread and queues the SIGTRAP of an int3 for it.
func trapBehind(p *Process, x *thread, address uint64) error {
	if err := queueTrap(p, x, ptrace.CodeKernel, 0); err != nil {
		return err
	}
	var r ptrace.Regs
	if err := p.tracer.Regs(x.id, &r); err != nil {
		return err
	}
	r.RIP = address
	x.running = true
	return p.tracer.SetRegs(x.id, &r)
}

// queueTrap leaves a thread with a SIGTRAP like one of the kernel's that waits:
// force_sig and send_sig_perf in kernel/signal.c.
func queueTrap(p *Process, x *thread, code uint32, data int) error {
	var info ptrace.SigInfo
	binary.LittleEndian.PutUint32(info[0:], uint32(unix.SIGTRAP))
	binary.LittleEndian.PutUint32(info[8:], code)
	binary.LittleEndian.PutUint64(info[24:], uint64(data))
	return p.injection.requeueSignal(x, signalled{unix.SIGTRAP, info})
}

// A thread that was stopped between an int3 and its signal is at the int3
// nevertheless, whatever happens next. Behind it, it would go on in the middle
// of an instruction.
func TestStopBetweenInt3AndSignal(t *testing.T) {
	tests := []struct {
		name string
		do   func(*testing.T, *Process, Breakpoint)
	}{
		{"resumed", func(t *testing.T, p *Process, b Breakpoint) {
			if stop, err := p.Resume(t.Context()); err != nil || stop.Breakpoint != b.ID {
				t.Errorf("stop %+v (%v), want the breakpoint", stop, err)
			}
		}},
		{"cleared", func(t *testing.T, p *Process, b Breakpoint) {
			if err := p.ClearBreakpoint(b.ID); err != nil {
				t.Error(err)
			}
		}},
		{"stepped", func(t *testing.T, p *Process, b Breakpoint) {
			const length = 4 // of movzx 8(ax), cx
			stop, err := p.StepInstruction(t.Context(), 0)
			if want := b.Spec.Address + length; err != nil || stop.Why != Stepped || stop.Address != want {
				t.Errorf("stop %+v (%v), want a step to %#x", stop, err, want)
			}
		}},
		{"detached", func(*testing.T, *Process, Breakpoint) {}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			program, p, b := cutOff(t)
			if r, err := p.Regs(0); err != nil || r.RIP != b.Spec.Address {
				t.Errorf("the thread is at %#x (%v), want %#x", r.RIP, err, b.Spec.Address)
			}
			test.do(t, p, b)
			if err := p.Detach(t.Context()); err != nil {
				t.Error(err)
			}
			program.Ask("count") // it lives
		})
	}
}

// A trap that has waited is neither the step nor a signal of the program's: the
// step is done after it. That of a breakpoint is told next.
func TestTrapThatWaited(t *testing.T) {
	for _, code := range []uint32{ptrace.CodeKernel, ptrace.CodePerf} {
		program, p := attachInside(t, "forker.c", Options{})
		b, err := p.SetBreakpoint(BreakpointSpec{Address: program.Symbol("main")})
		if err != nil {
			t.Fatal(err)
		}
		err = p.Step(t.Context(), 0, func(s *Stepper) error {
			if err := queueTrap(p, s.t, code, p.breakpoints.locations[0].id); err != nil {
				return err
			}
			if outcome, err := s.Step(); err != nil || outcome != StepBlocked {
				t.Errorf("code %#x: step into read: %v, %v, want it to block", code, outcome, err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if code == ptrace.CodePerf {
			if stop, err := p.Resume(t.Context()); err != nil || stop.Breakpoint != b.ID || !stop.Late {
				t.Errorf("stop %+v (%v), want the breakpoint, late", stop, err)
			}
		}
		program.Tell("fork")
		stepsOverTraps(t, p, code)
		if err := p.Detach(t.Context()); err != nil {
			t.Error(err)
		}
		program.Line()
	}
}

// stepsOverTraps steps a thread out of its system call and on, with a trap that
// waits before each step.
func stepsOverTraps(t *testing.T, p *Process, code uint32) {
	t.Helper()
	err := p.Step(t.Context(), 0, func(s *Stepper) error {
		for n := range 20 {
			r, err := s.Regs()
			if err != nil {
				return err
			}
			from := r.RIP
			if err := queueTrap(p, s.t, code, 0); err != nil {
				return err
			}
			outcome, err := s.Step()
			if err != nil || outcome != StepDone {
				t.Errorf("code %#x: step %d: %v, %v", code, n, outcome, err)
				return err
			}
			if r, err = s.Regs(); err != nil || n > 0 && r.RIP == from {
				t.Errorf("code %#x: step %d at %#x has done nothing (%v)", code, n, from, err)
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A trap is found behind signals that wait too, although the kernel answers with
// fewer of them whenever the tracer is to get a signal itself, and not all of them
// are looked at when they are many.
func TestTrapBehindSignals(t *testing.T) {
	for _, many := range []int{20, 500} {
		t.Run(strconv.Itoa(many), func(t *testing.T) { findTrapBehind(t, many) })
	}
}

func findTrapBehind(t *testing.T, many int) {
	t.Helper()
	program, p := attachInside(t, "forker.c", Options{})
	const realTime = unix.Signal(34) // which is queued as often as it is sent
	for range many {
		if err := unix.Tgkill(program.PID, program.PID, realTime); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.SetSignal(realTime, Drop); err != nil {
		t.Fatal(err)
	}
	err := p.WithTracer(func() error {
		x := p.threads.byID[program.PID]
		if p.tracer.TrapWaits(x.id) {
			t.Error("a trap waits before there is one")
		}
		if err := queueTrap(p, x, ptrace.CodeKernel, 0); err != nil {
			return err
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go disturb(ctx, unix.Gettid())
		missed := 0
		const times = 2000
		for range times {
			if !p.tracer.TrapWaits(x.id) {
				missed++
			}
		}
		if missed > 0 {
			t.Errorf("the trap was missed %d times of %d", missed, times)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// disturb sends SIGURG, which Go takes for no more than a hint, to a thread of
// this process until ctx ends.
func disturb(ctx context.Context, tid int) {
	for ctx.Err() == nil {
		_ = unix.Tgkill(os.Getpid(), tid, unix.SIGURG)
	}
}
