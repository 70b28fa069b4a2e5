package inspect

import (
	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// InstructionText returns the text of the instruction at an address.
func (s *Inspector) InstructionText(addr uint64) string {
	var code [x86.MaxLen]byte
	n, _ := s.Target.View.ReadMemory(addr, code[:]) // fewer at the end of a mapping
	return x86.Text(code[:n], addr, s.Symbolize)
}

// ShownInstruction is InstructionText with secrets in the code masked.
func (s *Inspector) ShownInstruction(addr uint64) string {
	var code [x86.MaxLen]byte
	n, _ := s.Target.View.ReadMemory(addr, code[:]) // fewer at the end of a mapping
	s.Target.MaskDisplayed(addr, code[:n])
	return x86.Text(code[:n], addr, s.Symbolize)
}

// Instruction decodes the instruction at an address; the zero Inst means that
// there is none.
func (s *Inspector) Instruction(addr uint64) x86.Inst {
	var code [x86.MaxLen]byte
	n, _ := s.Target.View.ReadMemory(addr, code[:]) // fewer at the end of a mapping
	in, err := x86.Decode(code[:n], addr)
	if err != nil {
		return x86.Inst{}
	}
	return in
}
