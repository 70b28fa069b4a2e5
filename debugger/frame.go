package debugger

import (
	"github.com/triptych-mcp/triptych/debugger/internal/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/symbols/callstack"
	"github.com/triptych-mcp/triptych/debugger/internal/symbols/dwarfregs"
)

// frames walks the stack of a thread, 0 being the current one.
func (s *inspector) frames(thread, limit int) ([]callstack.Frame, error) {
	regs, err := s.registers(thread)
	if err != nil {
		return nil, err
	}
	return callstack.Unwind(s.program, regs, s.memory(), limit)
}

// frame is one frame of a thread by its number.
func (s *inspector) frame(thread, number int) (*callstack.Frame, error) {
	frames, err := s.frames(thread, number+1)
	if err != nil {
		return nil, err
	}
	if number >= len(frames) {
		return nil, failed("No such frame", "the stack has %d frames, counted from 0", len(frames))
	}
	return &frames[number], nil
}

// registers are those of a thread as the symbols want them, vectors included.
func (s *inspector) registers(thread int) (dwarfregs.Registers, error) {
	regs, err := s.scene.Regs(thread)
	if err != nil {
		return dwarfregs.Registers{}, err
	}
	out := dwarfregs.NewRegisters(general(&regs), regs.FSBase)
	if state, err := s.scene.XState(thread, nil); err == nil {
		out = out.WithVectors(vectors(state))
	}
	return out, nil
}

// general are the registers in the order of DWARF.
func general(r *ptrace.Regs) [17]uint64 {
	return [17]uint64{
		r.RAX, r.RDX, r.RCX, r.RBX, r.RSI, r.RDI, r.RBP, r.RSP,
		r.R8, r.R9, r.R10, r.R11, r.R12, r.R13, r.R14, r.R15, r.RIP,
	}
}

// Where xmm0 to xmm15 are in the legacy region of XSAVE (Intel SDM volume 1,
// table 10-2).
const (
	xmmOffset = 160
	xmmEnd    = xmmOffset + 16*16
)

// vectors are the vector registers of a thread, nil when there are none.
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

// place is the innermost function and the line that an address is in, as far as
// they are known.
func (s *inspector) place(address uint64) (function, file string, line int) {
	if f, ok := s.program.Function(address); ok {
		function = f.Name
		if len(f.Inlined) > 0 {
			function = f.Inlined[0]
		}
	}
	file, line, _ = s.program.Line(address)
	return function, file, line
}
