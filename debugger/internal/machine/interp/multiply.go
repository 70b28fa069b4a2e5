package interp

import (
	"math/bits"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// product sets carry and overflow after a multiplication if the upper half of the
// product is significant.
func (m *Machine) product(counts bool) {
	m.setFlags(carry|overflow, flagIf(counts, carry|overflow))
}

// imul executes imul with one, two or three operands.
func imul(m *Machine, i *instruction) bool {
	switch {
	case i.src.Kind == x86.NoOperand:
		return imulWide(m, i)
	case i.src2.Kind == x86.NoOperand:
		a, b, ok := m.pair(i)
		return ok && m.imulNarrow(i, a, b)
	}
	a, ok1 := m.get(i, &i.src)
	b, ok2 := m.get(i, &i.src2)
	return ok1 && ok2 && m.imulNarrow(i, a, b)
}

func (m *Machine) imulNarrow(i *instruction, a, b uint64) bool {
	high, low := signedProduct(extend(a, i.size), extend(b, i.size))
	counts := extend(low, i.size) != low || uint64(int64(low)>>63) != high
	if !m.set(i, &i.dst, low) {
		return false
	}
	m.product(counts)
	return true
}

// signedProduct returns the 128-bit product of two signed numbers.
func signedProduct(a, b uint64) (high, low uint64) {
	high, low = bits.Mul64(a, b)
	if int64(a) < 0 {
		high -= b
	}
	if int64(b) < 0 {
		high -= a
	}
	return high, low
}

// imulWide multiplies the accumulator; the product goes to rdx:rax, or to ax for
// bytes.
func imulWide(m *Machine, i *instruction) bool {
	v, ok := m.get(i, &i.dst)
	if !ok {
		return false
	}
	high, low := signedProduct(extend(m.GPR[x86.RAX], i.size), extend(v, i.size))
	counts := extend(low, i.size) != low || uint64(int64(low)>>63) != high
	m.wide(i, high, low)
	m.product(counts)
	return true
}

func mul(m *Machine, i *instruction) bool {
	v, ok := m.get(i, &i.dst)
	if !ok {
		return false
	}
	high, low := bits.Mul64(m.GPR[x86.RAX]&mask(i.size), v)
	m.wide(i, high, low)
	counts := high != 0 || low&^mask(i.size) != 0
	m.product(counts)
	return true
}

// wide writes a product of twice the operand size to rdx:rax, or to ax for bytes.
func (m *Machine) wide(i *instruction, high, low uint64) {
	if i.size == 1 {
		ax := accumulator(2)
		m.set(i, &ax, low)
		return
	}
	if i.size < 8 {
		high = low >> (8 * uint(i.size))
	}
	acc := accumulator(i.size)
	data := x86.Operand{Kind: x86.Register, Reg: x86.RDX, Size: i.size}
	m.set(i, &acc, low)
	m.set(i, &data, high)
}

// mulx multiplies by rdx and changes no flags; the upper half is written last.
func mulx(m *Machine, i *instruction) bool {
	v, ok := m.get(i, &i.src2)
	if !ok {
		return false
	}
	high, low := bits.Mul64(m.GPR[x86.RDX]&mask(i.size), v)
	if i.size < 8 {
		high = low >> 32
	}
	return m.set(i, &i.src, low) && m.set(i, &i.dst, high)
}

// div is unsigned division. It leaves all flags undefined.
func div(m *Machine, i *instruction) bool {
	v, ok := m.get(i, &i.dst)
	if !ok || v == 0 || i.size == 1 {
		return false
	}
	high, low := m.GPR[x86.RDX]&mask(i.size), m.GPR[x86.RAX]&mask(i.size)
	if high >= v {
		return false // the quotient does not fit
	}
	if i.size < 8 {
		high, low = 0, high<<(8*uint(i.size))|low
	}
	quotient, remainder := bits.Div64(high, low, v)
	m.divided(i, quotient, remainder)
	return true
}

// idiv is signed division. Dividends that do not fit a quadword are rare and left
// to the processor.
func idiv(m *Machine, i *instruction) bool {
	v, ok := m.get(i, &i.dst)
	if !ok || v == 0 || i.size == 1 {
		return false
	}
	dividend, fits := m.dividend(i.size)
	divisor := int64(extend(v, i.size))
	if !fits || divisor == -1 {
		return false
	}
	quotient := dividend / divisor
	if int64(extend(uint64(quotient), i.size)) != quotient {
		return false
	}
	m.divided(i, uint64(quotient), uint64(dividend%divisor))
	return true
}

// dividend returns rdx:rax as a signed number and reports whether it fits 64
// bits.
func (m *Machine) dividend(n uint8) (value int64, fits bool) {
	high, low := m.GPR[x86.RDX], m.GPR[x86.RAX]
	if n == 8 {
		return int64(low), uint64(int64(low)>>63) == high
	}
	return int64(extend(high&mask(n)<<(8*uint(n))|low&mask(n), 2*n)), true
}

func (m *Machine) divided(i *instruction, quotient, remainder uint64) {
	acc := accumulator(i.size)
	data := x86.Operand{Kind: x86.Register, Reg: x86.RDX, Size: i.size}
	m.set(i, &acc, quotient)
	m.set(i, &data, remainder)
}
