package interp

import "math/bits"

// zeroHigh executes bzhi, which clears the bits from an index on.
func zeroHigh(m *Machine, i *instruction) bool {
	v, ok1 := m.get(i, &i.src)
	index, ok2 := m.get(i, &i.src2)
	width := 8 * uint64(i.size)
	index &= 0xff
	r := v
	if index < width {
		r &= 1<<index - 1
	}
	if !ok1 || !ok2 || !m.set(i, &i.dst, r) {
		return false
	}
	m.setFlags(carry|overflow|sign|zero, flagIf(index >= width, carry)|resultFlags(r, i.size)&^parity)
	return true
}

// extractBits executes bextr. The second source holds the start and the length.
func extractBits(m *Machine, i *instruction) bool {
	v, ok1 := m.get(i, &i.src)
	control, ok2 := m.get(i, &i.src2)
	r := v >> (control & 0xff) & lowBits(int(control>>8&0xff))
	if !ok1 || !ok2 || !m.set(i, &i.dst, r) {
		return false
	}
	m.setFlags(carry|overflow|zero, flagIf(r == 0, zero))
	return true
}

// deposit executes pdep, which moves the lowest bits of the first source to the
// positions of the set bits in the second.
func deposit(m *Machine, i *instruction) bool {
	v, ok1 := m.get(i, &i.src)
	where, ok2 := m.get(i, &i.src2)
	r := uint64(0)
	for ; where != 0; where &= where - 1 {
		r |= v & 1 << bits.TrailingZeros64(where)
		v >>= 1
	}
	return ok1 && ok2 && m.set(i, &i.dst, r)
}

// gather executes pext, the inverse of pdep.
func gather(m *Machine, i *instruction) bool {
	v, ok1 := m.get(i, &i.src)
	where, ok2 := m.get(i, &i.src2)
	r := uint64(0)
	for n := 0; where != 0; where &= where - 1 {
		r |= v >> bits.TrailingZeros64(where) & 1 << n
		n++
	}
	return ok1 && ok2 && m.set(i, &i.dst, r)
}

// addCarry executes adcx, and addOverflow adox: additions that read and change
// only one flag.
func addCarry(m *Machine, i *instruction) bool    { return m.addWith(i, carry) }
func addOverflow(m *Machine, i *instruction) bool { return m.addWith(i, overflow) }

func (m *Machine) addWith(i *instruction, flag uint64) bool {
	a, b, ok := m.pair(i)
	in := flagIf(m.Flags&flag != 0, 1)
	r := (a + b + in) & mask(i.size)
	out := r < a || in != 0 && r == a
	if !ok || !m.set(i, &i.dst, r) {
		return false
	}
	m.setFlags(flag, flagIf(out, flag))
	return true
}

// checksum executes crc32, bit by bit with the reversed Castagnoli polynomial.
func checksum(m *Machine, i *instruction) bool {
	const polynomial = 0x82f63b78
	crc, ok1 := m.get(i, &i.dst)
	v, ok2 := m.get(i, &i.src)
	r := uint64(uint32(crc)) ^ v
	for range 8 * int(i.src.Size) {
		r = r>>1 ^ polynomial&-(r&1)
	}
	if i.src.Size < 4 {
		r = uint64(uint32(r))
	}
	return ok1 && ok2 && m.set(i, &i.dst, uint64(uint32(r)))
}
