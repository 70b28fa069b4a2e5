package interp

import "github.com/triptych-mcp/triptych/debugger/internal/x86"

// controlHandlers are instructions on the vector state without an operand that
// is a vector.
var controlHandlers = map[string]handler{
	"vzeroupper": zeroVectors, "vzeroall": zeroVectors,
	"stmxcsr": storeMXCSR, "vstmxcsr": storeMXCSR, "ldmxcsr": loadMXCSR, "vldmxcsr": loadMXCSR,
	"fnstcw": storeControl, "fldcw": loadControl,
}

// zeroVectors clears the first sixteen registers, or their upper parts.
func zeroVectors(m *Machine, i *instruction) bool {
	if machineFeatures()&avx == 0 || !m.loadVectors() {
		return false
	}
	from := 2
	if i.in.VectorSize() > 16 {
		from = 0
	}
	for n := range uint8(16) {
		v := m.vectors.Reg[n]
		clear(v[from:])
		m.setVector(n, &v)
	}
	return true
}

func storeMXCSR(m *Machine, i *instruction) bool {
	return i.controlAllowed() && m.loadVectors() && m.store(i.in.Addr(&m.Regs), 4, uint64(m.vectors.MXCSR))
}

// storeControl stores how x87 computes, which printf asks to know how to round.
func storeControl(m *Machine, i *instruction) bool {
	return m.loadVectors() && m.store(i.in.Addr(&m.Regs), 2, uint64(m.vectors.Control))
}

// Bits of the control word of x87: exceptions that are masked, and those that
// have a meaning.
const (
	controlMasks = 0x3f
	controlFixed = 0xe0c0 // as they are in 0x40
)

// loadControl leaves words that let exceptions through to the processor, since
// one may be waiting.
func loadControl(m *Machine, i *instruction) bool {
	v, ok := m.memory.load(i.in.Addr(&m.Regs), 2)
	if !ok || v&controlMasks != controlMasks || v&controlFixed != 0x40 || !m.loadVectors() {
		return false
	}
	m.vectors.Control = uint16(v)
	m.vectorChange.Control = true
	return true
}

// loadMXCSR leaves bits that processors may not have to the processor.
func loadMXCSR(m *Machine, i *instruction) bool {
	v, ok := m.memory.load(i.in.Addr(&m.Regs), 4)
	if !ok || v&^mxcsrSupported != 0 || !i.controlAllowed() || !m.loadVectors() {
		return false
	}
	m.setMXCSR(uint32(v))
	return true
}

// controlAllowed reports whether this processor has the encoding.
func (i *instruction) controlAllowed() bool {
	return i.in.Encoding() == x86.Legacy || machineFeatures()&avx != 0 && i.in.VectorSize() == 16
}
