package x86

// An operand says where an operand of an instruction is found and how wide it
// is: the place in the high byte, the size in the low byte. The short names
// below follow the opcode maps of the processor manuals (E is register or
// memory of the ModRM byte, G its register, and so on).
type operand uint16

type operands [4]operand

const (
	placeShift = 8
	sizeMask   = 1<<placeShift - 1
)

func (o operand) place() uint8 { return uint8(o >> placeShift) }
func (o operand) size() uint8  { return uint8(o & sizeMask) }

// Places. Those up to placeLastModRM need a ModRM byte.
const (
	placeNone uint8 = iota
	placeE          // general register or memory, ModRM.rm
	placeG          // general register, ModRM.reg
	placeM          // memory, ModRM.rm
	placeV          // vector register, ModRM.reg
	placeW          // vector register or memory, ModRM.rm
	placeP          // MMX register, ModRM.reg
	placeQ          // MMX register or memory, ModRM.rm
	placeK          // mask register, ModRM.reg
	placeKM         // mask register or memory, ModRM.rm
	placeS          // segment register, ModRM.reg
	placeC          // control register, ModRM.reg
	placeD          // debug register, ModRM.reg
	placeF          // x87 register, ModRM.rm
	placeT          // tile, ModRM.reg
	placeTM         // tile, ModRM.rm
	placeBnd        // bound register, ModRM.reg
	placeBndM       // bound register or memory, ModRM.rm
	placeA          // memory whose address is in the general register ModRM.reg
	placeLastModRM
	placeZ        // general register in the low bits of the opcode
	placeH        // vector register, vvvv; absent without VEX
	placeB        // general register, vvvv
	placeKH       // mask register, vvvv
	placeTH       // tile, vvvv
	placeFixed    // one of the fixed registers below; the size field is its index
	placeSegFixed // segment register; the size field is its number
	placeX        // string source, [rsi]
	placeY        // string destination, [rdi]
	placeFirstImm
	placeI // immediate, zero-extended when shown
	placeN // immediate, sign-extended
	placeJ // relative branch target
	placeO // memory at an absolute offset in the instruction
	placeL // vector register in the upper half of an 8-bit immediate
)

// Sizes. The first are fixed, the others depend on prefixes.
const (
	size0     uint8 = iota // none, or not a number of bytes
	size1                  // byte
	size2                  // word
	size4                  // doubleword
	size8                  // quadword
	size16                 // xmm
	size32                 // ymm
	size64                 // zmm
	size10                 // x87 extended, or a descriptor table register
	size28                 // x87 environment
	size108                // x87 state
	size512                // fxsave area
	sizeXS                 // xsave area: as large as [Regs].XSave says
	sizeVar                // first of those that depend on prefixes
	sizeV                  // 2, 4, 8: operand size
	sizeZ                  // 2, 4, 4: operand size, but not above 4
	sizeU                  // 4, 8: operand size, but not below 4
	sizeYY                 // 8, 16: twice 4 or 8
	sizeP                  // 4, 6, 10: far pointer
	sizeX                  // vector length
	sizeH                  // half of the vector length
	sizeF                  // a quarter
	sizeE                  // an eighth
	sizeDup                // 8 for xmm, else the vector length
	sizeRB                 // byte in memory, doubleword in a register
	sizeRW                 // word in memory, doubleword in a register
	sizeSeg                // word in memory, operand size in a register
	sizeCtrl               // 8: control and debug registers
	sizeBySD               // 4 or 8, by W
	sizeElem               // one element of a gather: 4 or 8 by W
	sizeElems              // the elements of a gather: as many as there are indexes
)

// fixedBytes has the number of bytes of the sizes that never vary.
var fixedBytes = [sizeVar]uint16{
	size1: 1, size2: 2, size4: 4, size8: 8, size16: 16, size32: 32, size64: 64,
	size10: 10, size28: 28, size108: 108, size512: 512,
}

func (in *Inst) wide() bool { return in.bits&bitW != 0 }

// bytes returns the width of an operand in memory.
func (in *Inst) bytes(size uint8) uint16 {
	if size < sizeVar {
		return fixedBytes[size]
	}
	op, vl := uint16(in.opsize), uint16(in.vector)
	switch size {
	case sizeV:
		return op
	case sizeZ:
		return min(op, 4)
	case sizeU, sizeBySD, sizeElem:
		return in.pick(4, 8)
	case sizeYY:
		return in.pick(8, 16)
	case sizeP:
		return op + 2
	case sizeX:
		return vl
	case sizeH:
		return vl / 2
	case sizeF:
		return vl / 4
	case sizeE:
		return vl / 8
	case sizeDup:
		if vl == 16 {
			return 8
		}
		return vl
	case sizeRB:
		return 1
	case sizeRW, sizeSeg:
		return 2
	case sizeElems:
		return in.elements()
	}
	return 8
}

// registerBytes returns the width of an operand in a general register.
func (in *Inst) registerBytes(size uint8) uint16 {
	switch size {
	case sizeRB, sizeRW:
		return 4
	case sizeSeg:
		return uint16(in.opsize)
	}
	return in.bytes(size)
}

// elements returns the width of what a gather loads: with quadword indexes,
// which the odd opcodes have, doublewords fill half of the vector.
func (in *Inst) elements() uint16 {
	if in.opcode&1 != 0 {
		return in.pick(uint16(in.vector)/2, uint16(in.vector))
	}
	return uint16(in.vector)
}

// indexBytes returns the width of the vector of indexes of a gather.
func (in *Inst) indexBytes() uint16 {
	if in.opcode&1 != 0 {
		return uint16(in.vector)
	}
	return in.pick(uint16(in.vector), uint16(in.vector)/2)
}

func (in *Inst) pick(narrow, wide uint16) uint16 {
	if in.wide() {
		return wide
	}
	return narrow
}
