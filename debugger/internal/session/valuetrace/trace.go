package valuetrace

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
	"github.com/triptych-mcp/triptych/debugger/internal/session/failure"
	"github.com/triptych-mcp/triptych/debugger/internal/session/inspect"
	"github.com/triptych-mcp/triptych/debugger/internal/session/stepping"
)

// Trace follows the value of an expression at the current position through at
// most the given number of hops.
func Trace(ctx context.Context, s *stepping.Stepper, expression string, hops int) (*Result, error) {
	t := &tracer{ctx: ctx, s: s, result: Result{Expression: expression, Hops: []Hop{}}, known: map[uint64]int{}, instrs: map[uint64]x86.Inst{}, looped: map[uint64]int{}}
	here := s.Target.History.View().Position()
	var traceErr error
	err := s.Timeline.AtPosition(ctx, here, func() { traceErr = t.trace(expression, hops) })
	return &t.result, errors.Join(err, traceErr)
}

func (t *tracer) trace(expression string, hops int) error {
	if err := t.begin(expression); err != nil {
		return err
	}
	for len(t.queue) > 0 && len(t.result.Hops) < hops {
		next := t.queue[0]
		t.queue = t.queue[1:]
		if err := t.follow(next); err != nil {
			return err
		}
	}
	t.result.More = len(t.queue)
	return nil
}

// maxValue limits the size of values that are traced, in bytes.
const maxValue = 64

// begin queues the value of the expression: memory, or a variable in a register.
func (t *tracer) begin(expression string) error {
	value, err := t.s.Inspector.Evaluate(t.ctx, expression, 0, 0)
	if err != nil {
		return inspect.WrapError(err)
	}
	here := t.s.Target.History.View().Position()
	o, isObject := value.Object()
	if !isObject {
		return failure.Errorf("Expression failed", "%s is not a variable or memory", expression)
	}
	if place, ok := o.Place(); ok {
		t.s.Target.MaskDisplayed(place.Address, make([]byte, 1)) // a secret that is whole now is in parts before
		t.queue = []source{{addr: place.Address, size: uint64(min(max(place.Size, 1), maxValue)), mask: place.Mask, bits: true, position: here, hop: -1}}
		return nil
	}
	n, ok := o.Register()
	if !ok || n >= uint64(len(dwarfOrder)) {
		return failure.Errorf("Expression failed", "%s is neither in memory nor in a general register", expression)
	}
	t.result.Hops = append(t.result.Hops, Hop{Name: expression, Place: t.place(here, t.s.Target.History.View().PC())})
	t.hop = 0
	return t.register(dwarfOrder[n], here, everyBit)
}

// dwarfOrder has the general registers by their DWARF numbers (System V ABI,
// AMD64 supplement, figure 3.36).
var dwarfOrder = [16]x86.Reg{
	x86.RAX, x86.RDX, x86.RCX, x86.RBX, x86.RSI, x86.RDI, x86.RBP, x86.RSP,
	x86.R8, x86.R9, x86.R10, x86.R11, x86.R12, x86.R13, x86.R14, x86.R15,
}

// follow appends the hop of a source, and queues the sources of that hop.
func (t *tracer) follow(from source) error {
	from = t.field(from)
	w, repeats, err := t.lastWrite(from)
	if err != nil {
		return err
	}
	if w == nil {
		if !from.pointer {
			t.addOrigin(from.hop, t.unwritten(from))
		}
		return nil
	}
	if n, ok := t.known[w.Position]; ok {
		t.link(from, n)
		return nil
	}
	if err := t.s.Timeline.SeekQuietly(w.Position + 1); err != nil {
		return err
	}
	t.s.Target.LearnSecrets(w.Thread)
	hop := Hop{Value: t.valueAt(from), Repeats: repeats, Name: t.nameOf(from)}
	if err := t.s.Timeline.SeekQuietly(w.Position); err != nil {
		return err
	}
	regs, err := t.s.Target.View.Regs(w.Thread)
	if err != nil {
		return err
	}
	hop.Before = t.valueAt(from)
	hop.Place = t.place(w.Position, regs.RIP)
	hop.Stack = t.stack(w.Thread)
	t.hop, t.looped, t.pointed = len(t.result.Hops), map[uint64]int{}, from.address
	t.known[w.Position] = t.hop
	t.result.Hops = append(t.result.Hops, hop)
	if w.Kind != history.Stepped {
		t.addOrigin(t.hop, t.outside(w))
		t.link(from, t.hop)
		return nil
	}
	in := t.s.Inspector.Instruction(regs.RIP)
	t.result.Hops[t.hop].Instruction = t.instructionText(&in)
	queued, pointers := len(t.queue), t.pointers
	if err := t.stored(&in, from, w.Position); err != nil {
		return err
	}
	if t.kept(from, queued) {
		delete(t.known, w.Position)
		t.pointers = pointers
		return nil
	}
	t.link(from, t.hop)
	return nil
}

