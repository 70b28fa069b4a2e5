package valuetrace

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
	"github.com/triptych-mcp/triptych/debugger/internal/session/target"
	"github.com/triptych-mcp/triptych/mcp/plain"
)

// moves lists instructions whose result equals their last operand, by name
// without the v of VEX.
var moves = map[string]bool{
	"mov": true, "movabs": true, "movzx": true, "movsx": true, "movsxd": true, "movd": true, "movq": true, "movss": true, "movsd": true,
	"movaps": true, "movups": true, "movapd": true, "movupd": true, "movdqa": true, "movdqu": true, "movdqu8": true, "movdqu16": true,
	"movdqu32": true, "movdqu64": true, "movdqa32": true, "movdqa64": true, "movlps": true, "movhps": true, "movlpd": true, "movhpd": true,
	"movbe": true, "lddqu": true, "movntdq": true, "movnti": true,
}

// zeroing lists instructions that clear a register if both operands are equal.
var zeroing = map[string]bool{"xor": true, "sub": true, "pxor": true, "xorps": true, "xorpd": true}

// usesFlags reports whether the result of an instruction depends on the flags
// only.
func usesFlags(name string) bool {
	return len(name) > 3 && name[:3] == "set"
}

// stored queues the sources of the value that an instruction stored to memory.
func (t *tracer) stored(in *x86.Inst, to source, position uint64) error {
	name, p := in.Stem(), t.written(to, position)
	switch {
	case in.Class.Is(x86.Call):
		t.addOrigin(t.hop, "the return address of a call")
		return nil
	case name == "push":
		return t.operand(in, in.Operand(0), position, p)
	case in.Operand(0).Kind == x86.Destination: // movs, stos
		return t.operand(in, in.Operand(1), position, p)
	case moves[name], name == "xchg":
		return t.operand(in, in.Operand(1), position, p)
	case usesFlags(name):
		return t.flags(position)
	}
	return t.operands(in, position, p)
}

// instructionText returns the text of an instruction as it may be shown.
func (t *tracer) instructionText(in *x86.Inst) string {
	for n := range maxOperands {
		if t.secretConstant(in.Operand(n)) {
			return in.Name() + " " + target.Masked
		}
	}
	return in.Text(t.s.Inspector.Symbolize)
}

// secretConstant reports whether an operand is a constant with a part of a secret.
func (t *tracer) secretConstant(o x86.Operand) bool {
	return o.Kind == x86.Immediate && t.s.Target.HasSecret(binary.LittleEndian.AppendUint64(nil, uint64(o.Value)))
}

// operands follows all operands of an instruction. The first one is both read and
// written.
func (t *tracer) operands(in *x86.Inst, position uint64, p part) error {
	for n := range maxOperands {
		o := in.Operand(n)
		if o.Kind == x86.NoOperand || n == 0 && !readsFirst(in) {
			continue
		}
		if err := t.operand(in, o, position, t.needed(in, n, position, p)); err != nil {
			return err
		}
	}
	return nil
}

// input returns the operand that an instruction with one source reads. SSE
// instructions have no second operand; VEX instructions have one before it.
func input(in *x86.Inst) x86.Operand {
	if o := in.Operand(2); o.Kind != x86.NoOperand && o.Kind != x86.Immediate {
		return o
	}
	return in.Operand(1)
}

// maxOperands is the largest number of operands of an instruction.
const maxOperands = 4

// operand follows a part of an operand before a step.
func (t *tracer) operand(in *x86.Inst, o x86.Operand, position uint64, p part) error {
	if p.bits == 0 {
		return nil
	}
	switch o.Kind {
	case x86.HighByte:
		return t.register(o.Reg, position, everyBit)
	case x86.Register:
		if o.Reg == x86.RSP {
			return nil
		}
		return t.register(o.Reg, position, p.bits&width(o.Size))
	case x86.VectorReg:
		return t.vector(o.Reg, position, p)
	case x86.InMemory, x86.Source:
		if from, ok := t.memory(in, o, position); ok && p.narrow(&from) {
			from.pointer, from.address = t.pointing, t.pointed || t.pointing
			t.queue = append(t.queue, from)
			return t.pointer(in, o, position)
		}
	case x86.Immediate:
		if t.secretConstant(o) {
			t.addOrigin(t.hop, "a constant, "+target.Masked)
		} else if n, ok := p.constant(o); ok {
			t.addOrigin(t.hop, fmt.Sprintf("the constant %d", n))
		}
	}
	return nil
}

