package translate

import (
	"encoding/binary"
	"slices"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// isRelative reports whether an instruction has an operand [rip+disp].
func isRelative(in *x86.Inst) bool {
	return in.Class.Is(x86.Memory) && in.Mem.Base == x86.RIP
}

// copyRelative adds an instruction with an operand [rip+disp].
func (t *translation) copyRelative(in *x86.Inst, code []byte) {
	s := shapeOf(code)
	operand := in.Next() + uint64(in.Mem.Disp)
	distance := int64(operand - t.hot.address() - uint64(len(code)))
	if int64(int32(distance)) == distance {
		t.mark(0)
		t.hot.raw(code...)
		binary.LittleEndian.PutUint32(t.hot.code[len(t.hot.code)-len(code)+s.modRM+1:], uint32(distance))
		return
	}
	base := freeRegister(&s)
	t.hot.save(base)
	t.hot.loadImmediate(base, operand)
	t.mark(1 << base)
	t.hot.raw(withBase(&s, base)...)
	t.hot.restore(base)
}

// freeRegister returns a register that the instruction does not use. Those that have
// a memory operand and use rsi or rdi name them in their encoding, and the only
// ones that use rbx without naming it, cmpxchg8b and cmpxchg16b, name no other.
func freeRegister(s *shape) x86.Reg {
	reg, vvvv := s.registers()
	for _, r := range []x86.Reg{x86.RSI, x86.RDI} {
		if byte(r) != reg && byte(r) != vvvv {
			return r
		}
	}
	return x86.RBX
}

// withBase returns the instruction with the operand [base], one of the first eight
// registers, instead of [rip+disp].
func withBase(s *shape, base x86.Reg) []byte {
	b := slices.Concat(s.code[:s.modRM+1], s.code[s.modRM+5:])
	b[s.modRM] = s.code[s.modRM]&0x38 | byte(base)
	switch {
	case s.rex != 0:
		b[s.start] &^= 0x03 // B and X
	case s.escape == 0xc4, s.escape == 0x62:
		b[s.start+1] |= 0x60 // the same, inverted
	}
	return b
}
