package recording

import (
	"context"
	"errors"
	"fmt"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/xsave"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
	"golang.org/x/sys/unix"
)

// Lockstep goes to a position, or to the end of the program, and makes another Player at the
// same position do the same by single steps of the processor. After each chunk of instructions
// it compares all registers. It returns the number of instructions.
func (p *Player) Lockstep(ctx context.Context, other *Player, end uint64, chunk func() uint64) (executed uint64, err error) {
	for p.Position() < end {
		e, at := p.recording.Event(p.event), p.Position()
		if at == e.Position {
			if e.Kind == recfile.Image || e.Positions() == 0 {
				return executed, nil
			}
			if err := errors.Join(p.apply(), other.apply()); err != nil {
				return executed, err
			}
			continue
		}
		to := min(end, e.Position, at+chunk())
		if err := errors.Join(p.RunTo(ctx, to), other.stepAlone(to-at)); err != nil {
			return executed, fmt.Errorf("from position %d to %d: %w", at, to, err)
		}
		if err := p.sameRegisters(other); err != nil {
			return executed, fmt.Errorf("after positions %d to %d: %w", at, to, err)
		}
		executed += to - at
	}
	return executed, nil
}

// stepAlone executes instructions by single steps of the processor, in their original place.
func (p *Player) stepAlone(n uint64) error {
	if _, err := p.run.Inject(unix.SYS_GETPID); err != nil { // moves the thread out of the cache
		return err
	}
	pid, regs := p.run.Thread(), p.run.Regs
	if err := p.tracer.SetRegs(pid, &regs); err != nil {
		return err
	}
	for range n {
		if err := p.stepWhole(pid, &regs); err != nil {
			return fmt.Errorf("instruction at %#x: %w", regs.RIP, err)
		}
		p.run.Emulate(regs)
	}
	return nil
}

// stepWhole executes an instruction, with all iterations if it is a repeated one.
func (p *Player) stepWhole(pid int, regs *ptrace.Regs) error {
	var code [x86.MaxLen]byte
	n, _ := p.run.Memory().Read(regs.RIP, code[:])
	in, err := x86.Decode(code[:n], regs.RIP)
	if err != nil {
		return err
	}
	for before := regs.RIP; ; {
		if err := p.tracer.StepEmulated(pid, 0); err != nil {
			return err
		}
		event, err := p.tracer.Wait()
		if err != nil {
			return err
		}
		if event.Thread != pid || event.Kind != ptrace.SignalStop || event.Signal != unix.SIGTRAP {
			return fmt.Errorf("%+v after a step", event)
		}
		if err := p.tracer.Regs(pid, regs); err != nil {
			return err
		}
		if regs.RIP != before || !in.Class.Is(x86.Repeat) {
			break
		}
	}
	return p.hideStep(pid, &in, regs)
}

// hideStep clears the trap flag, which popf makes visible and pushf has stored.
func (p *Player) hideStep(pid int, in *x86.Inst, regs *ptrace.Regs) error {
	if regs.EFlags&ptrace.TrapFlag != 0 {
		regs.EFlags &^= ptrace.TrapFlag
		if err := p.tracer.SetRegs(pid, regs); err != nil {
			return err
		}
	}
	if in.Name() != "pushf" && in.Name() != "pushfq" {
		return nil
	}
	var high [1]byte
	if _, err := p.run.Memory().Read(regs.RSP+1, high[:]); err != nil {
		return err
	}
	high[0] &^= ptrace.TrapFlag >> 8
	_, err := p.run.Memory().Write(regs.RSP+1, high[:])
	return err
}

// sameRegisters returns an error that lists the registers that differ from those of another
// Player.
func (p *Player) sameRegisters(other *Player) error {
	var list []error
	mine, others := p.run.Regs, other.run.Regs
	mine.EFlags &^= ptrace.ResumeFlag
	others.EFlags &^= ptrace.ResumeFlag
	for n, w := range mine.Words() {
		if v := others.Words()[n]; n != recfile.OrigRAX && v != w {
			list = append(list, fmt.Errorf("%s is %#x translated, and %#x by steps", ptrace.RegNames[n], w, v))
		}
	}
	a, err := p.comparableVector()
	b, err2 := other.comparableVector()
	if d := xsave.Machine().Difference(a, b); d != "" {
		list = append(list, fmt.Errorf("the vector state differs: %s", d))
	}
	return errors.Join(append(list, err, err2)...)
}

// comparableVector returns the vector state without the address of the last x87 instruction,
// which is that of its copy in the cache.
func (p *Player) comparableVector() ([]byte, error) {
	const fop, dataPointer = 6, 24
	b, err := vectorState(p.tracer, p.run.Thread())
	if err == nil {
		clear(b[fop:dataPointer])
	}
	return b, err
}
