package xsave

import (
	"encoding/binary"
	"math/bits"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/interp"
)

// Store makes state what v is as far as changed says, and calls changing before
// it changes a quadword, with the quadword's offset and its old and new value.
// The state must be one that Load has taken.
//
// The header is kept in order: a component that is not as at the start is marked
// so. If more than one register has changed, components that are as at the start
// lose their mark.
func (l Layout) Store(state []byte, v *interp.Vectors, changed interp.VectorChange, changing func(offset int, from, to uint64)) {
	l = l.fit(len(state))
	s := storing{l, state, changing, binary.LittleEndian.Uint64(state[offsetHeader:])}
	for set := changed.Reg; set != 0; set &= set - 1 {
		n := bits.TrailingZeros32(set)
		s.vector(n, &v.Reg[n])
	}
	for set := changed.Mask; set != 0; set &= set - 1 {
		n := bits.TrailingZeros8(set)
		s.quad(l.maskOffset(n), v.Mask[n], componentMask)
	}
	if changed.MXCSR {
		s.control(v.MXCSR)
	}
	if changed.Control {
		s.x87(v.Control)
	}
	if v.MXCSR != initialMXCSR {
		s.header |= 1 << componentSSE
	}
	if bits.OnesCount32(changed.Reg) > 1 {
		s.clearMarks(v)
	}
	s.put(offsetHeader, s.header)
}

// What the registers for control are at the start.
const (
	initialMXCSR   = 0x1f80
	initialControl = 0x37f
)

// A storing is one call of Store.
type storing struct {
	Layout
	state    []byte
	changing func(offset int, from, to uint64)
	header   uint64
}

// put replaces a quadword if it differs.
func (s *storing) put(offset int, value uint64) {
	old := binary.LittleEndian.Uint64(s.state[offset:])
	if old == value {
		return
	}
	s.changing(offset, old, value)
	binary.LittleEndian.PutUint64(s.state[offset:], value)
}

// quad replaces a quadword of a component.
func (s *storing) quad(offset int, value uint64, component int) {
	if offset == 0 {
		return
	}
	if value != 0 {
		s.header |= 1 << component
	}
	s.put(offset, value)
}

func (s *storing) vector(n int, v *interp.Vector) {
	for quad, value := range v {
		s.quad(s.vectorOffset(n, quad), value, componentOf(n, quad))
	}
}

// componentOf is the component that a quadword of a vector register is in.
func componentOf(n, quad int) int {
	switch {
	case n >= 16:
		return componentHigh
	case quad < 2:
		return componentSSE
	case quad < 4:
		return componentYMM
	}
	return componentZMM
}

// control replaces MXCSR, which shares its quadword with a mask of its bits.
func (s *storing) control(mxcsr uint32) {
	at := binary.LittleEndian.Uint64(s.state[offsetMXCSR:])
	s.put(offsetMXCSR, at&^(1<<32-1)|uint64(mxcsr))
}

// x87 replaces the control word, which shares its quadword with others.
func (s *storing) x87(control uint16) {
	if control != initialControl {
		s.header |= 1 << componentX87
	}
	at := binary.LittleEndian.Uint64(s.state)
	s.put(0, at&^(1<<16-1)|uint64(control))
}

// clearMarks clears the bits in XSTATE_BV of components that are zero.
func (s *storing) clearMarks(v *interp.Vectors) {
	var ymm, zmm, high uint64
	for n := range 16 {
		r, h := &v.Reg[n], &v.Reg[n+16]
		ymm |= r[2] | r[3]
		zmm |= r[4] | r[5] | r[6] | r[7]
		for _, quad := range h {
			high |= quad
		}
	}
	for _, c := range [...]struct {
		component int
		content   uint64
	}{{componentYMM, ymm}, {componentZMM, zmm}, {componentHigh, high}} {
		if c.content == 0 {
			s.header &^= 1 << c.component
		}
	}
}
