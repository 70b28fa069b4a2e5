package valuetrace

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// everyBit are the bits of a value that matters as a whole.
const everyBit = ^uint64(0)

// A want is a general register and those of its bits that matter.
type want struct {
	reg  x86.Reg
	bits uint64
}

// of returns the bits that matter of an operand that is written to the register.
func (w want) of(first x86.Operand) uint64 {
	if first.Kind == x86.HighByte && w.bits != everyBit {
		return within(w.bits>>8, first.Size)
	}
	return within(w.bits, first.Size)
}

// untouched reports whether an instruction that writes only some bytes of the register, its
// first operand, writes none that matters.
func (w want) untouched(first x86.Operand) bool {
	return first.Size < 4 && first.Reg == w.reg && (first.Kind == x86.Register || first.Kind == x86.HighByte) && w.of(first) == 0
}

// extended returns the bits that matter of an operand of some bytes which an instruction moves to
// bits of a larger one.
func extended(name string, b uint64, size uint8) uint64 {
	w := width(size)
	if b != everyBit && b&^w != 0 && (name == "movsx" || name == "movsxd") {
		b |= w ^ w>>1
	}
	return within(b, size)
}

// A part describes what matters of an operand.
type part struct {
	shift, size uint64 // bytes of an operand that is copied to memory; for others the size is 0
	bits        uint64 // of the operand, the lowest one first
}

// whole stands for all of an operand.
var whole = part{bits: everyBit}

// width has the bits of an operand of some bytes.
func width(size uint8) uint64 {
	if size == 0 || size >= 8 {
		return everyBit
	}
	return 1<<(8*size) - 1
}

// within returns the bits that matter of an operand of some bytes, everyBit if all of them do.
func within(b uint64, size uint8) uint64 {
	if w := width(size); b&w != w {
		return b & w
	}
	return everyBit
}

// number returns the number in at most 8 bytes of memory.
func number(b []byte) uint64 {
	var all [8]byte
	copy(all[:], b)
	return binary.LittleEndian.Uint64(all[:])
}

// upTo returns the bits up to the highest one of b.
func upTo(b uint64) uint64 { return 1<<bits.Len64(b) - 1 }

// ofSum returns the bits of the operands of a sum or difference that some of its bits were
// computed from: the same ones unless carries came into them.
func ofSum(b, sum, operands uint64) uint64 {
	if (sum^operands)&b == 0 {
		return b
	}
	return upTo(b)
}

// A shift returns the bits of a value that some bits of the shifted one, of the given width, were
// computed from.
type shift func(b, n, width uint64) uint64

var shifts = map[string]shift{
	"shl": func(b, n, _ uint64) uint64 { return b >> n },
	"shr": func(b, n, width uint64) uint64 { return b << n & width },
	"sar": func(b, n, width uint64) uint64 {
		sign := uint64(0)
		if b > width>>n {
			sign = width ^ width>>1
		}
		return b<<n&width | sign
	},
}

// needed returns the part of the n-th operand of an instruction that a part of its result was
// computed from.
func (t *tracer) needed(in *x86.Inst, n int, position uint64, p part) part {
	size := in.Operand(0).Size
	b := within(p.bits, size)
	p.bits = everyBit
	if n > 1 || in.Operand(2).Kind != x86.NoOperand {
		return p
	}
	switch name := in.Stem(); name {
	case "or", "xor":
		p.bits = b
	case "add", "sub":
		p.bits = t.ofSum(in, b, position)
	case "and":
		p.bits = t.ofAnd(in, n, b, position)
	case "shl", "shr", "sar":
		p.bits = t.ofShift(in, n, b, position)
	}
	p.bits = within(p.bits, size)
	return p
}

// ofAnd returns what b, bits of the result of AND, was computed from in the n-th operand.
func (t *tracer) ofAnd(in *x86.Inst, n int, b, position uint64) uint64 {
	if constant, ok := t.constant(in, 1-n, position); ok {
		return b & constant
	}
	if _, chooses := t.constant(in, n, position); chooses && b != everyBit {
		return 0
	}
	return b
}

// ofShift returns what b, bits of a shifted value, was computed from in the n-th operand.
func (t *tracer) ofShift(in *x86.Inst, n int, b, position uint64) uint64 {
	by, constant := t.constant(in, 1, position)
	width := width(in.Operand(0).Size)
	switch {
	case b == everyBit && in.Stem() == "shl":
	case constant && n == 0:
		return shifts[in.Stem()](b&width, by, width)
	case constant && b != everyBit:
		return 0 // it only chooses
	}
	return everyBit
}

// ofSum is [ofSum] for an instruction.
func (t *tracer) ofSum(in *x86.Inst, b, position uint64) uint64 {
	if b == everyBit {
		return b
	}
	x, ok1 := t.value(in, 0, position)
	y, ok2 := t.value(in, 1, position)
	if !ok1 || !ok2 {
		return everyBit
	}
	if in.Stem() == "sub" {
		return ofSum(b, x-y, x^y)
	}
	if in.Operand(0) == in.Operand(1) {
		return b >> 1 // it is twice the value
	}
	return ofSum(b, x+y, x^y)
}

