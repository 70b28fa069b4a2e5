package inspect

import (
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/program/callstack"
	"github.com/triptych-mcp/triptych/debugger/internal/program/dwarfregs"
	"github.com/triptych-mcp/triptych/debugger/internal/session/failure"
)

// Frames unwinds the stack of a thread or, by [OfGoroutine], of a goroutine;
// thread 0 is the current one.
func (s *Inspector) Frames(thread, limit int) ([]callstack.Frame, error) {
	regs, err := s.Registers(thread)
	if err != nil {
		return nil, err
	}
	return callstack.Unwind(s.Program, regs, s.Target.Memory(), limit)
}

// Frame returns a frame of a thread by its number.
func (s *Inspector) Frame(thread, number int) (*callstack.Frame, error) {
	regs, err := s.Registers(thread)
	if err != nil {
		return nil, err
	}
	return s.frameFrom(regs, number)
}

// frameFrom returns a frame by its number on the stack that registers show.
func (s *Inspector) frameFrom(regs dwarfregs.Registers, number int) (*callstack.Frame, error) {
	frames, err := callstack.Unwind(s.Program, regs, s.Target.Memory(), number+1)
	if err != nil {
		return nil, err
	}
	if number >= len(frames) {
		return nil, failure.Errorf("No such frame", "the stack has %d frames, counted from 0", len(frames))
	}
	return &frames[number], nil
}

// Registers returns the registers of a thread or goroutine for the symbols, with
// xmm0 to xmm15 of a thread.
func (s *Inspector) Registers(thread int) (dwarfregs.Registers, error) {
	cpu, _, partial, err := s.cpu(thread)
	if err != nil {
		return dwarfregs.Registers{}, err
	}
	return s.forSymbols(thread, cpu, partial), nil
}

// forSymbols converts what [Inspector.cpu] has returned of a thread or goroutine.
func (s *Inspector) forSymbols(thread int, cpu ptrace.Regs, partial bool) dwarfregs.Registers {
	if partial {
		return parked(cpu)
	}
	out := dwarfregs.NewRegisters(general(&cpu), cpu.FSBase)
	if thread < 0 { // the vector registers are of its thread, which may do something else
		return out
	}
	if state, err := s.Target.View.XState(thread, nil); err == nil {
		out = out.WithVectors(vectors(state))
	}
	return out
}

// general returns the general registers in DWARF's order.
func general(r *ptrace.Regs) [17]uint64 {
	return [17]uint64{
		r.RAX, r.RDX, r.RCX, r.RBX, r.RSI, r.RDI, r.RBP, r.RSP,
		r.R8, r.R9, r.R10, r.R11, r.R12, r.R13, r.R14, r.R15, r.RIP,
	}
}

// The offsets of xmm0 to xmm15 in the legacy region of XSAVE (Intel SDM volume
// 1, table 10-2).
const (
	xmmOffset = 160
	xmmEnd    = xmmOffset + 16*16
)

// vectors returns the vector registers of a thread, nil if there are none.
func vectors(xstate []byte) *[16][16]byte {
	if len(xstate) < xmmEnd {
		return nil
	}
	var xmm [16][16]byte
	for i := range xmm {
		copy(xmm[i][:], xstate[xmmOffset+16*i:])
	}
	return &xmm
}

// Place returns the innermost function and the line of an address, as far as
// they are known.
func (s *Inspector) Place(address uint64) (function, file string, line int) {
	if f, ok := s.Program.Function(address); ok {
		function = f.Name
		if len(f.Inlined) > 0 {
			function = f.Inlined[0]
		}
	}
	file, line, _ = s.Program.Line(address)
	return function, file, line
}