// maxPointers limits the number of registers of addresses that are followed in a trace.
const maxPointers = 4

// pointer follows the registers of the address that a value was read from: a wrong value
// may be a right one that was read through a wrong pointer. The frame's own registers
// are not followed, nor the addresses through which addresses were read.
func (t *tracer) pointer(in *x86.Inst, o x86.Operand, position uint64) error {
	if o.Kind != x86.InMemory || t.pointed || t.pointing {
		return nil
	}
	t.pointing = true
	defer func(looped map[uint64]int) { t.pointing, t.looped = false, looped }(t.looped)
	for _, reg := range []x86.Reg{in.Mem.Base, in.Mem.Index} {
		if reg == x86.NoReg || reg == x86.RIP || reg == x86.RSP || reg == x86.RBP || t.pointers == maxPointers {
			continue
		}
		t.pointers++
		t.looped = map[uint64]int{}
		if err := t.register(reg, position, everyBit); err != nil {
			return err
		}
	}
	return nil
}

// memory returns the memory operand of the instruction at a position as a source of the
// current hop.
func (t *tracer) memory(in *x86.Inst, o x86.Operand, position uint64) (from source, ok bool) {
	if in.Class.Is(x86.Vector) {
		return source{}, false
	}
	regs, err := t.regs(position)
	if err != nil {
		return source{}, false
	}
	from = source{position: position, hop: t.hop}
	if o.Kind == x86.Source {
		from.addr, from.size = regs.GPR[x86.RSI], uint64(max(o.Size, 1))
		return from, true
	}
	from.addr, from.size = in.Addr(&regs), uint64(in.Mem.Size)
	if from.size == 0 || from.size > maxValue {
		from.size = 8
	}
	return from, true
}

// regs returns the registers of the thread that makes the step at a position, and moves there.
func (t *tracer) regs(position uint64) (r x86.Regs, err error) {
	if err := t.s.Timeline.SeekQuietly(position); err != nil {
		return r, err
	}
	thread, err := t.threadAt(position)
	if err != nil {
		return r, err
	}
	regs, err := t.s.Target.View.Regs(thread)
	if err == nil {
		history.Addressing(&regs, &r)
	}
	return r, err
}

// threadAt returns the thread that makes the step at a position.
func (t *tracer) threadAt(position uint64) (thread int, err error) {
	err = t.s.Target.History.Steps.Transitions(t.ctx, position, position+1, func(tr *history.Transition) bool {
		thread = tr.Thread
		return false
	})
	return thread, err
}

// defines reports whether an instruction writes a register that it names.
func defines(in *x86.Inst, reg x86.Reg) bool {
	o := in.Operand(0)
	return o.Kind == x86.Register && o.Reg == reg && !in.ReadOnly() && !in.Class.Is(x86.Jump) && !in.Class.Is(x86.Call) && in.Name() != "push"
}

// sets returns whether a step changes a register or writes it again.
func sets(reg x86.Reg) func(*history.Transition, *x86.Inst) bool {
	return func(tr *history.Transition, in *x86.Inst) bool { return tr.Changed(reg) || defines(in, reg) }
}

// maxScan limits the steps back to the definition of a register.
const maxScan = 20_000_000

// register follows bits of a general register before a step.
func (t *tracer) register(reg x86.Reg, position, bits uint64) error {
	thread, err := t.threadAt(min(position, t.s.Target.History.End()-1))
	if err != nil {
		return err
	}
	followed := want{reg, bits}
	for range maxThrough {
		def, in, err := t.definition(thread, position, sets(followed.reg))
		if err != nil {
			return err
		}
		if in == nil {
			t.addOrigin(t.hop, fmt.Sprintf("%s, not changed since the recording began", followed.reg))
			return nil
		}
		next, done, err := t.defined(in, def, followed)
		if done || err != nil {
			return err
		}
		followed, position = next, def
	}
	return nil
}

