package x86

// Decode decodes the instruction at the start of code, which stands at address
// pc. Code should hold [MaxLen] bytes if that many are readable; with fewer the
// error may be [ErrTruncated]. With [ErrUnknown] the class is [Barrier], and
// Len is the length if it is certain, else 0.
//
// Where processors differ, the one that this program runs on is followed, see [Processor].
// The prefix 66 does not change the length of near branches, as on Intel's processors.
func Decode(code []byte, pc uint64) (Inst, error) { return machine.decode(code, pc) }

// Decode decodes for another processor than this one.
func (p Processor) Decode(code []byte, pc uint64) (Inst, error) { return p.decode(code, pc) }

func (p *Processor) decode(code []byte, pc uint64) (Inst, error) {
	d := decoder{code: code[:min(len(code), MaxLen)], processor: p}
	d.in.PC = pc
	d.in.Mem = Mem{Base: NoReg, Index: NoReg, Seg: NoReg, Scale: 1}
	known := d.decode()
	switch {
	case d.short && len(code) < MaxLen:
		return Inst{PC: pc, Class: Barrier}, ErrTruncated
	case d.short:
		return Inst{PC: pc, Class: Barrier}, ErrUnknown
	case !known:
		return Inst{PC: pc, Class: Barrier, Len: d.in.Len}, ErrUnknown
	}
	return d.in, nil
}

// A decoder reads one instruction:
//
//	decode
//	├─ prefixes
//	├─ vex2, vex3, evex, xop   instead of them
//	├─ choose                  slot → row, through groups
//	├─ modRM                   registers, memory
//	├─ immediates
//	└─ classify
type decoder struct {
	code  []byte
	pos   int
	short bool // the bytes have ended; further reads return 0
	in    Inst

	processor *Processor
}

// next returns the next byte.
func (d *decoder) next() uint8 {
	if d.pos >= len(d.code) {
		d.short = true
		return 0
	}
	b := d.code[d.pos]
	d.pos++
	return b
}

// peek returns the byte that next would. There must be one: at the end the
// bytes are short.
func (d *decoder) peek() uint8 {
	if d.pos >= len(d.code) {
		d.short = true
		return 0
	}
	return d.code[d.pos]
}

// decode reports whether the instruction is known.
func (d *decoder) decode() bool {
	r, ok := d.opcode()
	if !ok {
		return false
	}
	d.in.row = r
	d.size(r.attr)
	if d.in.bits&bitEVEX != 0 && !d.evexContext(r.attr) {
		return false
	}
	if d.in.bits&bitModRM == 0 && needsModRM(&d.in.ops) {
		d.readModRM()
	}
	if d.in.bits&bitModRM != 0 && !d.modRM(r.attr) {
		return false
	}
	d.immediates()
	d.in.Len = uint8(d.pos)
	d.classify(r.attr)
	return !d.short
}

// opcode reads prefixes and opcode and finds the row.
func (d *decoder) opcode() (*row, bool) {
	op := d.prefixes()
	d.in.opcode = op
	switch op {
	case 0x0f:
		return d.escape()
	case 0xc4:
		return d.vex3()
	case 0xc5:
		return d.vex2()
	case 0x62:
		return d.evex()
	case 0x8f:
		if d.peek()&0x1f >= 8 {
			d.xop()
			return nil, false
		}
	}
	return d.choose(&baseMap[op])
}

func (d *decoder) escape() (*row, bool) {
	op := d.next()
	table := &map0F
	switch op {
	case 0x38:
		table, op = &map0F38, d.next()
	case 0x3a:
		table, op = &map0F3A, d.next()
	}
	d.in.opcode = op
	s := table.at(op)
	r := &s[d.mandatory()]
	if r.empty() && s[0].attr&anyPrefix != 0 {
		r = &s[0]
	}
	return d.choose(r)
}

// prefixBits holds the bits that legacy prefixes set. Prefixes of segments without a
// base in 64-bit mode set none.
var prefixBits = [256]struct {
	is, clear, set bitset
	seg            Reg
}{
	0x26: {is: bitREX, seg: NoReg},
	0x2e: {is: bitREX, seg: NoReg},
	0x36: {is: bitREX, seg: NoReg},
	0x3e: {is: bitREX, seg: NoReg},
	0x64: {is: bitREX, seg: FS},
	0x65: {is: bitREX, seg: GS},
	0x66: {is: bitREX, set: bitOpSize, seg: NoReg},
	0x67: {is: bitREX, set: bitAddr32, seg: NoReg},
	0xf0: {is: bitREX, set: bitLock, seg: NoReg},
	0xf2: {is: bitREX, clear: bitF3, set: bitF2, seg: NoReg},
	0xf3: {is: bitREX, clear: bitF2, set: bitF3, seg: NoReg},
}

// prefixes reads the prefixes and returns the byte after them. REX counts only
// directly before the opcode.
func (d *decoder) prefixes() uint8 {
	b := d.next()
	rex := uint8(0)
	for !d.short {
		if b&0xf0 == 0x40 {
			rex = b
			b = d.next()
			continue
		}
		p := &prefixBits[b]
		if p.is == 0 {
			break
		}
		rex = 0
		d.in.bits = d.in.bits&^p.clear | p.set
		if p.seg != NoReg {
			d.in.Mem.Seg = p.seg
		}
		b = d.next()
	}
	d.rex(rex)
	return b
}

func (d *decoder) rex(b uint8) {
	if b == 0 {
		return
	}
	d.in.bits |= bitREX |
		bitset(b>>3&1)*bitW | bitset(b>>2&1)*bitR | bitset(b>>1&1)*bitX | bitset(b&1)*bitB
}

// mandatory returns the index into a slot for the mandatory prefix.
func (d *decoder) mandatory() int {
	switch {
	case d.in.bits&bitF2 != 0:
		return pF2
	case d.in.bits&bitF3 != 0:
		return pF3
	case d.in.bits&bitOpSize != 0:
		return p66
	}
	return 0
}

// bit returns 1 if the bit is set.
func (d *decoder) bit(b bitset) uint8 {
	if d.in.bits&b != 0 {
		return 1
	}
	return 0
}
