package stepping

import (
	"context"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
	"github.com/triptych-mcp/triptych/debugger/internal/session/inspect"
)

// A lineWalk steps forward through the lines of a function.
type lineWalk struct {
	*walk
	into   bool                 // into functions that are called
	arrive func(pc uint64) bool // reports whether the walk has arrived
	instrs map[uint64]instr     // decoded so far, by address
	top    uint64               // the end of the callers' frames, 0 until it is needed
}

// newLineWalk returns a walk that ends at the first address for which arrive
// returns true.
func (s *Stepper) newLineWalk(into bool, arrive func(pc uint64) bool) *lineWalk {
	return &lineWalk{walk: &walk{s}, into: into, arrive: arrive, instrs: map[uint64]instr{}}
}

// StepLine steps to another line, into called functions or over them. In code
// without lines it steps out of the function.
func (s *Stepper) StepLine(ctx context.Context, into bool) (proc.Stop, error) {
	from := s.Target.CurrentStop()
	if _, _, ok := s.Inspector.Program.Line(from.Address); !ok {
		return s.StepOut(ctx)
	}
	return s.newLineWalk(into, s.otherLine(from.Address)).run(ctx, from.Address)
}

// otherLine returns a function that reports whether an address belongs to
// another line than the given one.
func (s *Stepper) otherLine(than uint64) func(pc uint64) bool {
	file, line, _ := s.Inspector.Program.Line(than)
	return func(pc uint64) bool {
		f, l, ok := s.Inspector.Program.Line(pc)
		return ok && l != 0 && (l != line || f != file)
	}
}

// run walks until it has arrived or something else stops it. Code without
// calls is recorded or replayed in one go.
func (w *lineWalk) run(ctx context.Context, pc uint64) (proc.Stop, error) {
	for {
		ahead, err := w.segment(pc)
		if err != nil {
			return proc.Stop{}, err
		}
		stop, over, err := w.until(ctx, ahead.done)
		switch {
		case over || err != nil:
			return stop, err
		case ahead.by.is(x86.Return):
			return w.returned(ctx, stop)
		case ahead.by.is(x86.Call) && stop.Address != ahead.by.next:
			stop, over, err = w.call(ctx, stop, ahead.by.next)
			over = over || err == nil && w.arrive(stop.Address)
		default:
			over = true
		}
		if over || err != nil {
			return stop, err
		}
		pc = stop.Address
	}
}

// call continues after a call instruction, at the entry of the called
// function.
func (w *lineWalk) call(ctx context.Context, stop proc.Stop, back uint64) (at proc.Stop, over bool, err error) {
	entry, err := w.s.Inspector.LevelOf(stop.Thread, 0)
	if err != nil {
		return stop, true, err
	}
	entry.Depth-- // the return address is off the stack then
	regs, err := w.s.Target.View.Regs(stop.Thread)
	if err != nil {
		return stop, true, err
	}
	if w.top == 0 {
		w.top = w.s.Inspector.CallersEnd()
	}
	if w.into && !w.s.Inspector.GrowsStack(stop.Address) {
		stop, over, err = w.enter(ctx, stop)
		if over || err != nil {
			return stop, true, err
		}
	}
	return w.out(ctx, back, entry, regs.RSP+1)
}

// out leaves a function that has no lines, or is stepped over.
func (w *lineWalk) out(ctx context.Context, back uint64, to inspect.Level, bottom uint64) (at proc.Stop, over bool, err error) {
	o, err := w.s.newCallEnd(back, to)
	if err != nil {
		return proc.Stop{}, true, err
	}
	o.within(bottom, w.top)
	at, err = w.s.runOut(ctx, o)
	if err == nil && o.escaped {
		return at, w.landed(at.Address), nil
	}
	return at, !o.reached, err
}

// landed reports whether a line begins where an unwound call ended up.
// Otherwise the walk goes on to the next line that begins.
func (w *lineWalk) landed(pc uint64) bool {
	w.arrive = w.s.otherLine(pc)
	clear(w.instrs)
	_, _, ok := w.s.Inspector.Program.Line(pc)
	return ok && w.arrive(pc-1)
}

// maxTrampoline bounds the instructions between a call and the function it is
// meant for: linker stubs have three.
const maxTrampoline = 8

// enter goes to where the function's own code begins, if it has lines. Then
// over is true.
func (w *lineWalk) enter(ctx context.Context, stop proc.Stop) (at proc.Stop, over bool, err error) {
	for range maxTrampoline {
		if _, _, ok := w.s.Inspector.Program.Line(stop.Address); ok {
			return w.body(ctx, stop)
		}
		in := w.s.Inspector.Instruction(stop.Address)
		if !in.Class.Is(x86.Jump) && in.Name() != "endbr64" {
			break
		}
		if stop, over, err = w.step(ctx); over {
			return stop, true, err
		}
	}
	return stop, false, nil
}

// maxPrologue bounds the instructions of a prologue.
const maxPrologue = 64

// body steps over the prologue of a function. In Go the prologue may call for
// a larger stack and start again.
func (w *lineWalk) body(ctx context.Context, stop proc.Stop) (at proc.Stop, over bool, err error) {
	body, isGo := w.s.Inspector.BodyOf(ctx, stop.Address), w.s.Inspector.IsGo()
	_, entry, _ := w.s.Inspector.Program.Line(stop.Address)
	for range maxPrologue {
		_, line, _ := w.s.Inspector.Program.Line(stop.Address)
		if stop.Address == body || stop.Address > body && !(isGo && line == entry) {
			break
		}
		in := w.s.Inspector.Instruction(stop.Address)
		if stop, over, err = w.step(ctx); over {
			return stop, true, err
		}
		if in.Class.Is(x86.Call) && w.s.Inspector.GrowsStack(stop.Address) {
			if stop, over, err = w.call(ctx, stop, in.Next()); over {
				return stop, true, err
			}
		}
	}
	return stop, true, nil
}

// returned continues after a return instruction. If the caller has no lines,
// the process runs on.
func (w *lineWalk) returned(ctx context.Context, stop proc.Stop) (proc.Stop, error) {
	if _, _, ok := w.s.Inspector.Program.Line(stop.Address); ok {
		return stop, nil
	}
	return w.s.Continue(ctx)
}