// terms returns the registers of an address that is computed at a position, with those of their
// bits that some bits of the address were computed from.
func (t *tracer) terms(m *x86.Mem, position, b uint64) (all []want) {
	base, index, double := m.Base, m.Index, bits.TrailingZeros8(m.Scale)
	if base == index && double == 0 {
		base, double = x86.NoReg, 1
	}
	if regs, err := t.regs(position); b != everyBit && err == nil {
		sum, apart := uint64(m.Disp), uint64(m.Disp)
		if base != x86.NoReg {
			sum, apart = sum+regs.GPR[base&15], apart^regs.GPR[base&15]
		}
		if index != x86.NoReg {
			scaled := regs.GPR[index&15] << double
			sum, apart = sum+scaled, apart^scaled
		}
		if (sum^apart)&upTo(b) != 0 { // of three numbers, carries into one bit can make it right
			b = upTo(b)
		}
	}
	if base != x86.NoReg && base != x86.RIP && base != x86.RSP {
		all = append(all, want{base, b})
	}
	if index != x86.NoReg && b != everyBit {
		b >>= double
	}
	if index != x86.NoReg {
		all = append(all, want{index, b})
	}
	return all
}

// value returns the value of an operand at a position, and false if it is no number that can be
// read.
func (t *tracer) value(in *x86.Inst, n int, position uint64) (uint64, bool) {
	o := in.Operand(n)
	switch o.Kind {
	case x86.Immediate:
		return uint64(o.Value), true
	case x86.Register:
		regs, err := t.regs(position)
		return regs.GPR[o.Reg&15], err == nil
	case x86.InMemory:
		from, ok := t.memory(in, o, position)
		if !ok || from.size > 8 {
			return 0, false
		}
		b := make([]byte, from.size)
		err := t.s.Target.Memory().ReadMemory(from.addr, b)
		return number(b), err == nil
	}
	return 0, false
}

// constant returns the value of an operand that the code has as a constant, also one that a
// register was loaded with.
func (t *tracer) constant(in *x86.Inst, n int, position uint64) (uint64, bool) {
	o := in.Operand(n)
	switch o.Kind {
	case x86.Immediate:
		return uint64(o.Value), true
	case x86.Register:
		thread, err := t.threadAt(position)
		if err != nil {
			return 0, false
		}
		_, def, err := t.definition(thread, position, sets(o.Reg))
		if err != nil || def == nil || !moves[def.Stem()] || def.Operand(1).Kind != x86.Immediate {
			return 0, false
		}
		return uint64(def.Operand(1).Value), true
	}
	return 0, false
}

// constant returns the part of a constant, and false if none of its bits are set of those that
// matter.
func (p part) constant(o x86.Operand) (int64, bool) {
	if p.bits == everyBit {
		return o.Value, true
	}
	n := uint64(o.Value) & p.bits
	return int64(n >> bits.TrailingZeros64(p.bits)), n != 0
}

// narrow narrows a source to the part of it that matters, and reports whether there is one.
func (p part) narrow(from *source) bool {
	b := p.bits
	if p.size > 0 && p.shift+p.size <= from.size {
		from.addr, from.size = from.addr+p.shift, p.size
		if b != everyBit {
			b >>= 8 * p.shift
		}
	}
	if from.size > 8 {
		return true
	}
	if b = within(b, uint8(from.size)); b != everyBit {
		from.mask = binary.LittleEndian.AppendUint64(nil, b)[:from.size]
	}
	return b != 0
}

// written returns the part of the value that an instruction stores which went to some memory.
func (t *tracer) written(to source, position uint64) part {
	p := part{size: to.size, bits: everyBit}
	if len(to.mask) > 0 && len(to.mask) <= 8 {
		p.bits = number(to.mask)
	}
	t.s.Target.History.Steps.Written(position, func(addr, n uint64) {
		switch {
		case addr <= to.addr && to.addr < addr+n:
			p.shift = to.addr - addr
			if p.bits != everyBit {
				p.bits <<= 8 * p.shift
			}
		case to.addr < addr && addr < to.addr+to.size && p.bits != everyBit:
			p.bits >>= 8 * (addr - to.addr)
		}
	})
	return p
}

// field narrows a source with a mask to the bytes that the mask has bits of. A variable that is
// no bit-field is followed as a whole.
func (t *tracer) field(from source) source {
	if from.mask == nil || from.hop < 0 || t.s.Timeline.SeekQuietly(from.position) != nil {
		return from
	}
	field := from
	skipped := slices.IndexFunc(from.mask, func(b byte) bool { return b != 0 })
	field.mask = bytes.TrimRight(from.mask[skipped:], "\x00")
	field.addr, field.size = from.addr+uint64(skipped), uint64(len(field.mask))
	leaf, ok := t.variable(field)
	if ok && leaf.Mask == nil {
		from.mask = nil
		return from
	}
	if field.bits = ok; !slices.ContainsFunc(field.mask, func(b byte) bool { return b != 0xff }) {
		field.mask = nil
	}
	return field
}

// bitsName names bits of memory.
func bitsName(mask []byte, place string) string {
	n := number(mask)
	first, last := bits.TrailingZeros64(n), bits.Len64(n)-1
	if first == last {
		return fmt.Sprintf("bit %d of %s", first, place)
	}
	return fmt.Sprintf("bits %d to %d of %s", first, last, place)
}

// kept reports whether all that the current hop, the last one, did to bits of memory was to
// write them again, as a write to other bits of the same bytes does; it has queued what comes
// after the first queued sources. If so, the hop is taken back, and they are followed for the
// hop that used them.
func (t *tracer) kept(from source, queued int) bool {
	after := slices.DeleteFunc(slices.Clone(t.queue[queued:]), func(s source) bool { return s.pointer })
	hop := &t.result.Hops[t.hop]
	if from.mask == nil || from.keeps == maxRepeats || len(after) != 1 || len(hop.Origins) > 0 || hop.Before != hop.Value {
		return false
	}
	next := t.field(after[0])
	if next.addr != from.addr || !bytes.Equal(next.mask, from.mask) {
		return false
	}
	from.position, from.keeps = next.position, from.keeps+1
	t.result.Hops = t.result.Hops[:t.hop]
	t.queue = append([]source{from}, t.queue[:queued]...)
	return true
}
