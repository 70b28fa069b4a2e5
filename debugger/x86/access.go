package x86

// An OperandKind says what an operand of the general instructions is.
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
	Elsewhere               // a register of another kind
)

// An Operand is an operand of an instruction.
type Operand struct {
	Kind  OperandKind
	Reg   Reg
	Size  uint8 // bytes
	Value int64
}

// Name returns the mnemonic.
func (in *Inst) Name() string {
	if in.row == nil {
		return ""
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
	switch place {
	case placeE, placeM:
		if in.Class&Memory != 0 {
			return Operand{Kind: InMemory, Size: uint8(in.Mem.Size)}
		}
		return in.register(in.rm, in.registerBytes(size))
	case placeO:
		return Operand{Kind: InMemory, Size: uint8(in.Mem.Size)}
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
	return Operand{Kind: Elsewhere}
}

// register returns a general register as an operand.
func (in *Inst) register(number uint8, n uint16) Operand {
	if n == 1 && in.bits&(bitREX|bitVEX) == 0 && number&12 == 4 {
		return Operand{Kind: HighByte, Reg: Reg(number & 3), Size: 1}
	}
	return Operand{Kind: Register, Reg: Reg(number & 15), Size: uint8(n)}
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
	}
	return Operand{Kind: Elsewhere}
}

// OperandSize returns the operand size in bytes: 2, 4 or 8.
func (in *Inst) OperandSize() int { return int(in.opsize) }

// Addr32 reports whether addresses are of 32 bits.
func (in *Inst) Addr32() bool { return in.bits&bitAddr32 != 0 }
