package interp

import (
	"math/bits"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// memoryClass marks instructions with a memory operand.
const memoryClass = x86.Memory

// bitOperand returns the operand and the number of the bit that the instruction
// refers to. It returns false for a memory operand with a bit offset in a
// register, which may lie outside the operand.
func (m *Machine) bitOperand(i *instruction) (value, bit uint64, ok bool) {
	if i.in.Class&memoryClass != 0 && i.src.Kind != x86.Immediate {
		return 0, 0, false
	}
	a, b, ok := m.pair(i)
	return a, 1 << (b & (8*uint64(i.size) - 1)), ok
}

// bitResult writes a changed operand. Only the carry flag is defined, and only it
// changes.
func (m *Machine) bitResult(i *instruction, r uint64, was bool) bool {
	if !m.set(i, &i.dst, r) {
		return false
	}
	m.setFlags(carry, flagIf(was, carry))
	return true
}

func bitTest(m *Machine, i *instruction) bool {
	a, bit, ok := m.bitOperand(i)
	if ok {
		m.setFlags(carry, flagIf(a&bit != 0, carry))
	}
	return ok
}

func bitSet(m *Machine, i *instruction) bool {
	a, bit, ok := m.bitOperand(i)
	return ok && m.bitResult(i, a|bit, a&bit != 0)
}

func bitReset(m *Machine, i *instruction) bool {
	a, bit, ok := m.bitOperand(i)
	return ok && m.bitResult(i, a&^bit, a&bit != 0)
}

func bitComplement(m *Machine, i *instruction) bool {
	a, bit, ok := m.bitOperand(i)
	return ok && m.bitResult(i, a^bit, a&bit != 0)
}

// bitScan executes bsf and bsr. The result for zero is undefined, so the
// processor executes that.
func bitScan(m *Machine, i *instruction) bool {
	v, ok := m.get(i, &i.src)
	if !ok || v == 0 {
		return false
	}
	r := uint64(bits.TrailingZeros64(v))
	if i.in.Name() == "bsr" {
		r = uint64(63 - bits.LeadingZeros64(v))
	}
	if !m.set(i, &i.dst, r) {
		return false
	}
	m.setFlags(zero, 0)
	return true
}

// countZeros executes tzcnt and lzcnt, which define the carry and zero flags.
func countZeros(m *Machine, i *instruction) bool {
	v, ok := m.get(i, &i.src)
	width := 8 * int(i.size)
	r := min(bits.TrailingZeros64(v), width)
	if i.in.Name() == "lzcnt" {
		r = bits.LeadingZeros64(v) - (64 - width)
	}
	if !ok || !m.set(i, &i.dst, uint64(r)) {
		return false
	}
	m.setFlags(carry|zero, flagIf(v == 0, carry)|flagIf(r == 0, zero))
	return true
}

func popCount(m *Machine, i *instruction) bool {
	v, ok := m.get(i, &i.src)
	return ok && m.update(i, uint64(bits.OnesCount64(v)), flagIf(v == 0, zero))
}

// andNot executes andn.
func andNot(m *Machine, i *instruction) bool {
	a, ok1 := m.get(i, &i.src)
	b, ok2 := m.get(i, &i.src2)
	r := ^a & b
	if !ok1 || !ok2 || !m.set(i, &i.dst, r) {
		return false
	}
	m.setFlags(carry|overflow|sign|zero, resultFlags(r, i.size)&^parity)
	return true
}

// lowest executes blsr, blsi and blsmsk, which clear or isolate the lowest set
// bit or turn it into a mask.
func lowest(m *Machine, i *instruction) bool {
	v, ok := m.get(i, &i.src)
	var r, flags uint64
	switch i.in.Name() {
	case "blsr":
		r, flags = v&(v-1), flagIf(v == 0, carry)
	case "blsi":
		r, flags = v&-v, flagIf(v != 0, carry)
	default:
		r, flags = v^(v-1), flagIf(v == 0, carry)
	}
	if !ok || !m.set(i, &i.dst, r) {
		return false
	}
	m.setFlags(carry|overflow|sign|zero, flags|resultFlags(r, i.size)&^parity)
	return true
}

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
