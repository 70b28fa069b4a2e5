package x86

import "strconv"

// memory appends the memory operand.
func (t *text) memory(o operand) {
	in := &t.in
	if k := t.keyword(o); k != "" {
		t.add(k)
		t.add(" ptr ")
	}
	m := &in.Mem
	if m.Seg != NoReg {
		t.add(segmentName(m.Seg))
		t.add(":")
	}
	t.add("[")
	t.terms()
	t.add("]")
	if in.bits&(bitEVEX|bitBcst) == bitEVEX|bitBcst {
		t.broadcast(o)
	}
}

// terms appends what an address is the sum of.
func (t *text) terms() {
	in, m := &t.in, &t.in.Mem
	names := &names64
	if in.bits&bitAddr32 != 0 {
		names = &names32
	}
	first := true
	switch {
	case m.Base == RIP && in.bits&bitAddr32 != 0:
		t.add("eip")
		first = false
	case m.Base == RIP:
		t.add("rip")
		first = false
	case m.Base != NoReg:
		t.add(names[m.Base&15])
		first = false
	}
	if m.Index != NoReg {
		t.index(names, first)
		first = false
	}
	t.disp(first)
}

func (t *text) index(names *[16]string, first bool) {
	in, m := &t.in, &t.in.Mem
	if !first {
		t.add("+")
	}
	if in.Class&Vector != 0 {
		t.vectorRegister(uint8(m.Index), t.in.indexBytes())
	} else {
		t.add(names[m.Index&15])
	}
	if m.Scale > 1 || first {
		t.dst = append(t.dst, '*', '0'+m.Scale)
	}
}

// disp appends the displacement; it is the whole address if first.
func (t *text) disp(first bool) {
	d := t.in.Mem.Disp
	switch {
	case first && t.in.bits&bitAddr32 != 0:
		t.dst = appendNumber(t.dst, uint64(uint32(d)))
	case first:
		t.dst = appendNumber(t.dst, uint64(d))
	case d < 0:
		t.add("-")
		t.dst = appendNumber(t.dst, -uint64(d))
	case d > 0:
		t.add("+")
		t.dst = appendNumber(t.dst, uint64(d))
	}
}

// broadcast appends how often one element fills the operand.
func (t *text) broadcast(o operand) {
	in := &t.in
	t.add("{1to")
	t.dst = strconv.AppendUint(t.dst, uint64(in.bytes(o.size())/max(in.Mem.Size, 1)), 10)
	t.add("}")
}

// keyword returns the word for the width of the memory, or "" if a register
// has the same width or the instruction has but one.
func (t *text) keyword(o operand) string {
	in := &t.in
	n := in.Mem.Size
	if int(n) >= len(keywords) || in.row.attr&(vsib|opaque) != 0 {
		return ""
	}
	for _, other := range in.ops {
		if other != o && in.operandBytes(other) == n {
			return ""
		}
	}
	return keywords[n]
}

// operandBytes returns the width of a register operand, and 0 for others.
func (in *Inst) operandBytes(o operand) uint16 {
	switch place, size := o.place(), o.size(); place {
	case placeG, placeZ, placeB:
		return in.registerBytes(size)
	case placeV, placeH, placeL:
		if place == placeH && in.bits&bitVEX == 0 {
			return 0
		}
		return max(in.bytes(size), 16)
	case placeP:
		return 8
	case placeFixed:
		return in.fixedWidth(size)
	}
	return 0
}

// fixedWidth returns the width of the accumulator; other fixed registers say
// nothing about the width of memory.
func (in *Inst) fixedWidth(which uint8) uint16 {
	switch which {
	case fixedAL:
		return 1
	case fixedRAX:
		return uint16(in.opsize)
	}
	return 0
}

func segmentName(r Reg) string {
	if r == GS {
		return "gs"
	}
	return "fs"
}
