package interp

// A VectorSource returns the vector registers. It returns false if that
// is not known; instructions that need them are the processor's then.
type VectorSource func(*Vectors) bool

// UseVectors makes the machine execute instructions on vectors, whose state it
// takes from source when it first needs it.
func (m *Machine) UseVectors(source VectorSource) {
	m.vectorSource, m.vectorsKnown = source, false
}

// InvalidateVectors drops the vector state. It comes from the source again.
func (m *Machine) InvalidateVectors() { m.vectorsKnown = false }

// Vectors returns the vector state, which the next step may change. It means
// nothing while [Machine.ChangedVectors] has been empty since the state was
// forgotten.
func (m *Machine) Vectors() *Vectors { return &m.vectors }

// A VectorChange is a set of registers of the vector state.
type VectorChange struct {
	Reg     uint32 // bit n is vector register n
	Mask    uint8  // bit n is mask register n
	MXCSR   bool
	Control bool
}

// ChangedVectors returns what the last step has written of the vector state.
func (m *Machine) ChangedVectors() VectorChange { return m.vectorChange }

// loadVectors makes sure that the vector state is known.
func (m *Machine) loadVectors() bool {
	if !m.vectorsKnown && m.vectorSource != nil {
		m.vectorsKnown = m.vectorSource(&m.vectors)
	}
	return m.vectorsKnown
}

// setVector writes a vector register as a whole.
func (m *Machine) setVector(number uint8, v *Vector) {
	m.vectors.Reg[number&31] = *v
	m.vectorChange.Reg |= 1 << (number & 31)
}

// setMask writes a mask register.
func (m *Machine) setMask(number uint8, value uint64) {
	m.vectors.Mask[number&7] = value
	m.vectorChange.Mask |= 1 << (number & 7)
}

// setMXCSR writes the control and status register of floating point.
func (m *Machine) setMXCSR(value uint32) {
	if m.vectors.MXCSR != value {
		m.vectors.MXCSR = value
		m.vectorChange.MXCSR = true
	}
}
