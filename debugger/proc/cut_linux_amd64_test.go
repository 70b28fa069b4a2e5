package proc

import (
	"encoding/binary"
	"errors"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/ptrace"
)

// cutOff stops a program at an int3 and brings the thread that is there to
// where an interruption meets it if it comes between the int3 and its signal:
// behind the first byte, with the signal waiting.
func cutOff(t *testing.T) (*debuggertest.Program, *Process, Breakpoint) {
	t.Helper()
	program := debuggertest.Start(t, "busy.go")
	p, err := Attach(t.Context(), program.PID, Options{Software: true})
	if err != nil {
		t.Skip("tracing is not permitted here: ", err)
	}
	t.Cleanup(func() { _ = p.Detach(t.Context()) })
	b, err := p.SetBreakpoint(BreakpointSpec{Address: program.Mark("visit")})
	if err != nil {
		t.Fatal(err)
	}
	stop, err := p.Resume(t.Context())
	if err != nil || stop.Breakpoint != b.ID {
		t.Fatalf("stop %+v, %v", stop, err)
	}
	err = p.Do(func() error {
		x := p.threads[stop.Thread]
		if err := trapBehind(p, x, stop.Address+1); err != nil {
			return err
		}
		return errors.Join(p.tracer.Interrupt(x.id), p.tracer.Cont(x.id, 0), p.stopAll())
	})
	if err != nil {
		t.Fatal(err)
	}
	return program, p, b
}

// trapBehind moves a thread and queues the SIGTRAP of an int3 for it, as force_sig
// does in the kernel's exc_int3.
func trapBehind(p *Process, x *thread, address uint64) error {
	var info ptrace.SigInfo
	binary.LittleEndian.PutUint32(info[0:], uint32(unix.SIGTRAP))
	binary.LittleEndian.PutUint32(info[8:], ptrace.CodeKernel)
	if err := p.sendAgain(x, signalled{unix.SIGTRAP, info}); err != nil {
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
