package valuetrace

import (
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
)

// definition returns the last step of a thread before a position that satisfies
// is, with its instruction, or a nil instruction if there is none.
func (t *tracer) definition(thread int, position uint64, is func(*history.Transition, *x86.Inst) bool) (at uint64, in *x86.Inst, err error) {
	steps := 0
	err = t.s.Target.History.Steps.TransitionsBack(t.ctx, position, func(tr *history.Transition) bool {
		if tr.Thread != thread {
			return true
		}
		if steps++; steps > maxScan {
			return false
		}
		i := t.instr(tr.PC)
		if !is(tr, i) {
			return true
		}
		at, in = tr.Position, i
		return false
	})
	return at, in, err
}

// instr returns the instruction at an address.
func (t *tracer) instr(pc uint64) *x86.Inst {
	in, known := t.instrs[pc]
	if !known {
		in = t.s.Inspector.Instruction(pc)
		in.PC = pc
		t.instrs[pc] = in
	}
	return &in
}

// vector follows a part of the value of a vector register before a step.
func (t *tracer) vector(reg x86.Reg, position uint64, p part) error {
	thread, err := t.threadAt(min(position, t.s.Target.History.End()-1))
	if err != nil {
		return err
	}
	for range maxThrough {
		def, in, err := t.definition(thread, position, func(tr *history.Transition, in *x86.Inst) bool {
			o := in.Operand(0)
			return o.Kind == x86.VectorReg && o.Reg == reg && !in.ReadOnly()
		})
		if err != nil || in == nil {
			return err
		}
		t.through(def, in.PC)
		name, second := in.Stem(), input(in)
		if t.looped[in.PC]++; t.looped[in.PC] > maxLooped {
			if position = def; !readsFirst(in) {
				return nil
			}
			continue
		}
		switch {
		case zeroing[name] && in.Operand(0).Reg == second.Reg && second.Kind == x86.VectorReg:
			t.addOrigin(t.hop, "the constant 0")
			return nil
		case moves[name] && second.Kind == x86.VectorReg:
			reg, position = second.Reg, def
			continue
		case moves[name] && second.Kind == x86.InMemory:
			return t.copied(in, def, p)
		case strings.HasPrefix(name, "cvt"):
			return t.operand(in, second, def, whole)
		}
		return t.operands(in, def, whole)
	}
	return nil
}

// copied queues the memory that a vector register was loaded from. If the memory
// is larger than the value, the queued part begins at the offset that the value
// had when it was stored.
func (t *tracer) copied(in *x86.Inst, position uint64, p part) error {
	if from, ok := t.memory(in, in.Operand(1), position); ok && p.narrow(&from) {
		t.queue = append(t.queue, from)
	}
	return nil
}

// flags follows the operands of the comparison before a position.
func (t *tracer) flags(position uint64) error {
	thread, err := t.threadAt(position)
	if err != nil {
		return err
	}
	at, in, err := t.definition(thread, position, func(_ *history.Transition, in *x86.Inst) bool {
		switch in.Stem() {
		case "cmp", "test", "ucomisd", "ucomiss", "comisd", "comiss", "sub", "and", "bt":
			return true
		}
		return false
	})
	if err != nil || in == nil {
		return err
	}
	t.through(at, in.PC)
	for n := range 2 {
		if err := t.operand(in, in.Operand(n), at, whole); err != nil {
			return err
		}
	}
	return nil
}
