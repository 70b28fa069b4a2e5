package recording_test

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/xsave"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
	"github.com/triptych-mcp/triptych/debugger/internal/record/replay"
)

// steps compares a Player with another one at the same position, by single steps of the processor.
type steps struct {
	tracer        *ptrace.Tracer // of both
	recording     *recfile.Recording
	player, other *replay.Player
}

// lockstep goes to a position, or to the end of the program, and makes another Player at the
// same position do the same by single steps of the processor. After each chunk of instructions
// it compares all registers. It returns the number of instructions.
func (s *steps) lockstep(ctx context.Context, end uint64, chunk func() uint64) (executed uint64, err error) {
	r, p, other := s.recording, s.player, s.other
	for n := max(1, r.After(p.Position())); p.Position() < end; {
		e, at := r.Event(n), p.Position()
		if at == e.Position {
			if e.Kind == recfile.Image || e.Positions() == 0 {
				return executed, nil
			}
			next := at + e.Positions()
			if err := errors.Join(p.RunTo(ctx, next), other.RunTo(ctx, next)); err != nil {
				return executed, err
			}
			n++
			continue
		}
		to := min(end, e.Position, at+chunk())
		if err := errors.Join(p.RunTo(ctx, to), s.stepAlone(to-at)); err != nil {
			return executed, fmt.Errorf("from position %d to %d: %w", at, to, err)
		}
		if err := s.sameRegisters(); err != nil {
			return executed, fmt.Errorf("after positions %d to %d: %w", at, to, err)
		}
		executed += to - at
	}
	return executed, nil
}

// stepAlone executes instructions by single steps of the processor, in their original place.
func (s *steps) stepAlone(n uint64) error {
	run := s.other.Runner()
	if _, err := run.Inject(unix.SYS_GETPID); err != nil { // moves the thread out of the cache
		return err
	}
	pid, regs := run.Thread(), run.Regs
	if err := s.tracer.SetRegs(pid, &regs); err != nil {
		return err
	}
	for range n {
		if err := s.stepWhole(pid, &regs); err != nil {
			return fmt.Errorf("instruction at %#x: %w", regs.RIP, err)
		}
		run.Emulate(regs)
	}
	return nil
}

// stepWhole executes an instruction, with all iterations if it is a repeated one.
func (s *steps) stepWhole(pid int, regs *ptrace.Regs) error {
	memory := s.other.Memory()
	var code [x86.MaxLen]byte
	n, _ := memory.Read(regs.RIP, code[:])
	in, err := x86.Decode(code[:n], regs.RIP)
	if err != nil {
		return err
	}
	for before := regs.RIP; ; {
		if err := s.tracer.StepEmulated(pid, 0); err != nil {
			return err
		}
		event, err := s.tracer.Wait()
		if err != nil {
			return err
		}
		if event.Thread != pid || event.Kind != ptrace.SignalStop || event.Signal != unix.SIGTRAP {
			return fmt.Errorf("%+v after a step", event)
		}
		if err := s.tracer.Regs(pid, regs); err != nil {
			return err
		}
		if regs.RIP != before || !in.Class.Is(x86.Repeat) {
			break
		}
	}
	return s.hideStep(pid, &in, regs)
}

// hideStep clears the trap flag, which popf makes visible and pushf has stored.
func (s *steps) hideStep(pid int, in *x86.Inst, regs *ptrace.Regs) error {
	memory := s.other.Memory()
	if regs.EFlags&ptrace.TrapFlag != 0 {
		regs.EFlags &^= ptrace.TrapFlag
		if err := s.tracer.SetRegs(pid, regs); err != nil {
			return err
		}
	}
	if in.Name() != "pushf" && in.Name() != "pushfq" {
		return nil
	}
	var high [1]byte
	if _, err := memory.Read(regs.RSP+1, high[:]); err != nil {
		return err
	}
	high[0] &^= ptrace.TrapFlag >> 8
	_, err := memory.Write(regs.RSP+1, high[:])
	return err
}

// sameRegisters returns an error that lists the registers that differ.
func (s *steps) sameRegisters() error {
	var list []error
	mine, others := s.player.Regs(), s.other.Regs()
	mine.EFlags &^= ptrace.ResumeFlag
	others.EFlags &^= ptrace.ResumeFlag
	for n, w := range mine.Words() {
		if v := others.Words()[n]; n != recfile.OrigRAX && v != w {
			list = append(list, fmt.Errorf("%s is %#x translated, and %#x by steps", ptrace.RegNames[n], w, v))
		}
	}
	a, err := s.comparableVector(s.player)
	b, err2 := s.comparableVector(s.other)
	if d := xsave.Machine().Difference(a, b); d != "" {
		list = append(list, fmt.Errorf("the vector state differs: %s", d))
	}
	return errors.Join(append(list, err, err2)...)
}

// comparableVector returns the vector state without the address of the last x87 instruction,
// which is that of its copy in the cache.
func (s *steps) comparableVector(p *replay.Player) ([]byte, error) {
	const fop, dataPointer = 6, 24
	b := make([]byte, 1<<14)
	n, err := s.tracer.XState(p.Runner().Thread(), b)
	clear(b[fop:dataPointer])
	return b[:n], err
}

// mappings returns the program's own mappings that can be written.
func mappings(p *replay.Player) (procfs.Maps, error) {
	all, err := procfs.ReadMaps(p.Runner().Thread())
	return slices.DeleteFunc(all, func(m procfs.Map) bool {
		return !m.Write || !m.Read || m.Shared || p.Runner().Reserved(m.Start, m.End-m.Start)
	}), err
}

// timelineOf returns a timeline with windows and distances of checkpoints of other lengths.
func timelineOf(ctx context.Context, r *recfile.Recording, window, spacing uint64) (*replay.Timeline, error) {
	s := replay.DefaultSizes()
	s.Window, s.Spacing = window, spacing
	return replay.NewTimelineOf(ctx, r, s)
}
