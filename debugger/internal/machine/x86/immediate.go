package x86

// immediates reads what stands behind the operands' ModRM byte.
func (d *decoder) immediates() {
	for _, o := range d.in.ops {
		place, size := o.place(), o.size()
		if place < placeFirstImm {
			continue
		}
		switch place {
		case placeO:
			d.offset()
		case placeJ:
			d.in.Imm = d.signed(d.branchBytes(size))
		case placeL:
			d.in.imm2 = d.next()
		default:
			d.immediate(place, int(d.in.bytes(size)))
		}
	}
}

// branchBytes returns the width of a displacement, which no prefix changes.
func (d *decoder) branchBytes(size uint8) int {
	if size == size1 {
		return 1
	}
	return 4
}

// immediate reads an immediate; a second one is always a byte.
func (d *decoder) immediate(place uint8, n int) {
	in := &d.in
	if in.bits&bitImm != 0 {
		in.imm2 = d.next()
		return
	}
	in.bits |= bitImm
	in.Imm = d.signed(n)
	if place == placeI && n < 8 {
		in.Imm &= 1<<(8*n) - 1
	}
}

// offset reads the address of a move between accumulator and memory.
func (d *decoder) offset() {
	in := &d.in
	in.Class |= Memory
	in.Mem.Size = in.bytes(d.in.ops[0].size())
	if in.ops[0].place() != placeO {
		in.Mem.Size = in.bytes(in.ops[1].size())
	}
	if in.bits&bitAddr32 != 0 {
		in.Mem.Disp = d.signed(4) & 0xffffffff
		return
	}
	in.Mem.Disp = d.signed(8)
}

// signed reads a little-endian number of n bytes and extends its sign.
func (d *decoder) signed(n int) int64 {
	if d.pos+n > len(d.code) {
		d.short = true
		return 0
	}
	b := d.code[d.pos : d.pos+n]
	d.pos += n
	switch n {
	case 1:
		return int64(int8(b[0]))
	case 2:
		return int64(int16(uint16(b[0]) | uint16(b[1])<<8))
	case 4:
		return int64(int32(little32(b)))
	}
	return int64(uint64(little32(b)) | uint64(little32(b[4:]))<<32)
}

func little32(b []byte) uint32 {
	_ = b[3]
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}
