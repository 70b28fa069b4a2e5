package x86

// An OperandKind is the kind of an operand.
type OperandKind uint8

// Kinds of operands.
const (
	NoOperand   OperandKind = iota
	Register                // a general register; Size bytes of it, from the lowest
	HighByte                // ah, ch, dh or bh: the second byte of Reg
	InMemory                // Inst.Mem
	Immediate               // Value
	Destination             // [rdi], of string operations
	Source                  // [rsi], likewise
	VectorReg               // the lowest Size bytes of the vector register with the number Reg, 0 to 31
	MaskReg                 // the mask register with the number Reg, 0 to 7
	Elsewhere               // a register of another kind
)

// An Operand is an operand of an instruction.
type Operand struct {
	Kind  OperandKind
	Reg   Reg   // or the number of a vector or mask register
	Size  uint8 // bytes
	Value int64
}

// Name returns the mnemonic.
func (in *Inst) Name() string {
	if in.row == nil {
		return ""
	}
	if in.row.attr&(bySize|nameW|suffixDQ|suffixSD|predInt|predFP) == 0 && in.bits&bitAddV == 0 {
		return in.row.name // without an allocation
	}
	return string(in.appendName(nil))
}

// Locked reports whether the instruction has a lock prefix.
func (in *Inst) Locked() bool { return in.bits&bitLock != 0 }

// Operand returns the n-th operand, from 0, in the order of the text.
func (in *Inst) Operand(n int) Operand {
	if in.row == nil || n < 0 || n >= len(in.ops) || in.ops[n] == 0 {
		return Operand{}
	}
	o := in.ops[n]
	place, size := o.place(), o.size()
	if in.Class&Memory != 0 && writesPlace(place) {
		return Operand{Kind: InMemory, Size: uint8(min(in.Mem.Size, 255))}
	}
	switch place {
	case placeE, placeM:
		return in.register(in.rm, in.registerBytes(size))
	case placeG:
		return in.register(in.reg, in.registerBytes(size))
	case placeZ:
		return in.register(in.opcode&7|bit(in.bits&bitB)<<3, in.bytes(size))
	case placeB:
		return in.register(in.vvvv, in.bytes(size))
	case placeX:
		return Operand{Kind: Source, Size: uint8(in.bytes(size))}
	case placeY:
		return Operand{Kind: Destination, Size: uint8(in.bytes(size))}
	case placeI, placeN:
		return Operand{Kind: Immediate, Size: uint8(in.bytes(size)), Value: in.Imm}
	case placeJ:
		return Operand{Kind: Immediate, Size: 8, Value: int64(in.Next()) + in.Imm}
	case placeFixed:
		return in.fixedOperand(size)
	}
	return in.stateOperand(place, size)
}

// stateOperand returns a vector or mask register. The vector in vvvv is absent
// where the encoding has none.
func (in *Inst) stateOperand(place, size uint8) Operand {
	n := uint8(in.bytes(size))
	switch place {
	case placeV:
		return Operand{Kind: VectorReg, Reg: Reg(in.reg), Size: n}
	case placeW:
		return Operand{Kind: VectorReg, Reg: Reg(in.rm), Size: n}
	case placeH:
		if in.bits&bitVEX == 0 {
			return Operand{}
		}
		return Operand{Kind: VectorReg, Reg: Reg(in.vvvv), Size: n}
	case placeL:
		return Operand{Kind: VectorReg, Reg: Reg(in.imm2 >> 4), Size: n}
	case placeK:
		return maskOperand(in.reg, n)
	case placeKM:
		return maskOperand(in.rm, n)
	case placeKH:
		return maskOperand(in.vvvv, n)
	}
	return Operand{Kind: Elsewhere}
}

// maskOperand returns a mask register, of which there are eight.
func maskOperand(number, n uint8) Operand {
	if number > 7 {
		return Operand{Kind: Elsewhere}
	}
	return Operand{Kind: MaskReg, Reg: Reg(number), Size: n}
}

// register returns a general register as an operand.
func (in *Inst) register(number uint8, n uint16) Operand {
	if n == 1 && in.bits&(bitREX|bitVEX) == 0 && number&12 == 4 {
		return Operand{Kind: HighByte, Reg: Reg(number & 3), Size: 1}
	}
	if number > 15 {
		return Operand{Kind: Elsewhere} // EVEX can name registers that are not there
	}
	return Operand{Kind: Register, Reg: Reg(number), Size: uint8(n)}
}

func (in *Inst) fixedOperand(which uint8) Operand {
	switch which {
	case fixedAL:
		return Operand{Kind: Register, Reg: RAX, Size: 1}
	case fixedCL:
		return Operand{Kind: Register, Reg: RCX, Size: 1}
	case fixedRAX:
		return Operand{Kind: Register, Reg: RAX, Size: in.opsize}
	case fixedOne:
		return Operand{Kind: Immediate, Size: 1, Value: 1}
	case fixedXMM0:
		return Operand{Kind: VectorReg, Size: 16}
	}
	return Operand{Kind: Elsewhere}
}

// OperandSize returns the operand size in bytes: 2, 4 or 8.
func (in *Inst) OperandSize() int { return int(in.opsize) }

// Addr32 reports whether addresses are of 32 bits.
func (in *Inst) Addr32() bool { return in.bits&bitAddr32 != 0 }

// RepeatWhileEqual reports whether the repeat prefix of a comparison of strings
// goes on as long as the values are equal, and not as long as they differ.
func (in *Inst) RepeatWhileEqual() bool { return in.bits&bitF2 == 0 }
