package x86

// vexForbids are the prefixes that VEX and EVEX cannot follow.
const vexForbids = bitREX | bitOpSize | bitF2 | bitF3 | bitLock

// vex2 reads the two-byte form, C5.
func (d *decoder) vex2() (*row, bool) {
	b := d.next()
	d.vexPayload(b)
	d.in.bits |= bitset(^b>>7&1) * bitR
	return d.vexOpcode(1, b&3)
}

// vex3 reads the three-byte form, C4.
func (d *decoder) vex3() (*row, bool) {
	b := d.next()
	c := d.next()
	d.inverted(b)
	d.in.bits |= bitset(c>>7&1) * bitW
	d.vexPayload(c)
	return d.vexOpcode(b&0x1f, c&3)
}

// inverted takes R, X and B, which VEX stores inverted.
func (d *decoder) inverted(b uint8) {
	b = ^b
	d.in.bits |= bitset(b>>7&1)*bitR | bitset(b>>6&1)*bitX | bitset(b>>5&1)*bitB
}

func (d *decoder) vexPayload(b uint8) {
	d.in.vvvv = ^b >> 3 & 15
	d.in.vector = 16 << (b >> 2 & 1)
}

// vexOpcode reads the opcode in a map with mandatory prefix pp, which is
// encoded 0 none, 1 66, 2 F3, 3 F2, as slots are.
func (d *decoder) vexOpcode(m, pp uint8) (*row, bool) {
	forbidden := d.in.bits&vexForbids != 0
	d.in.bits |= bitVEX
	op := d.next()
	d.in.opcode = op
	own, shared := vexMaps(m)
	if own == nil || forbidden {
		return nil, false
	}
	if r := &own.at(op)[pp]; !r.empty() {
		return d.known(m, r)
	}
	d.in.bits |= bitAddV
	return d.known(m, &shared.at(op)[pp])
}

// vexMaps returns the rows of a map that only VEX has, and those that it shares
// with the legacy encoding.
func vexMaps(m uint8) (own, shared *opcodes) {
	switch m {
	case 1:
		return &vex0F, &map0F
	case 2:
		return &vex0F38, &map0F38
	case 3:
		return &vex0F3A, &map0F3A
	}
	return nil, nil
}

// evex reads the four-byte form, 62.
func (d *decoder) evex() (*row, bool) {
	p0, p1, p2 := d.next(), d.next(), d.next()
	op := d.next()
	forbidden := d.in.bits&vexForbids != 0
	d.inverted(p0)
	d.in.bits |= bitVEX | bitEVEX |
		bitset(^p0>>4&1)*bitR2 | bitset(p1>>7)*bitW |
		bitset(p2>>7)*bitZero | bitset(p2>>4&1)*bitBcst | bitset(^p2>>3&1)*bitV2
	d.in.mask = p2 & 7
	d.in.opcode = op
	d.in.vvvv = ^p1>>3&15 | d.bit(bitV2)<<4
	d.in.vector = 16 << (p2 >> 5 & 3) // 128 stands for the reserved length
	if forbidden || p0&8 != 0 || p1&4 == 0 {
		return nil, false
	}
	return d.evexRow(p0&7, op, p1&3)
}

// evexRow looks where rows of EVEX may be: in its own map, in that of VEX, in
// the one shared with the legacy encoding.
func (d *decoder) evexRow(m, op, pp uint8) (*row, bool) {
	own := evexMap(m)
	if own == nil {
		return nil, false
	}
	if r := &own.at(op)[pp]; !r.empty() {
		return d.known(m, r)
	}
	vex, shared := vexMaps(m)
	if vex == nil {
		return d.known(m, &own.at(op)[pp])
	}
	if r := &vex.at(op)[pp]; !r.empty() {
		return d.known(m, r)
	}
	d.in.bits |= bitAddV
	return d.known(m, &shared.at(op)[pp])
}

func evexMap(m uint8) *opcodes {
	switch m {
	case 1:
		return &evex0F
	case 2:
		return &evex0F38
	case 3:
		return &evex0F3A
	case 5:
		return &evexMap5
	case 6:
		return &evexMap6
	}
	return nil
}

// known is choose for VEX and EVEX, whose length follows from the map even
// where the opcode is unknown: there is a ModRM byte, and in map 3 an
// immediate byte.
func (d *decoder) known(m uint8, r *row) (*row, bool) {
	if found, ok := d.choose(r); ok {
		return found, true
	}
	d.unknown(m == 3)
	return nil, false
}

// xop passes over the form 8F of AMD. Of these only the length is known.
func (d *decoder) xop() {
	m := d.next() & 0x1f
	d.next()
	d.next()
	if m > 10 {
		return
	}
	d.unknown(m == 8)
	if m == 10 {
		d.pos += 4
		d.ended()
	}
}

// unknown passes over the operands of an unknown instruction.
func (d *decoder) unknown(immediate bool) {
	if d.in.bits&bitModRM == 0 {
		d.readModRM()
	}
	d.modRM(0)
	if immediate {
		d.next()
	}
	d.ended()
}

// ended takes the position for the length.
func (d *decoder) ended() {
	if d.pos > len(d.code) {
		d.short = true
	}
	d.in.Len = uint8(d.pos)
}

// evexContext interprets EVEX.b: with memory, one element is repeated;
// without, L'L is a rounding mode or nothing, and the vector is as long as can
// be. It reports whether the row allows it.
func (d *decoder) evexContext(a attr) bool {
	switch {
	case d.in.bits&bitBcst == 0:
	case d.peekModRM() < 0xc0:
		return a&(bcast2|bcast4|bcast8|bcastW) != 0 && d.in.vector <= 64
	case a&(rounds|sae) == 0:
		return false
	default:
		d.in.imm2 = d.in.vector
		d.in.vector = 64
	}
	return d.in.vector <= 64
}

func (d *decoder) peekModRM() uint8 {
	if d.in.bits&bitModRM != 0 {
		return d.in.modrm
	}
	return d.peek()
}
