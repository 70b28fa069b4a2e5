package translate

import (
	"encoding/binary"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// Returns and indirect jumps do not compare addresses before they jump: they take what the third
// table has for the low 16 bits of the address. There they arrive at code that compares the whole
// address with the one that it belongs to, and that is followed by the translation. So one load
// after the address is known, the processor knows where it continues, and nearly all of the code
// is needed once for each target and not for each branch.
//
//	at the branch                    at its target
//
//	save r11                         mov rcx, -target
//	mov r11, the address             lea rcx, [rcx+r11]
//	save rcx                         jrcxz over the jump
//	lea rsp, [rsp+8]                 jmp to the search in the second table
//	mov [Exit], number               restore rcx
//	mov rcx, table/8                 restore r11
//	mov cx, r11w                     …
//	jmp [rcx*8]
//
// The low 16 bits of table/8 are 0, which a displacement makes up for. Where the table has no
// target, it has the address of the search. The search puts what it has found there: of two
// addresses with the same low bits, that which was the last one.

// indirectJump adds a jump or a return.
func (t *translation) indirectJump(in *x86.Inst, code []byte) {
	h, exit := &t.hot, Exit{Kind: ExitJump, Target: in.PC, Undone: 1}
	h.save(x86.R11)
	t.mark(1 << x86.R11)
	if in.Class.Is(x86.Return) {
		exit.Popped = 8 + uint32(in.Imm)
		h.raw(0x4c, 0x8b, 0x1c, 0x24) // mov r11, [rsp]
	} else {
		t.loadOperand(x86.R11, in, code)
	}
	t.markCounting()
	h.save(x86.RCX)
	if exit.Popped > 0 {
		h.raw(0x48, 0x8d, 0xa4, 0x24) // lea rsp, [rsp+n]
		h.imm32(exit.Popped)
	}
	h.storeWord(t.FirstExit+uint32(len(t.block.Exits)), contextExit)
	h.atArrival(4, 0xff) // jmp [place]
	t.block.Exits = append(t.block.Exits, exit)
}

// atArrival adds an instruction whose operand is the place for the address in r11 in the third
// table. Reg is the other operand or a part of the opcode. It changes rcx.
func (s *section) atArrival(reg byte, opcode ...byte) {
	table := s.table() + arrivalOffset
	base := table >> 3 &^ (arrivals - 1)
	s.loadImmediate(x86.RCX, base)
	s.raw(0x66, 0x44, 0x89, 0xd9) // mov cx, r11w
	s.raw(opcode...)
	s.raw(reg<<3|0x04, 0xcd) // [rcx*8+n]
	s.imm32(uint32(table - base<<3))
}

// Arrival returns the code for jumps to a target, before its translation, and the offset at
// which they arrive. It will be at an address of the arena with the given stubs. If loop is
// true, it has a loop instruction, for processors that execute it as fast as other jumps:
//
//	jmp to the search
//	mov rcx, 1-target       jumps arrive here
//	lea rcx, [rcx+r11]
//	loop to the jmp         unless rcx is 1: the address is right
//	…
//
// So no jump is taken where the address is right. Those of a large program are more than the
// processor's branch predictor holds.
func Arrival(pc, address, stubs uint64, loop bool) (code []byte, entry int) {
	s := &section{base: address, arena: stubs}
	if !loop {
		s.loadDifference(-pc)
		s.raw(0xe3, 5) // jrcxz over the jump
	}
	s.jump(stubs + stubArrival)
	if loop {
		entry = len(s.code)
		s.loadDifference(1 - pc)
		s.raw(0xe2, byte(-len(s.code)-2)) // loop to the jump
	}
	s.restore(x86.RCX)
	s.restore(x86.R11)
	return s.code, entry
}

// loadDifference adds the instructions that load r11+n into rcx.
func (s *section) loadDifference(n uint64) {
	if uint64(int64(int32(n))) == n {
		s.raw(0x49, 0x8d, 0x8b) // lea rcx, [r11+n]
		s.imm32(uint32(n))
		return
	}
	s.loadImmediate(x86.RCX, n)
	s.raw(0x4a, 0x8d, 0x0c, 0x19) // lea rcx, [rcx+r11]
}

// searchArrival adds the search for the translation of the address in r11 in the second table.
// It becomes the place where the next jump to it arrives.
// The former values of rcx and r11 are saved. If there is none, the program has made the jump.
func (s *section) searchArrival() {
	s.raw(0x4c, 0x89, 0xd9) // mov rcx, r11
	s.raw(0xe3, 0)          // jrcxz none: 0 is the key of empty entries
	null := len(s.code)
	s.save(x86.RAX)
	s.save(x86.RDX)
	s.raw(0x4c, 0x89, 0xd8) // mov rax, r11
	found := len(s.code)
	s.storeAddress(0, contextFound)
	none := len(s.code)
	s.storeAddress(0, contextNone)
	s.jump(s.arena + stubSearch)
	s.setDistance(found)
	s.raw(0x48, 0x8b, 0x42, 0x10) // mov rax, [rdx+16]
	s.atArrival(0, 0x48, 0x89)    // mov [place], rax
	s.raw(0x48, 0x8b, 0x42, 0x08) // mov rax, [rdx+8]
	s.store(x86.RAX, contextTarget)
	for _, r := range []x86.Reg{x86.RDX, x86.RCX, x86.RAX, x86.R11} {
		s.restore(r)
	}
	s.jumpField(contextTarget)
	s.setDistance(none)
	s.code[null-1] = byte(len(s.code) - null)
	s.restore(x86.RCX)
	s.store(x86.R11, contextTarget)
	s.restore(x86.R11)
	s.jump(s.arena + stubExit)
}

// setDistance makes the lea at an offset load the address of the next instruction.
func (s *section) setDistance(lea int) {
	const length = 7
	binary.LittleEndian.PutUint32(s.code[lea+length-4:], uint32(len(s.code)-lea-length))
}
