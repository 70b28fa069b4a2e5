package x86_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"syscall"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86test"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// TestProcessor asks the processor itself: random instructions are executed one
// by one in a child, and whatever changed in memory must be in Writes, whatever
// changed in the extended state must be announced by FP, and the next
// instruction must be where Len and Goes say.
func TestProcessor(t *testing.T) {
	n := sample.Count(5_000, 200_000)
	p := newProcessor(t)
	for p.tries < n {
		p.tries++
		p.try()
	}
	t.Logf("%d instructions, %d executed without a fault, %d stored", p.tries, p.done, p.stored)
	if p.done < n/10 || p.stored < n/100 {
		t.Error("too few of them did anything")
	}
}

type processor struct {
	t      *testing.T
	c      *x86test.Child
	rng    *rand.Rand
	before []byte // memory
	after  []byte
	state  []byte // extended state before
	state2 []byte // and after
	spans  []x86.Span

	tries, done, stored int
	faults              int
}

func newProcessor(t *testing.T) *processor {
	t.Helper()
	p := &processor{
		t: t, c: x86test.Start(t), rng: rand.New(rand.NewPCG(3, 4)),
		before: make([]byte, x86test.DataSize), after: make([]byte, x86test.DataSize),
	}
	p.state, p.state2 = make([]byte, p.c.XState), make([]byte, p.c.XState)
	p.fill()
	return p
}

// fill puts random bytes into memory and vector registers.
func (p *processor) fill() {
	for n := 0; n < len(p.before); n += 8 {
		binary.LittleEndian.PutUint64(p.before[n:], p.rng.Uint64())
	}
	p.c.Write(x86test.Data, p.before)
	p.c.ReadState(p.state)
	const x87, xmm, end = 32, 32 + 8*16, 32 + 24*16 // in the fxsave image
	for n := x87; n < end; n++ {
		if n >= xmm || n%16 < 10 {
			p.state[n] = byte(p.rng.Uint32())
		}
	}
	p.state[512] |= 3 // they are in use
	p.c.WriteState(p.state)
	p.c.ReadState(p.state)
}

// forbidden are not executed: they enter the kernel, wait, take the keys away by
// which the child reaches its memory, or are emulated by the kernel, which then
// steps once more.
func forbidden(in *x86.Inst) bool {
	if in.Class&(x86.Barrier|x86.Syscall|x86.Privileged) != 0 {
		return true
	}
	switch name := canonical(in.Text(nil)).name; name {
	case "wrpkru", "xrstor", "xrstor64", "umwait", "tpause", "mwaitx", "xbegin", "monitorx",
		"sgdt", "sidt", "sldt", "smsw", "str":
		return true
	}
	return false
}

// try executes one random instruction that is known.
func (p *processor) try() {
	p.t.Helper()
	code := p.randomCode()
	in, err := x86.Decode(code, x86test.Code)
	if err != nil || forbidden(&in) || in.Mem.Base == x86.RIP {
		return
	}
	native, regs := p.registers(&in)
	if p.tries%256 == 0 {
		p.fill()
	}
	p.spans = in.Writes(p.spans[:0], &regs, x86.OneIteration)
	goes, loads, branches := in.BranchTarget(&regs)
	signal := p.c.Step(code, &native)
	p.c.Read(x86test.Data, p.after)
	p.c.ReadState(p.state2)
	p.checkMemory(&in, code)
	p.checkState(&in, code)
	p.before, p.after = p.after, p.before
	p.state, p.state2 = p.state2, p.state
	if signal != syscall.SIGTRAP || in.Class.Is(x86.Trap) {
		return
	}
	p.done++
	switch rip := native.Rip; {
	case rip == in.Next() && (!branches || in.Class.Is(x86.Cond)):
	case rip == in.PC && in.Class.Is(x86.Repeat):
	case branches && !loads && rip == goes:
	case branches && loads && goes-x86test.Data < x86test.DataSize-8 && rip == binary.LittleEndian.Uint64(p.after[goes-x86test.Data:]):
	default:
		p.fault(&in, code, "went to %x", rip)
	}
}

func (p *processor) fault(in *x86.Inst, code []byte, format string, args ...any) {
	p.t.Helper()
	if p.faults++; p.faults > 20 {
		return
	}
	p.t.Errorf("% x: %s", code[:in.Len], in.Text(nil))
	p.t.Errorf("\t"+format, args...)
}

// checkMemory compares memory before and after.
func (p *processor) checkMemory(in *x86.Inst, code []byte) {
	p.t.Helper()
	if bytes.Equal(p.before, p.after) {
		return
	}
	p.stored++
	for n := range p.before {
		if p.before[n] != p.after[n] && !covered(p.spans, x86.Span{Addr: x86test.Data + uint64(n), Len: 1}) {
			p.fault(in, code, "changed %x, but Writes says %x", x86test.Data+n, p.spans)
			return
		}
	}
}