// outside describes a write that no instruction made.
func (t *tracer) outside(w *history.Write) string {
	switch w.Kind {
	case history.Called:
		return "input of the system call " + t.s.Target.History.Steps.SystemCall(w.Position)
	case history.Signalled:
		return "the delivery of a signal"
	case history.Ran:
		return "an unrecorded run of the process"
	}
	return "a change by the debugger"
}

// maxRepeats limits the number of writes by one instruction that are skipped.
const maxRepeats = 10_000

// lastWrite returns the last write of a source. If the same instruction wrote the
// same memory as in the hop that used it, as a sum in a loop does, the search
// continues to a write by another instruction.
func (t *tracer) lastWrite(from source) (w *history.Write, repeats int, err error) {
	position := from.position
	for {
		if err := t.s.Timeline.SeekQuietly(position); err != nil {
			return nil, 0, err
		}
		watch := stepping.Watch{Address: from.addr, Size: int(from.size)}
		if from.bits {
			watch.Mask = from.mask
		}
		found, ok, err := t.s.WriteBefore(t.ctx, &watch)
		if err != nil || !ok {
			return nil, repeats, err
		}
		same, err := t.repeats(from, &found)
		if err != nil || !same || repeats == maxRepeats {
			return &found, repeats, err
		}
		repeats++
		position = found.Position
	}
}

// repeats reports whether a write was made by the instruction of the hop that
// used it, to the same memory.
func (t *tracer) repeats(from source, w *history.Write) (bool, error) {
	if from.hop < 0 || from.pointer || w.Kind != history.Stepped { // a pointer is that of the time before
		return false, nil
	}
	user := &t.result.Hops[from.hop]
	if user.Position == 0 || user.Instruction == "" {
		return false, nil
	}
	if err := t.s.Timeline.SeekQuietly(w.Position); err != nil {
		return false, err
	}
	regs, err := t.s.Target.View.Regs(w.Thread)
	if err != nil {
		return false, err
	}
	return t.s.Inspector.InstructionText(regs.RIP) == user.Instruction && t.s.Inspector.Symbol(regs.RIP) == t.symbolAt(user), nil
}

// symbolAt returns the symbol of a hop's instruction.
func (t *tracer) symbolAt(h *Hop) string {
	here := t.s.Target.History.View().Position()
	defer func() { _ = t.s.Timeline.SeekQuietly(here) }() // cannot fail: it was the position before
	if t.s.Timeline.SeekQuietly(h.Position) != nil {
		return ""
	}
	return t.s.Inspector.Symbol(t.s.Target.History.View().PC())
}

// unwritten describes memory that was not written since recording began.
func (t *tracer) unwritten(from source) string {
	_ = t.s.Timeline.SeekQuietly(from.position) // cannot fail: the position was reached before
	text := fmt.Sprintf("%s = %s, not written since the recording began at %d", t.nameOf(from), t.valueAt(from), t.s.Target.History.Oldest())
	if m, ok := t.s.Target.History.View().Maps().Find(from.addr); ok && m.Path != "" {
		text += " (" + m.Path + ")"
	}
	return text
}

// link adds a hop to the sources of the hop that used the value, or to its pointers.
func (t *tracer) link(from source, n int) {
	if from.hop < 0 || from.hop == n {
		return
	}
	h := &t.result.Hops[from.hop]
	to := &h.From
	if from.pointer {
		to = &h.Pointers
	}
	if !slices.Contains(*to, n+1) {
		*to = append(*to, n+1)
	}
}

// addOrigin ends a source of a hop with the text of its origin.
func (t *tracer) addOrigin(hop int, text string) {
	if t.pointing {
		return // a fixed place, which tells nothing
	}
	if hop < 0 {
		t.result.Hops = append(t.result.Hops, Hop{Name: t.result.Expression})
		hop = 0
	}
	if h := &t.result.Hops[hop]; !slices.Contains(h.Origins, text) {
		h.Origins = append(h.Origins, text)
	}
}
