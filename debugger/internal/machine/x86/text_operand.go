package x86

import (
	"math/bits"
	"strconv"
)

// A text is one instruction while it is being formatted.
type text struct {
	in        Inst // a copy, so that the caller's stays on the stack
	dst       []byte
	symbolize Symbolizer
	seen      bool // an immediate has been spelled
}

// operands appends the operands behind the name.
func (t *text) operands() {
	in := &t.in
	separator := " "
	first := true
	for n, o := range in.ops {
		if o == 0 || t.hidden(n, o) {
			continue
		}
		t.dst = append(t.dst, separator...)
		t.operand(o)
		if first && in.bits&bitEVEX != 0 {
			t.masks()
		}
		t.rounding(n)
		separator, first = ", ", false
	}
}

// hidden reports whether operand n is not shown: vvvv where there is none, and
// predicates that the name tells.
func (t *text) hidden(n int, o operand) bool {
	in := &t.in
	if o.place() == placeH && in.bits&bitVEX == 0 {
		return true
	}
	last := n == len(in.ops)-1 || in.ops[n+1] == 0
	return last && in.row.attr&(predFP|predInt) != 0 && in.predicate() != ""
}

// masks appends the mask register of EVEX.
func (t *text) masks() {
	if t.in.mask != 0 {
		t.dst = append(t.dst, "{k"...)
		t.dst = append(t.dst, '0'+t.in.mask, '}')
	}
	if t.in.bits&bitZero != 0 {
		t.dst = append(t.dst, "{z}"...)
	}
}

// rounding appends what EVEX.b says about a form without memory. It belongs to
// the last register, n being the operand that was just spelled.
func (t *text) rounding(n int) {
	in := &t.in
	if in.bits&(bitEVEX|bitBcst) != bitEVEX|bitBcst || in.Class&Memory != 0 {
		return
	}
	if n+1 < len(in.ops) && in.ops[n+1] != 0 && in.ops[n+1].place() < placeFirstImm || in.ops[n].place() > placeFirstImm {
		return
	}
	switch {
	case in.row.attr&rounds != 0:
		t.add(roundings[bits.TrailingZeros8(in.imm2)-4])
	case in.row.attr&sae != 0:
		t.add("{sae}")
	}
}

// operand appends one operand.
func (t *text) operand(o operand) {
	in, place, size := &t.in, o.place(), o.size()
	if memoryForms>>place&1 != 0 && in.Class&Memory != 0 || place == placeO {
		t.memory(o)
		return
	}
	switch place {
	case placeE:
		t.add(in.generalName(in.rm, in.registerBytes(size)))
	case placeG:
		t.add(in.generalName(in.reg, in.registerBytes(size)))
	case placeA:
		t.add(in.generalName(in.reg, 8))
	case placeZ:
		t.add(in.generalName(in.opcode&7|bit(in.bits&bitB)<<3, in.bytes(size)))
	case placeB:
		t.add(in.generalName(in.vvvv, in.bytes(size)))
	case placeFixed:
		t.fixed(size)
	case placeSegFixed:
		t.add(segmentNames[size&7])
	case placeS:
		t.add(segmentNames[in.reg&7])
	case placeI, placeN:
		t.immediate(place, size)
	case placeJ:
		t.address(in.Next() + uint64(in.Imm))
	default:
		t.vector(place, size)
	}
}

// vector appends registers that have a number in their name.
func (t *text) vector(place, size uint8) {
	in := &t.in
	switch place {
	case placeV:
		t.vectorRegister(in.reg, in.bytes(size))
	case placeW:
		t.vectorRegister(in.rm, in.bytes(size))
	case placeH:
		t.vectorRegister(in.vvvv, in.bytes(size))
	case placeL:
		t.vectorRegister(in.imm2>>4, in.bytes(size))
	case placeP:
		t.numbered("mm", in.reg&7)
	case placeQ:
		t.numbered("mm", in.rm&7)
	case placeK:
		t.numbered("k", in.reg&7)
	case placeKM:
		t.numbered("k", in.rm&7)
	case placeKH:
		t.numbered("k", in.vvvv&7)
	case placeC:
		t.numbered("cr", in.reg)
	case placeD:
		t.numbered("dr", in.reg)
	case placeT:
		t.numbered("tmm", in.reg&7)
	case placeTM:
		t.numbered("tmm", in.rm&7)
	case placeTH:
		t.numbered("tmm", in.vvvv&7)
	case placeBnd:
		t.numbered("bnd", in.reg&3)
	case placeBndM:
		t.numbered("bnd", in.rm&3)
	case placeF:
		t.numbered("st(", in.rm&7)
		t.add(")")
	}
}

func (t *text) add(s string) { t.dst = append(t.dst, s...) }

func (t *text) numbered(kind string, number uint8) {
	t.add(kind)
	t.dst = strconv.AppendUint(t.dst, uint64(number), 10)
}

// vectorRegister appends a register of that many bytes, at least xmm.
func (t *text) vectorRegister(number uint8, bytes uint16) {
	switch {
	case bytes >= 64:
		t.numbered("zmm", number)
	case bytes >= 32:
		t.numbered("ymm", number)
	default:
		t.numbered("xmm", number)
	}
}

func (t *text) fixed(which uint8) {
	switch which {
	case fixedRAX:
		t.add(t.in.generalName(0, uint16(t.in.opsize)))
	case fixedEAX:
		t.add(t.in.generalName(0, min(uint16(t.in.opsize), 4)))
	default:
		t.add(fixedNames[which])
	}
}

// immediate appends an immediate. Of two, the second is spelled when the first
// is there already.
func (t *text) immediate(place, size uint8) {
	in := &t.in
	value := in.Imm
	if t.seen {
		value = int64(in.imm2)
	}
	t.seen = true
	if place == placeN && value < 0 && (size == size1 || in.opsize == 8) {
		t.add("-")
		t.dst = appendNumber(t.dst, -uint64(value))
		return
	}
	t.dst = appendNumber(t.dst, uint64(value)&widthMask(in.bytes(size)))
}

// widthMask has the bits of a number of n bytes.
func widthMask(n uint16) uint64 {
	if n >= 8 {
		return 1<<64 - 1
	}
	return 1<<(8*n) - 1
}

func bit(b bitset) uint8 {
	if b != 0 {
		return 1
	}
	return 0
}
