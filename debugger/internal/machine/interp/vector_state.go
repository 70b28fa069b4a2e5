package interp

// A VectorSource returns the vector registers. It returns false if they are not
// known; the processor then executes the instructions that need them.
type VectorSource func(*Vectors) bool

// UseVectors enables vector instructions. The machine calls source when it first
// needs the vector state.
func (m *Machine) UseVectors(source VectorSource) {
	m.vectorSource, m.vectorsKnown = source, false
}

// InvalidateVectors drops the vector state; the machine asks the source for it
// again.
func (m *Machine) InvalidateVectors() { m.vectorsKnown = false }

// Vectors returns the vector state. It is valid until the next step, and only if
// [Machine.ChangedVectors] was not empty since the state was last invalidated.
func (m *Machine) Vectors() *Vectors { return &m.vectors }

// A VectorChange is a set of registers of the vector state.
type VectorChange struct {
	Reg     uint32 // bit n is vector register n
	Mask    uint8  // bit n is mask register n
	MXCSR   bool
	Control bool
}

// ChangedVectors returns the registers of the vector state that the last step
// wrote.
func (m *Machine) ChangedVectors() VectorChange { return m.vectorChange }

// loadVectors loads the vector state if it is not known. It returns false if the
// source does not have it.
func (m *Machine) loadVectors() bool {
	if !m.vectorsKnown && m.vectorSource != nil {
		m.vectorsKnown = m.vectorSource(&m.vectors)
	}
	return m.vectorsKnown
}

// setVector writes all 512 bits of a vector register.
func (m *Machine) setVector(number uint8, v *Vector) {
	m.vectors.Reg[number&31] = *v
	m.vectorChange.Reg |= 1 << (number & 31)
}

// setMask writes a mask register.
func (m *Machine) setMask(number uint8, value uint64) {
	m.vectors.Mask[number&7] = value
	m.vectorChange.Mask |= 1 << (number & 7)
}

// setMXCSR writes MXCSR.
func (m *Machine) setMXCSR(value uint32) {
	if m.vectors.MXCSR != value {
		m.vectors.MXCSR = value
		m.vectorChange.MXCSR = true
	}
}
