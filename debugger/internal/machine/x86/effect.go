package x86

import "math/bits"

// Regs are the registers that addresses and lengths depend on, as they are
// before the instruction.
type Regs struct {
	GPR    [16]uint64 // by number: rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8 … r15
	Flags  uint64
	FSBase uint64
	GSBase uint64
	XSave  uint64 // bytes that xsave and its kin may write; the processor or the kernel says
}

// flagDirection is the direction flag of Regs.Flags: string operations go down.
const flagDirection = 1 << 10

// A Span is a range of memory. It may reach beyond what is mapped.
type Span struct {
	Addr uint64
	Len  uint64 // bytes, never 0
}

// A RepeatMode selects a part of a repeated string operation.
type RepeatMode bool

// The modes of repeated string operations.
const (
	OneIteration RepeatMode = false // a single step does one element
	WholeRepeat  RepeatMode = true  // all of it, as rcx says
)

// Addr returns the address of the memory operand. It means nothing without
// [Memory] or with [Vector] in the class.
func (in *Inst) Addr(r *Regs) uint64 {
	m := &in.Mem
	addr := uint64(m.Disp)
	switch {
	case m.Base == RIP:
		addr += in.Next()
	case m.Base != NoReg:
		addr += r.GPR[m.Base&15]
	}
	if m.Index != NoReg {
		addr += r.GPR[m.Index&15] * uint64(m.Scale)
	}
	if in.row.attr&popsMem != 0 && m.Base == RSP {
		addr += uint64(in.opsize)
	}
	if in.bits&bitAddr32 != 0 {
		addr &= 0xffffffff
	}
	return addr + in.segment(r)
}

// segment returns the base of the segment that the instruction names.
func (in *Inst) segment(r *Regs) uint64 {
	switch in.Mem.Seg {
	case FS:
		return r.FSBase
	case GS:
		return r.GSBase
	}
	return 0
}

// Writes appends to dst the memory that the instruction may write with the
// registers r, and returns the result. It allocates nothing but what dst lacks.
//
// The ranges are exact but for these, where they may be too long: masked and
// compressing stores (the whole vector), xsave (r.XSave), enter (its frames),
// a comparison or exchange that does not take place, and a repeat that
// exceeds the address space. Of an instruction whose class has [Barrier]
// nothing is known. What the kernel writes in a system call, or for a signal
// or trap, is not the instruction's.
func (in *Inst) Writes(dst []Span, r *Regs, mode RepeatMode) []Span {
	if in.Class&Store == 0 {
		return dst
	}
	a := in.row.attr
	if a&pushes != 0 {
		dst = append(dst, in.pushed(r))
	}
	switch {
	case a&storesDI != 0:
		dst = append(dst, Span{in.destination(r) + in.segment(r), uint64(in.bytes(in.ops[0].size()))})
	case in.ops[0].place() == placeY:
		dst = in.stringWrites(dst, r, mode)
	case a&readOnly == 0 && in.Class&Memory != 0 && writesPlace(in.ops[0].place()):
		dst = append(dst, in.stored(r))
	}
	return dst
}

func writesPlace(place uint8) bool { return memoryForms>>place&1 != 0 || place == placeO }

// stored returns what a destination in memory covers.
func (in *Inst) stored(r *Regs) Span {
	addr := in.Addr(r)
	if in.row.attr&bitString != 0 {
		addr += in.bitOffset(r)
	}
	if in.ops[0].size() == sizeXS {
		return Span{addr, max(r.XSave, 1)}
	}
	return Span{addr, uint64(max(in.Mem.Size, 1))}
}

// bitOffset returns how far from the operand the operand-sized word is that a
// bit offset in a register selects. The offset is signed.
func (in *Inst) bitOffset(r *Regs) uint64 {
	offset := int64(r.GPR[in.reg&15])
	switch in.opsize {
	case 2:
		return uint64(int64(int16(offset)) >> 4 << 1)
	case 4:
		return uint64(int64(int32(offset)) >> 5 << 2)
	}
	return uint64(offset >> 6 << 3)
}

// pushed returns what an instruction writes below the stack pointer.
func (in *Inst) pushed(r *Regs) Span {
	n := uint64(in.opsize)
	switch {
	case in.opcode == 0xc8 && in.row.name == "enter":
		n *= 1 + uint64(in.imm2&31) // the frame pointer, and those of the levels
	case in.ops[0].size() == sizeP:
		n *= 2 // a far call: code segment and instruction pointer
	}
	return Span{r.GPR[RSP] - n, n}
}

// destination returns [rdi], without a segment.
func (in *Inst) destination(r *Regs) uint64 {
	if in.bits&bitAddr32 != 0 {
		return r.GPR[RDI] & 0xffffffff
	}
	return r.GPR[RDI]
}

// stringWrites appends what a string operation writes at [rdi], whose segment
// cannot be overridden.
func (in *Inst) stringWrites(dst []Span, r *Regs, mode RepeatMode) []Span {
	size := uint64(in.bytes(in.ops[0].size()))
	count := in.count(r)
	if count == 0 {
		return dst
	}
	if mode == OneIteration {
		count = 1
	}
	addr := in.destination(r)
	length := saturate(count, size)
	if r.Flags&flagDirection != 0 {
		addr += size - length
	}
	if in.bits&bitAddr32 != 0 {
		return appendWrapped(dst, addr, length)
	}
	return append(dst, Span{addr, length})
}

// count returns the number of iterations of a string operation.
func (in *Inst) count(r *Regs) uint64 {
	switch {
	case in.Class&Repeat == 0:
		return 1
	case in.bits&bitAddr32 != 0:
		return r.GPR[RCX] & 0xffffffff
	}
	return r.GPR[RCX]
}

// saturate multiplies, and gives the largest number where that overflows.
func saturate(count, size uint64) uint64 {
	high, low := bits.Mul64(count, size)
	if high != 0 {
		return 1<<64 - 1
	}
	return low
}

// appendWrapped appends a range of addresses of 32 bits, which go on at 0.
func appendWrapped(dst []Span, addr, length uint64) []Span {
	const limit = 1 << 32
	addr &= limit - 1
	switch {
	case length >= limit:
		return append(dst, Span{0, limit + 8})
	case addr+length > limit:
		// The element at the limit itself is not split by the processor.
		return append(dst, Span{addr, limit - addr + 8}, Span{0, addr + length - limit})
	}
	return append(dst, Span{addr, length})
}

// BranchTarget returns the address at which execution continues with the registers r.
// For an indirect branch through memory, and for a return, loads is true and
// addr is the address that the target is read from. A conditional jump may also
// continue at [Inst.Next]. The result is false for instructions that do not
// branch.
func (in *Inst) BranchTarget(r *Regs) (addr uint64, loads, ok bool) {
	switch {
	case in.Class&Return != 0:
		return r.GPR[RSP], true, true
	case in.Class&(Jump|Call) == 0:
		return 0, false, false
	case in.Class&Indirect == 0:
		return in.Next() + uint64(in.Imm), false, true
	case in.Class&Memory != 0:
		return in.Addr(r), true, true
	}
	return r.GPR[in.rm&15], false, true
}
