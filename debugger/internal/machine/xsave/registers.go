package xsave

import "encoding/binary"

// Registers are the x87, vector and mask registers of a thread, for showing them.
type Registers struct {
	X87   X87
	MXCSR uint32

	// Vectors holds zmm0 to zmm31, their low bytes first. Count is the number
	// of registers, 16 or 32, and Width the number of bytes in each: 16 (xmm),
	// 32 (ymm) or 64 (zmm). The rest is zero.
	Vectors      [32][64]byte
	Count, Width int

	// Masks are k0 to k7. HasMasks reports whether there are any.
	Masks    [8]uint64
	HasMasks bool
}

// X87 is the state of the x87 unit (Intel SDM volume 1, 8.1). Its fields have the
// widths that FXSAVE gives them.
type X87 struct {
	Control, Status uint16
	Opcode          uint16
	Instruction     uint64      // address of the last instruction
	Operand         uint64      // address of its operand
	Stack           [8]Extended // st(0) to st(7)
	present         byte        // of the registers r0 to r7, not of the stack
}

// Places in the region of FXSAVE (Intel SDM volume 1, table 10-2).
const (
	offsetStatus      = 2
	offsetPresent     = 4
	offsetOpcode      = 6
	offsetInstruction = 8
	offsetOperand     = 16
	offsetStack       = 32
)

// Registers reads all registers from what XSAVE has written. It reports false if
// that is too short to be it.
func (l Layout) Registers(state []byte) (Registers, bool) {
	if len(state) < minSize {
		return Registers{}, false
	}
	l = l.fit(len(state))
	r := Registers{X87: readX87(state), MXCSR: binary.LittleEndian.Uint32(state[offsetMXCSR:]), Count: 16, Width: 16}
	if l.ymm != 0 {
		r.Width = 32
	}
	if l.zmm != 0 && l.high != 0 {
		r.Count, r.Width = 32, 64
	}
	for n := range r.Count {
		for quad := range r.Width / 8 {
			binary.LittleEndian.PutUint64(r.Vectors[n][8*quad:], l.read(state, l.vectorOffset(n, quad)))
		}
	}
	for n := range r.Masks {
		r.Masks[n] = l.read(state, l.maskOffset(n))
	}
	r.HasMasks = l.mask != 0
	return r, true
}

func readX87(state []byte) X87 {
	x := X87{
		Control:     binary.LittleEndian.Uint16(state),
		Status:      binary.LittleEndian.Uint16(state[offsetStatus:]),
		Opcode:      binary.LittleEndian.Uint16(state[offsetOpcode:]),
		Instruction: binary.LittleEndian.Uint64(state[offsetInstruction:]),
		Operand:     binary.LittleEndian.Uint64(state[offsetOperand:]),
		present:     state[offsetPresent],
	}
	for i := range x.Stack {
		copy(x.Stack[i][:], state[offsetStack+16*i:])
	}
	return x
}

// Top is the number of the register that is st(0).
func (x *X87) Top() int { return int(x.Status >> 11 & 7) }

// Empty reports whether st(i) holds nothing.
func (x *X87) Empty(i int) bool { return x.present>>((x.Top()+i)&7)&1 == 0 }

// Tags returns the tag word, two bits for each of the registers r0 to r7: 0 for a
// number, 1 for zero, 2 for infinities, denormals and what is no number, and 3 for
// an empty register (Intel SDM volume 1, 8.1.7).
func (x *X87) Tags() uint16 {
	var tags uint16
	for i, st := range x.Stack {
		tag := st.tag()
		if x.Empty(i) {
			tag = 3
		}
		tags |= tag << (2 * ((x.Top() + i) & 7))
	}
	return tags
}