// maxLooped limits the iterations whose operands are followed when a loop
// computes a value in a register.
const maxLooped = 2

// readsFirst reports whether an instruction computes its first operand from the
// old value of that operand.
func readsFirst(in *x86.Inst) bool {
	three := in.Operand(1).Kind != x86.NoOperand && in.Operand(2).Kind != x86.NoOperand
	return !moves[in.Stem()] && (in.Operand(0).Kind == x86.InMemory || !three)
}

// maxThrough limits the number of registers that a value is followed through in
// one hop.
const maxThrough = 100_000

// defined follows the instruction that defined a register. If the value was
// copied from one other register, defined returns what is wanted of that one and done is
// false.
func (t *tracer) defined(in *x86.Inst, position uint64, w want) (next want, done bool, err error) {
	if name := t.s.Target.History.Steps.SystemCall(position); name != "" {
		t.through(position, in.PC)
		t.addOrigin(t.hop, "the result of the system call "+name)
		return want{}, true, nil
	}
	name, first, second := in.Stem(), in.Operand(0), input(in)
	if w.untouched(first) {
		return w, false, nil
	}
	t.through(position, in.PC)
	if t.looped[in.PC]++; t.looped[in.PC] > maxLooped {
		return w, !readsFirst(in), nil // for a sum in a loop, go to the beginning only
	}
	p := part{bits: w.of(first)}
	switch {
	case zeroing[name] && first == second:
		t.addOrigin(t.hop, "the constant 0")
		return want{}, true, nil
	case moves[name]:
		p.bits = extended(name, p.bits, second.Size)
		if second.Kind == x86.Register && second.Reg != x86.RSP {
			return want{second.Reg, p.bits}, p.bits == 0, nil
		}
		return want{}, true, t.operand(in, second, position, p)
	case name == "pop":
		return want{}, true, t.popped(position)
	case name == "lea":
		return want{}, true, t.address(in, position, p.bits)
	case name == "cdqe" || name == "cwde" || name == "cbw":
		return want{x86.RAX, everyBit}, false, nil
	case name == "cdq" || name == "cqo" || name == "cwd":
		return want{x86.RAX, everyBit}, false, nil
	case usesFlags(name):
		return want{}, true, t.flags(position)
	case len(name) > 4 && name[:4] == "cmov":
		return want{}, true, t.operand(in, second, position, whole)
	case name == "div" || name == "idiv" || name == "mul" || name == "imul" && second.Kind == x86.NoOperand:
		return want{}, true, errors.Join(t.register(x86.RAX, position, everyBit), t.operand(in, first, position, whole))
	case name == "rdtsc" || name == "rdtscp" || name == "cpuid" || name == "rdrand" || name == "rdseed" || name == "xgetbv":
		t.addOrigin(t.hop, "the instruction "+name)
		return want{}, true, nil
	case len(name) > 3 && name[:3] == "cvt":
		return want{}, true, t.operand(in, second, position, whole)
	}
	return want{}, true, t.operands(in, position, p)
}

// popped queues the top of the stack.
func (t *tracer) popped(position uint64) error {
	regs, err := t.regs(position)
	if err == nil {
		t.queue = append(t.queue, source{addr: regs.GPR[x86.RSP], size: 8, position: position, hop: t.hop})
	}
	return err
}

// address follows bits of a computed address: its registers, or the name of a place that
// does not depend on values.
func (t *tracer) address(in *x86.Inst, position, bits uint64) error {
	base, index := in.Mem.Base, in.Mem.Index
	if index == x86.NoReg && (base == x86.RIP || base == x86.RSP || base == x86.RBP || base == x86.NoReg) {
		at, _ := t.memory(in, in.Operand(1), position)
		text := "the address " + plain.Hex(at.addr)
		if name := t.nameOf(source{addr: at.addr, size: 1}); name != "" {
			text += " of " + name
		}
		t.addOrigin(t.hop, text)
		return nil
	}
	for _, term := range t.terms(&in.Mem, position, bits) {
		if err := t.register(term.reg, position, term.bits); err != nil {
			return err
		}
	}
	return nil
}
