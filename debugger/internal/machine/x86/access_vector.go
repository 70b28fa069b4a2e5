package x86

import "strings"

// An Encoding says in which way an instruction is encoded, and with that, what
// becomes of the bytes of a vector register behind those that it writes:
// Legacy leaves them, the others clear them.
type Encoding uint8

// Encodings.
const (
	Legacy Encoding = iota
	VEX
	EVEX
)

// Encoding returns how the instruction is encoded.
func (in *Inst) Encoding() Encoding {
	switch {
	case in.bits&bitEVEX != 0:
		return EVEX
	case in.bits&bitVEX != 0:
		return VEX
	}
	return Legacy
}

// Stem returns the mnemonic without the v of VEX and EVEX and without the
// predicate of a comparison: "addsd" for vaddsd, "cmppd" for vcmpltpd.
func (in *Inst) Stem() string {
	if in.row == nil {
		return ""
	}
	plain := *in
	plain.Imm = 1 << 8 // no predicate has that number
	name := plain.Name()
	if in.bits&bitVEX != 0 {
		name = strings.TrimPrefix(name, "v")
	}
	return name
}

// VectorSize returns the vector length in bytes: 16, 32 or 64.
func (in *Inst) VectorSize() int { return int(in.vector) }

// Wide reports whether W is set in REX, VEX or EVEX.
func (in *Inst) Wide() bool { return in.wide() }

// Opcode returns the last byte of the opcode, which tells instructions of one
// name apart.
func (in *Inst) Opcode() uint8 { return in.opcode }

// Shared reports whether the name is also that of a legacy instruction.
func (in *Inst) Shared() bool { return in.bits&bitVEX == 0 || in.bits&bitAddV != 0 }

// WriteMask returns the number of the mask register that says which elements of
// the result are written, 0 if all are. The others are cleared if zeroing, and
// left as they are if not.
func (in *Inst) WriteMask() (register uint8, zeroing bool) {
	return in.mask, in.bits&bitZero != 0
}

// Broadcast reports whether the memory operand is one element that is repeated.
func (in *Inst) Broadcast() bool {
	return in.bits&(bitEVEX|bitBcst) == bitEVEX|bitBcst && in.Class&Memory != 0
}

// Rounding reports whether an instruction without memory says itself how to
// round, or that no exceptions are to be told.
func (in *Inst) Rounding() bool {
	return in.bits&(bitEVEX|bitBcst) == bitEVEX|bitBcst && in.Class&Memory == 0
}

// ReadOnly reports whether operand 0 is read and not written.
func (in *Inst) ReadOnly() bool { return in.row != nil && in.row.attr&readOnly != 0 }
