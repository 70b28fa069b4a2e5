package debugger

import (
	"context"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/x86"
)

// A lineWalk steps through the lines of a function.
type lineWalk struct {
	*walk
	into   bool                 // into functions that are called
	arrive func(pc uint64) bool // the walk is where it should be
	places map[uint64]place     // on the way, by address
	top    uint64               // the end of the callers' frames, if they were looked for
}

// newLineWalk makes a walk to where arrive says.
func (s *stepper) newLineWalk(into bool, arrive func(pc uint64) bool) *lineWalk {
	return &lineWalk{walk: &walk{s}, into: into, arrive: arrive, places: map[uint64]place{}}
}

// stepLine goes on to another line, into functions that are called or over
// them. In code without lines it goes out of the function.
func (s *stepper) stepLine(ctx context.Context, into bool) (proc.Stop, error) {
	from := s.here()
	if _, _, ok := s.program.Line(from.Address); !ok {
		return s.stepOut(ctx)
	}
	return s.newLineWalk(into, s.elsewhere(from.Address)).run(ctx, from.Address)
}

// elsewhere says of an address whether it is of another line than one is, which
// may have none.
func (s *stepper) elsewhere(than uint64) func(pc uint64) bool {
	file, line, _ := s.program.Line(than)
	return func(pc uint64) bool {
		f, l, ok := s.program.Line(pc)
		return ok && l != 0 && (l != line || f != file)
	}
}

// run walks until it has arrived or something else stops it. What calls nothing
// is gone through at once.
func (w *lineWalk) run(ctx context.Context, pc uint64) (proc.Stop, error) {
	for {
		ahead, err := w.stretch(pc)
		if err != nil {
			return proc.Stop{}, err
		}
		stop, over, err := w.until(ctx, ahead.ends)
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
	entry, err := w.s.levelOf(stop.Thread, 0)
	if err != nil {
		return stop, true, err
	}
	entry.depth-- // the return address is off the stack then
	regs, err := w.s.scene.Regs(stop.Thread)
	if err != nil {
		return stop, true, err
	}
	if w.top == 0 {
		w.top = w.s.callers()
	}
	if w.into && !w.s.growsStack(stop.Address) {
		stop, over, err = w.enter(ctx, stop)
		if over || err != nil {
			return stop, true, err
		}
	}
	return w.out(ctx, back, entry, regs.RSP+1)
}

// out goes out of a function that has no lines, or whose lines do not matter.
func (w *lineWalk) out(ctx context.Context, back uint64, to level, bottom uint64) (at proc.Stop, over bool, err error) {
	o, err := w.s.newWayOut(back, to)
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
	w.arrive = w.s.elsewhere(pc)
	clear(w.places)
	_, _, ok := w.s.program.Line(pc)
	return ok && w.arrive(pc-1)
}

// maxTrampoline is how many instructions may lead from a call to the function
// that is meant: stubs of the linker have three.
const maxTrampoline = 8

// enter goes to where the function's own code begins, if it has lines. The walk
// is over then.
func (w *lineWalk) enter(ctx context.Context, stop proc.Stop) (at proc.Stop, over bool, err error) {
	for range maxTrampoline {
		if _, _, ok := w.s.program.Line(stop.Address); ok {
			return w.body(ctx, stop)
		}
		in := w.s.instruction(stop.Address)
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
	body, isGo := w.s.bodyOf(ctx, stop.Address), w.s.isGo()
	_, entry, _ := w.s.program.Line(stop.Address)
	for range maxPrologue {
		_, line, _ := w.s.program.Line(stop.Address)
		if stop.Address == body || stop.Address > body && !(isGo && line == entry) {
			break
		}
		in := w.s.instruction(stop.Address)
		if stop, over, err = w.step(ctx); over {
			return stop, true, err
		}
		if in.Class.Is(x86.Call) && w.s.growsStack(stop.Address) {
			if stop, over, err = w.call(ctx, stop, in.Next()); over {
				return stop, true, err
			}
		}
	}
	return stop, true, nil
}

// growsStack says whether code is where Go's functions begin that need more stack
// than there is.
func (s *inspector) growsStack(pc uint64) bool {
	f, ok := s.program.Function(pc)
	return ok && strings.HasPrefix(f.Name, "runtime.morestack")
}

// bodyOf is where the arguments of the function at an address have their
// values; the address itself when nobody knows.
func (s *inspector) bodyOf(ctx context.Context, addr uint64) uint64 {
	f, ok := s.program.Function(addr)
	if !ok || f.Offset != 0 {
		return addr
	}
	places, _ := s.program.Entry(ctx, f.Name) // none is as good as an error
	for _, p := range places {
		if same, ok := s.program.Function(p.Addr); ok && same.Start == f.Start {
			return p.Addr
		}
	}
	return addr
}

// returned is behind a return instruction. A caller without lines is not
// something to stop in: the process runs on.
func (w *lineWalk) returned(ctx context.Context, stop proc.Stop) (proc.Stop, error) {
	if _, _, ok := w.s.program.Line(stop.Address); ok {
		return stop, nil
	}
	return w.s.onward(ctx)
}

// stepOut runs until the function returns to its caller. What was inlined ends
// where its code does.
func (s *stepper) stepOut(ctx context.Context) (proc.Stop, error) {
	frames, err := s.frames(0, maxInlined)
	if err != nil {
		return proc.Stop{}, err
	}
	inner := frames[0]
	if inner.Inlined {
		w := s.newLineWalk(false, func(pc uint64) bool {
			f, ok := s.program.Function(pc)
			return !ok || len(f.Inlined) == 0 || f.Inlined[0] != inner.Function
		})
		return w.run(ctx, inner.PC)
	}
	for i := range frames {
		if f := &frames[i]; f.CFA != inner.CFA {
			return s.stepOutTo(ctx, f.PC, inner.CFA)
		}
	}
	return proc.Stop{}, failed("No caller", "this is the outermost function that can be found")
}

// maxInlined is how many frames one function with what is inlined may have.
const maxInlined = 100

func (s *stepper) stepOutTo(ctx context.Context, pc, sp uint64) (proc.Stop, error) {
	out, err := s.levelOf(s.here().Thread, sp)
	if err != nil {
		return proc.Stop{}, err
	}
	w := s.newLineWalk(false, nil)
	w.top = s.callers()
	stop, over, err := w.out(ctx, pc, out, sp)
	if over || err != nil || w.arrive == nil {
		return stop, err
	}
	return w.run(ctx, stop.Address)
}
