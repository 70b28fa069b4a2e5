package xsave

import "encoding/binary"

// A Part is a piece of a register that the XSAVE instruction writes to one
// place.
type Part uint8

// The parts. Those of zmm16 to zmm31 are in one place.
const (
	Stack    Part = iota // st(n), 10 bytes
	XMM                  // xmm(n)
	YMMHigh              // the rest of ymm(n)
	ZMMHigh              // the rest of zmm(n)
	MaskPart             // k(n)
	MXCSR                // 4 bytes
)

// Bytes returns a part of register n in what XSAVE has written, nil if the
// processor or the state does not have it. The result aliases the state.
func (l Layout) Bytes(state []byte, part Part, n int) []byte {
	if len(state) < minSize {
		return nil
	}
	l = l.fit(len(state))
	offset, size := 0, 16
	switch part {
	case Stack:
		offset, size = offsetStack+16*n, 10
	case XMM:
		offset = l.vectorOffset(n, 0)
	case YMMHigh:
		offset = l.vectorOffset(n, 2)
	case ZMMHigh:
		offset, size = l.vectorOffset(n, 4), 32
	case MaskPart:
		offset, size = l.maskOffset(n), 8
	case MXCSR:
		offset, size = offsetMXCSR, 4
	}
	if offset == 0 {
		return nil
	}
	return state[offset : offset+size]
}

// components has the component of each part, of registers below 16.
var components = [...]int{
	Stack: componentX87, XMM: componentSSE, YMMHigh: componentYMM, ZMMHigh: componentZMM, MaskPart: componentMask, MXCSR: componentSSE,
}

// Mark says in the header that a part of register n is not in its initial
// state, without which XRSTOR would not read it.
func Mark(state []byte, part Part, n int) {
	component := components[part]
	if n >= 16 {
		component = componentHigh
	}
	header := binary.LittleEndian.Uint64(state[offsetHeader:])
	binary.LittleEndian.PutUint64(state[offsetHeader:], header|1<<component)
}
