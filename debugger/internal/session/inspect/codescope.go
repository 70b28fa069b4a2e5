package inspect

import (
	"github.com/triptych-mcp/triptych/debugger/internal/program/callstack"
	"github.com/triptych-mcp/triptych/debugger/internal/program/dwarfregs"
)

// ScopeAt returns the innermost frame at an address as if a thread were there,
// with all registers and memory zero; nil if there is no debug information.
// Conditions are checked with it.
func (s *Inspector) ScopeAt(pc uint64) *FrameScope {
	regs := dwarfregs.NewRegisters([17]uint64{dwarfregs.RIP: pc}, 0)
	frames, err := callstack.Unwind(s.Program, regs, zeroMemory{}, 1)
	if err != nil || len(frames) == 0 || !frames[0].Described() {
		return nil
	}
	return &FrameScope{s: s, frame: &frames[0], regs: regs, mem: zeroMemory{}, inner: true}
}

// zeroMemory reads as zero everywhere.
type zeroMemory struct{}

func (zeroMemory) ReadMemory(_ uint64, p []byte) error {
	clear(p)
	return nil
}
