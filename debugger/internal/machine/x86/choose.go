package x86

func (r *row) empty() bool { return r.name == "" && r.attr&selects == 0 }

// choose follows groups to the row of one instruction.
func (d *decoder) choose(r *row) (*row, bool) {
	vex := d.in.bits&bitVEX != 0
	ops := r.ops
	for {
		if r.empty() || vex && r.attr&(anyPrefix|noVEX) != 0 {
			return nil, false
		}
		if r.attr&selects == 0 {
			break
		}
		r = &group(r.attr & groupMask)[d.selector(r.attr)]
		if r.ops[0] != 0 {
			ops = r.ops
		}
	}
	if d.in.bits&bitEVEX != 0 && r.attr&evex == 0 {
		return nil, false
	}
	d.in.ops = ops
	return r, !vex || d.vexAllowed(r.attr)
}

func group(n attr) *[8]row {
	switch {
	case n < gGeneral:
		return &groups[n]
	case n < gX87:
		return &simdGroups[n-gGeneral]
	}
	return &x87Groups[n-gX87]
}

// selector returns which row of its group an instruction is.
func (d *decoder) selector(a attr) uint8 {
	switch {
	case a&byW != 0:
		return uint8(d.in.pick(0, 1))
	case a&byL != 0:
		return min(d.in.vector/32, 1)
	case a&byREXB != 0:
		return d.exchangeOrPause()
	case a&byPP != 0:
		return uint8(d.mandatory())
	}
	if d.in.bits&bitModRM == 0 {
		d.readModRM()
	}
	modrm := d.in.modrm
	switch {
	case a&byReg != 0:
		return modrm >> 3 & 7
	case a&byRM != 0:
		return modrm & 7
	}
	return modrm >> 6 / 3
}

// exchangeOrPause chooses among nop or pause, and an exchange with r8.
func (d *decoder) exchangeOrPause() uint8 {
	const pause, exchange, unknown = 0, 1, 2
	switch {
	case d.in.bits&bitB == 0:
		return pause
	case d.mandatory() != pF3:
		return exchange
	case !d.processor.Known:
		return unknown
	case d.processor.Pauses:
		return pause
	}
	return exchange
}

// Places by which VEX is judged.
const (
	vvvvPlaces    = 1<<placeH | 1<<placeB | 1<<placeKH | 1<<placeTH
	generalPlaces = 1<<placeNone | 1<<placeE | 1<<placeG | 1<<placeB | 1<<placeM | 1<<placeI
)

// vexAllowed reports whether the fields of VEX and EVEX that the operands do not
// use are as they must be: vvvv says no register, and the vector length of
// instructions on general registers is 128.
func (d *decoder) vexAllowed(a attr) bool {
	places, in := d.places(), &d.in
	unused := in.vvvv
	if a&vsib != 0 {
		unused &= 15 // the fifth bit is that of the index
	}
	if places&vvvvPlaces == 0 && unused != 0 {
		return false
	}
	general := places&^generalPlaces == 0 && in.ops[0] != 0
	return !general || in.bits&bitEVEX != 0 || in.vector == 16
}