// checkState compares the extended state before and after. The kernel may set
// and clear the bits that say which parts are in use.
func (p *processor) checkState(in *x86.Inst, code []byte) {
	p.t.Helper()
	if in.Class.Is(x86.FP) {
		return
	}
	const header, end = 512, 576
	if !bytes.Equal(p.state[:header], p.state2[:header]) || !bytes.Equal(p.state[end:], p.state2[end:]) {
		p.fault(in, code, "changed the extended state, but has not the class FP")
	}
}

// registers makes up registers with which the instruction reaches the child's
// data.
func (p *processor) registers(in *x86.Inst) (syscall.PtraceRegs, x86.Regs) {
	native := p.c.Regs // with the segments of the start
	r := x86.Regs{XSave: uint64(len(p.state))}
	for n := range r.GPR {
		r.GPR[n] = p.value()
	}
	for _, n := range []x86.Reg{x86.RSP, x86.RBP, x86.RSI, x86.RDI} {
		r.GPR[n] = p.pointer()
	}
	r.GPR[x86.RCX] = p.rng.Uint64N(8)
	r.FSBase, r.GSBase = p.rng.Uint64N(1<<20), p.rng.Uint64N(1<<20)
	p.aim(in, &r)
	r.Flags = 0x202 | p.rng.Uint64()&0xcd5 // carry, parity, adjust, zero, sign, direction, overflow
	gprs := []*uint64{
		&native.Rax, &native.Rcx, &native.Rdx, &native.Rbx, &native.Rsp, &native.Rbp, &native.Rsi, &native.Rdi,
		&native.R8, &native.R9, &native.R10, &native.R11, &native.R12, &native.R13, &native.R14, &native.R15,
	}
	for n, reg := range gprs {
		*reg = r.GPR[n]
	}
	native.Fs_base, native.Gs_base, native.Eflags = r.FSBase, r.GSBase, r.Flags
	native.Orig_rax = 1<<64 - 1 // no system call to restart
	return native, r
}

// value is small, large or a pointer.
func (p *processor) value() uint64 {
	switch p.rng.IntN(4) {
	case 0:
		return p.rng.Uint64N(256)
	case 1:
		return -p.rng.Uint64N(256)
	case 2:
		return p.pointer()
	}
	return p.rng.Uint64()
}

func (p *processor) pointer() uint64 {
	return x86test.Data + x86test.DataSize/4 + p.rng.Uint64N(x86test.DataSize/2)&^7
}

// aim changes the base register, or an index without one, so that the operand
// is in the data.
func (p *processor) aim(in *x86.Inst, r *x86.Regs) {
	if !in.Class.Is(x86.Memory) || in.Class.Is(x86.Vector) || in.Mem.Base == x86.NoReg || in.Mem.Base == in.Mem.Index {
		return
	}
	target := x86test.Data + x86test.DataSize/4 + p.rng.Uint64N(x86test.DataSize/4)&^63
	if in.Mem.Index != x86.NoReg && in.Mem.Index != x86.RSP {
		r.GPR[in.Mem.Index] = p.rng.Uint64N(64)
	}
	r.GPR[in.Mem.Base] += target - in.Addr(r)
}

// randomCode makes up an instruction: prefixes, opcode, and operands that are
// mostly memory with a base register.
func (p *processor) randomCode() []byte {
	b := make([]byte, 0, 32)
	pick := func(n uint32) byte { return byte(p.rng.Uint32N(n)) }
	for range p.rng.IntN(3) {
		b = append(b, []byte{0x66, 0xf2, 0xf3, 0x64, 0x65, 0x67, 0xf0, 0x66}[pick(8)])
	}
	switch kind := p.rng.IntN(8); {
	case kind < 2:
		b = append(b, 0x40|pick(16), pick(255))
	case kind < 4:
		b = append(b, 0x40|pick(16), 0x0f, pick(255))
	case kind == 4:
		b = append(b, 0x0f, 0x38|pick(2)<<1, pick(255))
	case kind == 5:
		b = append(b, pick(255))
	case kind == 6:
		b = append(b[:0], 0xc4, 0xe1|pick(3), pick(2)<<7|0x78|pick(8), pick(255))
	default:
		b = append(b[:0], 0x62, 0xf1|pick(3), pick(2)<<7|0x7c|pick(4), pick(3)<<5|8|pick(2)*pick(8), pick(255))
	}
	b = append(b, pick(255)) // ModRM
	for len(b) < cap(b) {
		b = append(b, pick(255))
	}
	return b[:x86.MaxLen]
}
