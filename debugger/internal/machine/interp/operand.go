package interp

import "github.com/triptych-mcp/triptych/debugger/internal/machine/x86"

// mask returns a mask of the lowest n bytes, 1 to 8.
func mask(n uint8) uint64 { return ^uint64(0) >> (64 - 8*uint(n)) }

// signBit returns the highest bit of a number of n bytes.
func signBit(n uint8) uint64 { return 1 << (8*uint(n) - 1) }

// extend sign-extends a number of n bytes.
func extend(value uint64, n uint8) uint64 {
	shift := 64 - 8*uint(n)
	return uint64(int64(value<<shift) >> shift)
}

// get reads an operand of a general instruction. It returns false if its memory
// cannot be read.
func (m *Machine) get(i *instruction, o *x86.Operand) (uint64, bool) {
	switch o.Kind {
	case x86.Register:
		return m.GPR[o.Reg&15] & mask(o.Size), true
	case x86.HighByte:
		return m.GPR[o.Reg&15] >> 8 & 0xff, true
	case x86.Immediate:
		return uint64(o.Value), true
	case x86.InMemory:
		return m.memory.load(i.in.Addr(&m.Regs), o.Size)
	}
	return 0, false
}

// set writes an operand. Writing the low 32 bits of a register clears the upper
// half; writing fewer bits preserves the others.
func (m *Machine) set(i *instruction, o *x86.Operand, value uint64) bool {
	switch o.Kind {
	case x86.Register:
		switch o.Size {
		case 8:
		case 4:
			value &= mask(4)
		default:
			value = m.GPR[o.Reg&15]&^mask(o.Size) | value&mask(o.Size)
		}
		m.setReg(o.Reg, value)
		return true
	case x86.HighByte:
		m.setReg(o.Reg, m.GPR[o.Reg&15]&^0xff00|value&0xff<<8)
		return true
	case x86.InMemory:
		return m.store(i.in.Addr(&m.Regs), o.Size, value&mask(o.Size))
	}
	return false
}

// pair reads destination and source. The source is truncated to the destination's
// width.
func (m *Machine) pair(i *instruction) (a, b uint64, ok bool) {
	a, ok1 := m.get(i, &i.dst)
	b, ok2 := m.get(i, &i.src)
	return a, b & mask(i.size), ok1 && ok2
}

// push decrements the stack pointer by n and writes n bytes there.
func (m *Machine) push(value uint64, n uint8) bool {
	rsp := m.GPR[x86.RSP] - uint64(n)
	if !m.store(rsp, n, value&mask(n)) {
		return false
	}
	m.setReg(x86.RSP, rsp)
	return true
}
