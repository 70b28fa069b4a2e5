package interp

import "github.com/triptych-mcp/triptych/debugger/internal/machine/x86"

// controlHandlers holds the instructions on the vector state that have no vector
// operand.
var controlHandlers = map[string]handler{
	"vzeroupper": zeroVectors, "vzeroall": zeroVectors,
	"stmxcsr": storeMXCSR, "vstmxcsr": storeMXCSR, "ldmxcsr": loadMXCSR, "vldmxcsr": loadMXCSR,
	"fnstcw": storeControl, "fldcw": loadControl,
}

// zeroVectors executes vzeroall and vzeroupper, which clear the first sixteen
// registers or their upper parts.
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

// storeControl executes fnstcw. printf uses it to learn the rounding mode.
func storeControl(m *Machine, i *instruction) bool {
	return m.loadVectors() && m.store(i.in.Addr(&m.Regs), 2, uint64(m.vectors.Control))
}

// Bits of the x87 control word: masks of exceptions, and bits with a fixed value.
const (
	controlMasks = 0x3f
	controlFixed = 0xe0c0 // these bits are always as in 0x40
)

// loadControl executes fldcw. Control words that unmask exceptions are left to
// the processor, since an exception may be pending.
func loadControl(m *Machine, i *instruction) bool {
	v, ok := m.memory.load(i.in.Addr(&m.Regs), 2)
	if !ok || v&controlMasks != controlMasks || v&controlFixed != 0x40 || !m.loadVectors() {
		return false
	}
	m.vectors.Control = uint16(v)
	m.vectorChange.Control = true
	return true
}

// loadMXCSR executes ldmxcsr. Values with bits that not all processors support
// are left to the processor.
func loadMXCSR(m *Machine, i *instruction) bool {
	v, ok := m.memory.load(i.in.Addr(&m.Regs), 4)
	if !ok || v&^mxcsrSupported != 0 || !i.controlAllowed() || !m.loadVectors() {
		return false
	}
	m.setMXCSR(uint32(v))
	return true
}

// controlAllowed reports whether this processor supports the encoding.
func (i *instruction) controlAllowed() bool {
	return i.in.Encoding() == x86.Legacy || machineFeatures()&avx != 0 && i.in.VectorSize() == 16
}
