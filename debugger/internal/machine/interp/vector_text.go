package interp

import (
	"math/bits"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// textOps holds the string comparisons of SSE4.2. Those with an e before the last
// letters take the lengths from eax and edx, those with an i end at a zero
// element. The result is an index in ecx, or a mask in xmm0.
var textOps = map[string]handler{
	"pcmpistri": compareTexts, "vpcmpistri": compareTexts, "pcmpestri": compareTexts, "vpcmpestri": compareTexts,
	"pcmpistrm": compareTexts, "vpcmpistrm": compareTexts, "pcmpestrm": compareTexts, "vpcmpestrm": compareTexts,
}

// A texts holds two strings that are being compared.
type texts struct {
	a, b       Vector
	words      bool // elements are words, not bytes
	signed     bool
	lenA, lenB int // numbers of valid elements
}

// compareTexts executes such a comparison (Intel's manual, volume 2, section
// 4.1).
func compareTexts(m *Machine, i *instruction) bool {
	name, imm := i.in.Stem(), uint8(i.in.Imm)
	if !m.textsAllowed(i) {
		return false
	}
	t := texts{words: imm&1 != 0, signed: imm&2 != 0}
	first, last := i.dst, i.src
	t.a = m.vectors.Reg[first.Reg&31]
	t.b = m.vectors.Reg[last.Reg&31]
	if last.Kind == x86.InMemory && !m.loadText(i, &t.b) {
		return false
	}
	if name[4] == 'e' {
		t.lenA, t.lenB = m.textLength(x86.RAX, i, t.count()), m.textLength(x86.RDX, i, t.count())
	} else {
		t.lenA, t.lenB = t.length(&t.a), t.length(&t.b)
	}
	r := t.negate(t.aggregate(imm>>2&3), imm>>4&3)
	m.setFlags(arithmetic, flagIf(r != 0, carry)|flagIf(t.lenB < t.count(), zero)|
		flagIf(t.lenA < t.count(), sign)|flagIf(r&1 != 0, overflow))
	if name[len(name)-1] == 'm' {
		m.textMask(i, &t, r, imm&0x40 != 0)
		return true
	}
	m.setReg(x86.RCX, t.index(r, imm&0x40 != 0))
	return true
}

// textsAllowed reports whether this processor supports the instruction.
func (m *Machine) textsAllowed(i *instruction) bool {
	needs := sse42
	if i.in.Encoding() != x86.Legacy {
		needs |= avx
	}
	return machineFeatures()&needs == needs && i.in.VectorSize() == 16 && m.loadVectors()
}

// loadText reads 16 bytes, which need not be aligned.
func (m *Machine) loadText(i *instruction, to *Vector) bool {
	addr := i.in.Addr(&m.Regs)
	low, ok1 := m.memory.load(addr, 8)
	high, ok2 := m.memory.load(addr+8, 8)
	*to = Vector{low, high}
	return ok1 && ok2
}

// count returns the number of elements of 16 bytes.
func (t *texts) count() int {
	if t.words {
		return 8
	}
	return 16
}

// element returns an element as a number.
func (t *texts) element(v *Vector, i int) int {
	switch {
	case t.words && t.signed:
		return int(at[int16](v, i))
	case t.words:
		return int(at[uint16](v, i))
	case t.signed:
		return int(at[int8](v, i))
	}
	return int(at[uint8](v, i))
}

// length returns the number of elements before the first zero element.
func (t *texts) length(v *Vector) int {
	for i := range t.count() {
		if t.element(v, i) == 0 {
			return i
		}
	}
	return t.count()
}

// textLength reads a length from a register: its absolute value, limited to n.
func (m *Machine) textLength(r x86.Reg, i *instruction, n int) int {
	v := int64(int32(m.GPR[r]))
	if i.in.Wide() {
		v = int64(m.GPR[r])
	}
	if v < 0 {
		v = -v
	}
	if v < 0 || v > int64(n) {
		return n
	}
	return int(v)
}

// aggregate compares in one of four ways: equal any, ranges, equal each, or equal
// ordered. Bit j of the result stands for element j of the second string.
func (t *texts) aggregate(how uint8) uint64 {
	r := uint64(0)
	for j := range t.count() {
		if [...]func(int) bool{t.equalAny, t.inRange, t.equalEach, t.equalOrdered}[how](j) {
			r |= 1 << j
		}
	}
	return r
}

func (t *texts) equalAny(j int) bool {
	for i := range t.lenA {
		if j < t.lenB && t.element(&t.a, i) == t.element(&t.b, j) {
			return true
		}
	}
	return false
}

func (t *texts) inRange(j int) bool {
	for i := 0; i+1 < t.lenA; i += 2 {
		v := t.element(&t.b, j)
		if j < t.lenB && v >= t.element(&t.a, i) && v <= t.element(&t.a, i+1) {
			return true
		}
	}
	return false
}

// equalEach treats two elements beyond the ends as equal, and one beyond the end
// as different.
func (t *texts) equalEach(j int) bool {
	if j >= t.lenA || j >= t.lenB {
		return j >= t.lenA && j >= t.lenB
	}
	return t.element(&t.a, j) == t.element(&t.b, j)
}

func (t *texts) equalOrdered(j int) bool {
	for i := 0; i < t.lenA && i+j < t.count(); i++ {
		if i+j >= t.lenB || t.element(&t.a, i) != t.element(&t.b, i+j) {
			return false
		}
	}
	return true
}

// negate inverts all bits, or only those of valid elements.
func (t *texts) negate(r uint64, how uint8) uint64 {
	switch how {
	case 1:
		return r ^ lowBits(t.count())
	case 3:
		return r ^ lowBits(t.lenB)
	}
	return r
}

// index returns the index of the lowest or the highest set bit.
func (t *texts) index(r uint64, highest bool) uint64 {
	switch {
	case r == 0:
		return uint64(t.count())
	case highest:
		return uint64(bits.Len64(r) - 1)
	}
	return uint64(bits.TrailingZeros64(r))
}

// textMask writes the bits to xmm0, or expands them to elements of ones.
func (m *Machine) textMask(i *instruction, t *texts, r uint64, expand bool) {
	v := Vector{r}
	if expand {
		bytes := spreadLanes(r, 16/t.count())
		v = Vector{spreadBits(uint8(bytes)), spreadBits(uint8(bytes >> 8))}
	}
	if i.in.Encoding() == x86.Legacy {
		old := m.vectors.Reg[0]
		old[0], old[1] = v[0], v[1]
		v = old
	}
	m.setVector(0, &v)
}
