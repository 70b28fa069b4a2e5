package interp

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
