package interp

import "math/bits"

// shiftCount returns the operand and the count, modulo 32 or, for quadwords, 64.
func (m *Machine) shiftCount(i *instruction) (value uint64, count uint, ok bool) {
	a, ok1 := m.get(i, &i.dst)
	b, ok2 := m.get(i, &i.src)
	limit := uint64(31)
	if i.size == 8 {
		limit = 63
	}
	return a, uint(b & limit), ok1 && ok2
}

// shifted writes the result of a shift. A count of zero changes no flag but still
// clears the upper half of a 64-bit register.
func (m *Machine) shifted(i *instruction, r uint64, count uint, out, over bool) bool {
	if count == 0 {
		return m.set(i, &i.dst, r)
	}
	if !m.set(i, &i.dst, r) {
		return false
	}
	m.setFlags(arithmetic&^adjust, resultFlags(r, i.size)|flagIf(out, carry)|flagIf(over, overflow))
	return true
}

// undefinedCount reports whether the count exceeds the operand's width, in which
// case the carry flag is undefined.
func undefinedCount(i *instruction, count uint) bool { return count > 8*uint(i.size) }

func shl(m *Machine, i *instruction) bool {
	a, count, ok := m.shiftCount(i)
	if !ok || undefinedCount(i, count) {
		return false
	}
	r := a << count
	out := count > 0 && a>>(8*uint(i.size)-count)&1 != 0
	return m.shifted(i, r, count, out, r&signBit(i.size) != 0 != out)
}

func shr(m *Machine, i *instruction) bool {
	a, count, ok := m.shiftCount(i)
	if !ok || undefinedCount(i, count) {
		return false
	}
	out := count > 0 && a>>(count-1)&1 != 0
	return m.shifted(i, a>>count, count, out, shrOverflow(a, count, i.size))
}

// shrOverflow returns the overflow flag: the old sign if the count is one, and
// undefined otherwise.
func shrOverflow(a uint64, count uint, n uint8) bool { return count == 1 && a&signBit(n) != 0 }

func sar(m *Machine, i *instruction) bool {
	a, count, ok := m.shiftCount(i)
	if !ok {
		return false
	}
	v := int64(extend(a, i.size))
	out := count > 0 && v>>(count-1)&1 != 0
	return m.shifted(i, uint64(v>>count), count, out, false)
}

// rotated writes the result of a rotation, which changes carry and overflow only.
func (m *Machine) rotated(i *instruction, r uint64, count uint, out, over bool) bool {
	if !m.set(i, &i.dst, r) {
		return false
	}
	if count != 0 {
		m.setFlags(carry|overflow, flagIf(out, carry)|flagIf(over, overflow))
	}
	return true
}

// rotate rotates a number of n bytes left by count bits.
func rotate(a uint64, count int, n uint8) uint64 {
	switch n {
	case 1:
		return uint64(bits.RotateLeft8(uint8(a), count))
	case 2:
		return uint64(bits.RotateLeft16(uint16(a), count))
	case 4:
		return uint64(bits.RotateLeft32(uint32(a), count))
	}
	return bits.RotateLeft64(a, count)
}

func rol(m *Machine, i *instruction) bool {
	a, count, ok := m.shiftCount(i)
	r := rotate(a, int(count), i.size)
	out := r&1 != 0
	return ok && m.rotated(i, r, count, out, r&signBit(i.size) != 0 != out)
}

func ror(m *Machine, i *instruction) bool {
	a, count, ok := m.shiftCount(i)
	r := rotate(a, -int(count), i.size)
	high, next := r&signBit(i.size) != 0, r&(signBit(i.size)>>1) != 0
	return ok && m.rotated(i, r, count, high, high != next)
}

// shiftThree reads the sources of the BMI2 shifts, which change no flags.
func (m *Machine) shiftThree(i *instruction) (value uint64, count uint, ok bool) {
	a, ok1 := m.get(i, &i.src)
	b, ok2 := m.get(i, &i.src2)
	return a, uint(b) & (8*uint(i.size) - 1), ok1 && ok2
}

func shlx(m *Machine, i *instruction) bool {
	a, count, ok := m.shiftThree(i)
	return ok && m.set(i, &i.dst, a<<count)
}

func shrx(m *Machine, i *instruction) bool {
	a, count, ok := m.shiftThree(i)
	return ok && m.set(i, &i.dst, a>>count)
}

func sarx(m *Machine, i *instruction) bool {
	a, count, ok := m.shiftThree(i)
	return ok && m.set(i, &i.dst, uint64(int64(extend(a, i.size))>>count))
}

func rorx(m *Machine, i *instruction) bool {
	a, count, ok := m.shiftThree(i)
	return ok && m.set(i, &i.dst, rotate(a, -int(count), i.size))
}

// shiftDouble reads the operands of shld and shrd: the destination, the register
// that supplies the bits, and the count, modulo 32 or, for quadwords, 64.
func (m *Machine) shiftDouble(i *instruction) (a, b uint64, count uint, ok bool) {
	a, ok1 := m.get(i, &i.dst)
	b, ok2 := m.get(i, &i.src)
	c, ok3 := m.get(i, &i.src2)
	limit := uint64(31)
	if i.size == 8 {
		limit = 63
	}
	count = uint(c & limit)
	return a, b, count, ok1 && ok2 && ok3 && !undefinedCount(i, count)
}

func shiftDoubleLeft(m *Machine, i *instruction) bool {
	a, b, count, ok := m.shiftDouble(i)
	if !ok {
		return false
	}
	width := 8 * uint(i.size)
	r := (a<<count | b>>(width-count)) & mask(i.size)
	out := count > 0 && a>>(width-count)&1 != 0
	return m.shifted(i, r, count, out, (a^r)&signBit(i.size) != 0)
}

func shiftDoubleRight(m *Machine, i *instruction) bool {
	a, b, count, ok := m.shiftDouble(i)
	if !ok {
		return false
	}
	width := 8 * uint(i.size)
	r := (a>>count | b<<(width-count)) & mask(i.size)
	out := count > 0 && a>>(count-1)&1 != 0
	return m.shifted(i, r, count, out, (a^r)&signBit(i.size) != 0)
}
