package stepping

import (
	"context"

	"github.com/triptych-mcp/triptych/debugger/internal/inspect"
	"github.com/triptych-mcp/triptych/debugger/internal/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/x86"
)

// A lineWalk steps through the lines of a function.
type lineWalk struct {
	*walk
	into   bool                 // into functions that are called
	arrive func(pc uint64) bool // the walk is where it should be
	instrs map[uint64]instr     // on the way, by address
	top    uint64               // the end of the callers' frames, if they were looked for
}

// newLineWalk makes a walk to where arrive says.
func (s *Stepper) newLineWalk(into bool, arrive func(pc uint64) bool) *lineWalk {
	return &lineWalk{walk: &walk{s}, into: into, arrive: arrive, instrs: map[uint64]instr{}}
}

// StepLine goes on to another line, into functions that are called or over
// them. In code without lines it goes out of the function.
func (s *Stepper) StepLine(ctx context.Context, into bool) (proc.Stop, error) {
	from := s.CurrentStop()
	if _, _, ok := s.Program.Line(from.Address); !ok {
		return s.StepOut(ctx)
	}
	return s.newLineWalk(into, s.otherLine(from.Address)).run(ctx, from.Address)
}

// otherLine says of an address whether it is of another line than one is, which
// may have none.
func (s *Stepper) otherLine(than uint64) func(pc uint64) bool {
	file, line, _ := s.Program.Line(than)
	return func(pc uint64) bool {
		f, l, ok := s.Program.Line(pc)
		return ok && l != 0 && (l != line || f != file)
	}
}

// run walks until it has arrived or something else stops it. What calls nothing
// is gone through at once.
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

// call is behind a call instruction, in the function that was called.
func (w *lineWalk) call(ctx context.Context, stop proc.Stop, back uint64) (at proc.Stop, over bool, err error) {
	entry, err := w.s.LevelOf(stop.Thread, 0)
	if err != nil {
		return stop, true, err
	}
	entry.Depth-- // the return address is off the stack then
	regs, err := w.s.View.Regs(stop.Thread)
	if err != nil {
		return stop, true, err
	}
	if w.top == 0 {
		w.top = w.s.CallersEnd()
	}
	if w.into && !w.s.GrowsStack(stop.Address) {
		stop, over, err = w.enter(ctx, stop)
		if over || err != nil {
			return stop, true, err
		}
	}
	return w.out(ctx, back, entry, regs.RSP+1)
}

// out goes out of a function that has no lines, or whose lines do not matter.
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

// landed says whether a line begins where a caller was come to by another way
// than a return. If none does, the walk is to the next that begins.
func (w *lineWalk) landed(pc uint64) bool {
	w.arrive = w.s.otherLine(pc)
	clear(w.instrs)
	_, _, ok := w.s.Program.Line(pc)
	return ok && w.arrive(pc-1)
}

// maxTrampoline is how many instructions may lead from a call to the function
// that is meant: stubs of the linker have three.
const maxTrampoline = 8

// enter goes to where the function's own code begins, if it has lines. The walk
// is over then.
func (w *lineWalk) enter(ctx context.Context, stop proc.Stop) (at proc.Stop, over bool, err error) {
	for range maxTrampoline {
		if _, _, ok := w.s.Program.Line(stop.Address); ok {
			return w.body(ctx, stop)
		}
		in := w.s.Instruction(stop.Address)
		if !in.Class.Is(x86.Jump) && in.Name() != "endbr64" {
			break
		}
		if stop, over, err = w.step(ctx); over {
			return stop, true, err
		}
	}
	return stop, false, nil
}

// maxPrologue is how many instructions a prologue may have.
const maxPrologue = 64

// body passes the prologue of a function. In Go it may lead to code behind the
// function that calls for a larger stack and then begins again.
func (w *lineWalk) body(ctx context.Context, stop proc.Stop) (at proc.Stop, over bool, err error) {
	body, isGo := w.s.BodyOf(ctx, stop.Address), w.s.IsGo()
	_, entry, _ := w.s.Program.Line(stop.Address)
	for range maxPrologue {
		_, line, _ := w.s.Program.Line(stop.Address)
		if stop.Address == body || stop.Address > body && !(isGo && line == entry) {
			break
		}
		in := w.s.Instruction(stop.Address)
		if stop, over, err = w.step(ctx); over {
			return stop, true, err
		}
		if in.Class.Is(x86.Call) && w.s.GrowsStack(stop.Address) {
			if stop, over, err = w.call(ctx, stop, in.Next()); over {
				return stop, true, err
			}
		}
	}
	return stop, true, nil
}

// returned is behind a return instruction. A caller without lines is not
// something to stop in: the process runs on.
func (w *lineWalk) returned(ctx context.Context, stop proc.Stop) (proc.Stop, error) {
	if _, _, ok := w.s.Program.Line(stop.Address); ok {
		return stop, nil
	}
	return w.s.Continue(ctx)
}
