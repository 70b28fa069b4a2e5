package x86

// size sets the operand size.
func (d *decoder) size(a attr) {
	in := &d.in
	if in.vector == 0 {
		in.vector = 16
	}
	switch {
	case in.bits&bitW != 0 || a&f64 != 0:
		in.opsize = 8
	case in.bits&bitVEX != 0:
		in.opsize = 4
	case in.bits&bitOpSize != 0:
		in.opsize = 2
	case a&def64 != 0:
		in.opsize = 8
	default:
		in.opsize = 4
	}
}

// needsModRM reports whether an operand stands in the ModRM byte.
func needsModRM(ops *operands) bool {
	for _, o := range ops {
		if p := o.place(); p != placeNone && p < placeLastModRM {
			return true
		}
	}
	return false
}

func (d *decoder) readModRM() {
	d.in.modrm = d.next()
	d.in.bits |= bitModRM
}

// Places that only memory, or only a register, may take.
const (
	memoryPlaces   = 1 << placeM
	registerPlaces = 1<<placeF | 1<<placeTM
)

// modRM splits the ModRM byte and reads what follows it. It reports whether
// the operands allow what it says.
func (d *decoder) modRM(a attr) bool {
	in := &d.in
	in.reg = in.modrm>>3&7 | d.bit(bitR)<<3 | d.bit(bitR2)<<4
	in.rm = in.modrm & 7
	if in.modrm >= 0xc0 || d.always(placeC) || d.always(placeD) {
		in.rm |= d.bit(bitB) << 3
		if in.bits&bitEVEX != 0 {
			in.rm |= d.bit(bitX) << 4
		}
		return d.places()&memoryPlaces == 0
	}
	in.Class |= Memory
	d.address(a&vsib != 0)
	if in.bits&bitEVEX != 0 && in.modrm>>6 == 1 {
		in.Mem.Disp *= d.disp8Scale(a)
	}
	in.Mem.Size = d.memorySize(a)
	return d.places()&registerPlaces == 0 && (a&vsib == 0 || in.Class&Vector != 0)
}

// places returns the set of places of the operands.
func (d *decoder) places() uint64 {
	set := uint64(0)
	for _, o := range d.in.ops {
		set |= 1 << o.place()
	}
	return set
}

// always reports whether the operands are of a kind, of which ModRM.rm is a
// register whatever ModRM.mod says: moves from and to control registers.
func (d *decoder) always(place uint8) bool {
	return d.in.ops[0].place() == place || d.in.ops[1].place() == place
}

// address reads SIB and displacement.
func (d *decoder) address(vector bool) {
	in, mod := &d.in, d.in.modrm>>6
	switch base := in.modrm & 7; {
	case base == 4:
		d.sib(mod, vector)
		return
	case base == 5 && mod == 0:
		in.Mem.Base = RIP
		in.Mem.Disp = d.signed(4)
		return
	default:
		in.Mem.Base = Reg(base | d.bit(bitB)<<3)
	}
	d.displacement(mod)
}

func (d *decoder) sib(mod uint8, vector bool) {
	mem, b := &d.in.Mem, d.next()
	mem.Scale = 1 << (b >> 6)
	index := b>>3&7 | d.bit(bitX)<<3
	switch {
	case vector:
		mem.Index = Reg(index | d.bit(bitV2)<<4)
		d.in.Class |= Vector
	case index != 4: // that of rsp means none
		mem.Index = Reg(index)
	default:
		mem.Scale = 1
	}
	if b&7 == 5 && mod == 0 {
		mem.Disp = d.signed(4)
		return
	}
	mem.Base = Reg(b&7 | d.bit(bitB)<<3)
	d.displacement(mod)
}

func (d *decoder) displacement(mod uint8) {
	switch mod {
	case 1:
		d.in.Mem.Disp = d.signed(1)
	case 2:
		d.in.Mem.Disp = d.signed(4)
	}
}

// memorySize returns the width of the memory operand.
func (d *decoder) memorySize(a attr) uint16 {
	if d.in.bits&(bitEVEX|bitBcst) == bitEVEX|bitBcst {
		return d.broadcastSize(a)
	}
	for _, o := range d.in.ops {
		if memoryForms>>o.place()&1 != 0 {
			return d.in.bytes(o.size())
		}
	}
	return 0
}

// memoryForms are the places that a memory operand may take.
const memoryForms = 1<<placeE | 1<<placeM | 1<<placeW | 1<<placeQ | 1<<placeKM | 1<<placeBndM

// broadcastSize returns the width of the one element that is repeated.
func (d *decoder) broadcastSize(a attr) uint16 {
	switch {
	case a&bcast2 != 0:
		return 2
	case a&bcast4 != 0:
		return 4
	case a&bcast8 != 0:
		return 8
	}
	return d.in.pick(4, 8)
}

// disp8Scale returns what EVEX multiplies a displacement of one byte by: the
// width of the operand, but for those that come in elements.
func (d *decoder) disp8Scale(a attr) int64 {
	switch {
	case a&element != 0:
		return int64(d.in.pick(4, 8))
	case a&elementB != 0:
		return int64(d.in.pick(1, 2))
	}
	return max(int64(d.memorySize(a)), 1)
}
