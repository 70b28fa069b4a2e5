package interp

import (
	"math/bits"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// Short names of the flags.
const (
	carry      = x86.CarryFlag
	parity     = x86.ParityFlag
	adjust     = x86.AdjustFlag
	zero       = x86.ZeroFlag
	sign       = x86.SignFlag
	direction  = x86.DirectionFlag
	overflow   = x86.OverflowFlag
	arithmetic = x86.ArithmeticFlags
)

// flagIf returns flag if the condition holds, and 0 otherwise.
func flagIf(condition bool, flag uint64) uint64 {
	if condition {
		return flag
	}
	return 0
}

// setFlags replaces the flags in which by those in value.
func (m *Machine) setFlags(which, value uint64) {
	m.Flags = m.Flags&^which | value
}

// resultFlags returns the flags that depend only on a result of n bytes: parity,
// zero and sign.
func resultFlags(r uint64, n uint8) uint64 {
	r &= mask(n)
	return flagIf(r == 0, zero) | flagIf(r&signBit(n) != 0, sign) |
		flagIf(bits.OnesCount8(uint8(r))&1 == 0, parity)
}

// addFlags returns the flags of r = a + b + carry in n bytes.
func addFlags(a, b, r uint64, n uint8) uint64 {
	carries := a&b | (a|b)&^r
	return resultFlags(r, n) | flagIf(carries&signBit(n) != 0, carry) |
		(a^b^r)&adjust | flagIf((a^r)&(b^r)&signBit(n) != 0, overflow)
}

// subFlags returns the flags of r = a - b - carry in n bytes.
func subFlags(a, b, r uint64, n uint8) uint64 {
	borrows := ^a&b | (^a|b)&r
	return resultFlags(r, n) | flagIf(borrows&signBit(n) != 0, carry) |
		(a^b^r)&adjust | flagIf((a^b)&(a^r)&signBit(n) != 0, overflow)
}

// condition evaluates the condition in the low four bits of an opcode: o, b, e,
// be, s, p, l, le and their negations.
func (m *Machine) condition(cc uint8) bool {
	f, holds := m.Flags, false
	less := f&sign != 0 != (f&overflow != 0)
	switch cc >> 1 {
	case 0:
		holds = f&overflow != 0
	case 1:
		holds = f&carry != 0
	case 2:
		holds = f&zero != 0
	case 3:
		holds = f&(carry|zero) != 0
	case 4:
		holds = f&sign != 0
	case 5:
		holds = f&parity != 0
	case 6:
		holds = less
	case 7:
		holds = less || f&zero != 0
	}
	return holds != (cc&1 == 1)
}

// inAH holds the flags that lahf and sahf copy.
const inAH = carry | parity | adjust | zero | sign

func loadFlags(m *Machine, _ *instruction) bool {
	m.setReg(x86.RAX, m.GPR[x86.RAX]&^0xff00|(m.Flags&inAH|2)<<8)
	return true
}

func storeFlags(m *Machine, _ *instruction) bool {
	m.setFlags(inAH, m.GPR[x86.RAX]>>8&inAH)
	return true
}
