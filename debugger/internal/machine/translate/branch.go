package translate

import (
	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// branch adds the branch that ends a block.
func (t *translation) branch(p *planned) {
	in, code := &p.in, p.code
	t.mark(0)
	target, direct := in.Target()
	switch {
	case !direct:
		t.indirect(in, code)
	case in.Class.Is(x86.Call):
		t.pushReturn(in.Next())
		t.direct(target)
	case in.Class.Is(x86.Cond):
		t.conditional(p, target)
	default:
		t.direct(target)
	}
}

// pushReturn adds the push of a return address, which must be a single store: ret could
// not load two stores at once without a delay.
func (t *translation) pushReturn(pc uint64) {
	t.block.Returns = append(t.block.Returns, pc)
	if uint64(int64(int32(pc))) == pc {
		t.hot.raw(0x68) // push imm32
		t.hot.imm32(uint32(pc))
		return
	}
	t.hot.raw(0xff, 0x35) // push qword [rip+d]
	t.hot.relative(t.cold.address())
	t.cold.imm64(pc)
}

// conditional adds a conditional branch and the jump to the next instruction.
func (t *translation) conditional(p *planned, target uint64) {
	in, code := &p.in, p.code
	s := shapeOf(code)
	if s.opcode&0xfc == 0xe0 && s.escape == 0 { // loop, jrcxz: only short forms exist
		t.hot.raw(code[:in.Len-1]...)
		t.hot.raw(5) // over the jump to the next instruction
		t.direct(in.Next())
		t.direct(target)
		return
	}
	t.hot.raw(0x0f, 0x80|s.opcode&0x0f)
	t.hot.relative(t.cold.address())
	link := t.logJump(p, t.hot.address()-4)
	t.exit(Exit{Kind: ExitBranch, Target: target, Link: link})
	t.direct(in.Next())
}

// passBranch adds a branch in the middle of the block. Where the program leaves the
// block, the instructions behind the branch are added to those that are left.
func (t *translation) passBranch(p *planned) {
	switch {
	case p.in.Class.Is(x86.Call):
		t.mark(0)
		t.pushReturn(p.in.Next())
		return
	case p.in.Class.Is(x86.Return):
		t.passReturn(p)
		return
	}
	if p.side == 0 || !p.in.Class.Is(x86.Cond) {
		return // the block continues at the target
	}
	t.mark(0)
	s := shapeOf(p.code)
	condition := s.opcode & 0x0f
	if p.side == p.in.Next() {
		condition ^= 1
	}
	t.hot.raw(0x0f, 0x80|condition)
	t.hot.relative(t.cold.address())
	t.leaveMiddle(t.undone()-1, Exit{Kind: ExitBranch, Target: p.side})
}

// leaveMiddle adds the cold code with which the block is left before its end, from a jump
// that the hot code has just got: n of the counted instructions are not executed.
func (t *translation) leaveMiddle(n int, e Exit) {
	if n == 0 {
		e.Link = t.hot.address() - 4
		t.exit(e)
		return
	}
	if t.flagsDead(e.Target) {
		t.cold.subtractLeft(t.counter, int8(-n))
	} else {
		t.cold.addLeft(t.counter, int8(n))
		t.cold.restore(x86.RCX)
	}
	t.cold.jump(t.cold.address() + 5)
	e.Link = t.cold.address() - 4
	t.exit(e)
}

// passReturn adds a return in the middle of the block, from a function that the block has
// called. If it leads elsewhere, because the program has changed the stack, the block is left
// for one that begins with the return.
func (t *translation) passReturn(p *planned) {
	t.hot.save(x86.RCX)
	t.mark(1 << x86.RCX)
	t.hot.raw(0x48, 0x8b, 0x0c, 0x24) // mov rcx, [rsp]
	t.hot.save(x86.RDX)
	t.mark(1<<x86.RCX | 1<<x86.RDX)
	t.hot.raw(0x48, 0x8b, 0x15) // mov rdx, [rip+d]
	t.hot.relative(t.cold.address())
	t.cold.imm64(-p.next)
	t.hot.raw(0x48, 0x8d, 0x0c, 0x11) // lea rcx, [rcx+rdx]
	t.hot.restore(x86.RDX)
	t.hot.raw(0xe3, 5) // jrcxz over the jump
	t.hot.jump(t.cold.address())
	t.hot.restore(x86.RCX)
	t.cold.restore(x86.RCX)
	t.hot.raw(0x48, 0x8d, 0x64, 0x24, 0x08) // lea rsp, [rsp+8]
	t.leaveMiddle(t.undone(), Exit{Kind: ExitBranch, Target: p.in.PC, Rare: true})
}

// indirect adds a return, or a jump or call to an address in a register or in memory.
func (t *translation) indirect(in *x86.Inst, code []byte) {
	switch {
	case t.Once:
		t.hot.jump(t.cold.address())
		t.exit(Exit{Kind: ExitIndirect, Target: in.PC, Undone: 1})
	case in.Class.Is(x86.Call):
		t.indirectCall(in, code)
	default:
		t.indirectJump(in, code)
	}
}

// indirectCall adds a call. It changes rsp and memory only when the translation has been found, so
// that it can be left before.
func (t *translation) indirectCall(in *x86.Inst, code []byte) {
	t.hot.save(x86.RAX)
	t.mark(1 << x86.RAX)
	t.loadOperand(x86.RAX, in, code)
	t.search(in.PC)
	t.mark(1<<x86.RAX | 1<<x86.RCX | 1<<x86.RDX)
	t.pushReturn(in.Next())
	t.hot.raw(0x48, 0x8b, 0x42, 0x08) // mov rax, [rdx+8]
	t.hot.store(x86.RAX, contextTarget)
	t.hot.restore(x86.RDX)
	t.hot.restore(x86.RCX)
	t.hot.restore(x86.RAX)
	t.hot.jumpField(contextTarget)
}

// loadOperand adds the move of the operand of an indirect branch to a register, which still has
// the program's value before.
func (t *translation) loadOperand(to x86.Reg, in *x86.Inst, code []byte) {
	if isRelative(in) {
		t.loadRelative(to, in.Next()+uint64(in.Mem.Disp))
		return
	}
	s := shapeOf(code)
	for _, b := range code[:s.start] {
		if b == 0x64 || b == 0x65 || b == 0x67 { // segments fs and gs, and addresses of 32 bits
			t.hot.raw(b)
		}
	}
	t.hot.raw(0x48|byte(to>>3)<<2|s.rex&0x03, 0x8b, code[s.modRM]&^0x38|byte(to&7)<<3)
	t.hot.raw(code[s.modRM+1:]...)
}

// loadRelative adds the move of the 8 bytes at an address to a register.
func (t *translation) loadRelative(to x86.Reg, addr uint64) {
	const length = 7
	if d := int64(addr - t.hot.address() - length); int64(int32(d)) == d {
		t.hot.raw(0x48|byte(to>>3)<<2, 0x8b) // mov r, [rip+d]
		t.hot.relocated(to, addr, 0)
		return
	}
	t.hot.loadImmediate(to, addr)
	t.hot.raw(0x48|byte(to>>3)*5, 0x8b, byte(to&7)*9) // mov r, [r]
}

// search adds the search for the translation of the address in rax, whose former
// value is saved, in the first table of targets, or else in the second. Behind it, rdx
// has the address of the entry, and rcx and rdx are saved, too.
func (t *translation) search(pc uint64) {
	h, c := &t.hot, &t.cold
	h.save(x86.RCX)
	h.save(x86.RDX)
	h.raw(0x0f, 0xb7, 0xc8)       // movzx ecx, ax
	h.raw(0x48, 0x8d, 0x0c, 0x09) // lea rcx, [rcx+rcx]
	h.raw(0x48, 0x8d)             // lea rdx, [table]
	h.relocated(x86.RDX, h.table(), 0)
	h.raw(0x48, 0x8d, 0x14, 0xca) // lea rdx, [rdx+rcx*8]
	h.raw(0x48, 0x8b, 0x0a)       // mov rcx, [rdx]
	h.raw(0x48, 0x8d, 0x0c, 0x01) // lea rcx, [rcx+rax]: 0 if it is the address
	h.raw(0xe3, 5)                // jrcxz over the jump
	h.jump(c.address())
	c.storeAddress(h.address(), contextFound)
	const rest = 7 + 7 + 5 // bytes of the next three instructions
	c.storeAddress(c.address()+rest, contextNone)
	c.jump(t.Stubs + stubSearch)
	t.exit(Exit{Kind: ExitIndirect, Target: pc, Undone: 1})
}

// table returns the address of the first table of targets.
func (s *section) table() uint64 { return s.arena - ContextSize - TargetsSize }
