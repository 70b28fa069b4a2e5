package debugger

import (
	"context"

	"github.com/triptych-mcp/triptych/debugger/history"
	"github.com/triptych-mcp/triptych/debugger/proc"
	"github.com/triptych-mcp/triptych/debugger/symbols"
	"github.com/triptych-mcp/triptych/debugger/x86"
)

// backLine goes back to where a line begins: that of the code just before, or
// the one whose middle the process stands in. It is over when something else
// has stopped it, or where history begins.
func (s *session) backLine(ctx context.Context, over bool) (stop proc.Stop, done bool, err error) {
	w := &backWalk{s: s, ctx: ctx, over: over, bodies: map[uint64]uint64{}, look: s.newLookout(true)}
	w.begin()
	found, err := s.backward(ctx, w.behind)
	switch {
	case err != nil:
		stop, err = s.arrived(atMoment, err)
		return stop, true, err
	case w.look.found != nil:
		return w.look.stop(s.here()), true, nil
	case !found && !w.found:
		stop, err = s.arrived(atBeginning, nil)
		return stop, true, err
	}
	stop, err = s.goTo(ctx, w.first)
	return stop, false, err
}

// A backWalk goes back through the lines of one thread.
type backWalk struct {
	s      *session
	ctx    context.Context
	over   bool
	look   *lookout
	bodies map[uint64]uint64 // by where functions begin, where their code has passed its prologue

	thread  int
	pc, sp  uint64 // of the last place that counts
	outside uint64 // while in what was called: the stack pointer behind the call
	entered bool   // the function was entered since then

	found bool
	line  codeLine // to whose beginning it goes
	first uint64   // the earliest position of it so far
}

// A codeLine is a line of a function.
type codeLine struct {
	file     string
	line     int
	function uint64
}

func (w *backWalk) begin() {
	stop := w.s.here()
	w.thread, w.pc = stop.Thread, stop.Address
	if regs, err := w.s.scene.Regs(stop.Thread); err == nil {
		w.sp = regs.RSP
	}
}

// behind says whether the walk is over, at a position that it has just gone back
// to.
func (w *backWalk) behind(v *history.View) bool {
	if w.look.behind(v) {
		return true
	}
	regs, err := v.Regs(w.thread)
	if err != nil || v.Thread() != w.thread || w.isInside(regs.RIP, regs.RSP) {
		return false
	}
	called := w.sp > regs.RSP && w.s.instruction(regs.RIP).Class.Is(x86.Return)
	w.pc, w.sp = regs.RIP, regs.RSP
	at, ok := w.lineOf(regs.RIP)
	if !ok {
		return false
	}
	if w.found && (called || w.entered || at != w.line) {
		return true
	}
	w.found, w.entered, w.line, w.first = true, regs.RIP == at.function, at, v.Position()
	return false
}

// isInside says whether a place belongs to what was called by the place that
// counted last, and is to be passed.
func (w *backWalk) isInside(pc, sp uint64) bool {
	if w.outside != 0 {
		if sp < w.outside {
			return true
		}
		w.outside = 0
	}
	if !w.over || sp >= w.sp || !w.leads(pc) {
		return false
	}
	w.outside = w.sp
	return true
}

// leads says whether an instruction ends what was called: it returns, or goes to
// another function, as from a handler of a signal.
func (w *backWalk) leads(pc uint64) bool {
	if w.s.instruction(pc).Class.Is(x86.Return) {
		return true
	}
	was, _ := w.s.program.Function(w.pc) // a function that nobody knows is one, too
	is, _ := w.s.program.Function(pc)
	return was.Start != is.Start
}

// lineOf is the line of an address that may be stopped at: not in a prologue,
// where it notes that the function was entered.
func (w *backWalk) lineOf(pc uint64) (codeLine, bool) {
	file, line, ok := w.s.program.Line(pc)
	if !ok || line == 0 {
		return codeLine{}, false
	}
	f, _ := w.s.program.Function(pc) // likewise
	if f.Name == "" {
		return codeLine{file, line, 0}, true
	}
	body, known := w.bodies[f.Start]
	if !known {
		body = w.s.bodyOf(w.ctx, f.Start)
		w.bodies[f.Start] = body
	}
	if pc < body {
		w.entered = true
		return codeLine{}, false
	}
	return codeLine{file, line, f.Start}, true
}

// backOut goes back to the instruction that called the function. What was
// inlined begins where code of another function is before it.
func (s *session) backOut(ctx context.Context) (stop proc.Stop, over bool, err error) {
	frames, err := s.frames(0, maxInlined)
	if err != nil {
		return proc.Stop{}, true, err
	}
	inner, thread := frames[0], s.here().Thread
	if inner.CFA == 0 {
		return proc.Stop{}, true, failed("No caller", "where this function was called from cannot be found")
	}
	inside, _ := s.program.Function(inner.PC) // what nobody knows has nothing inlined
	look := s.newLookout(true)
	found, err := s.backward(ctx, func(v *history.View) bool {
		if look.behind(v) {
			return true
		}
		regs, err := v.Regs(thread)
		if err != nil || v.Thread() != thread {
			return false
		}
		return regs.RSP >= inner.CFA || inner.Inlined && s.isAround(regs.RIP, inside)
	})
	switch {
	case look.found != nil:
		return look.stop(s.here()), true, nil
	case !found && err == nil:
		stop, err = s.arrived(atBeginning, nil)
		return stop, true, err
	}
	stop, err = s.arrived(atMoment, err)
	return stop, stop.Why != atMoment, err
}

// isAround says whether code is of the same function, and not of what was inlined
// there.
func (s *session) isAround(pc uint64, inside symbols.Function) bool {
	f, ok := s.program.Function(pc)
	return ok && f.Start == inside.Start && (len(f.Inlined) == 0 || f.Inlined[0] != inside.Inlined[0])
}
