package stepping

import (
	"context"

	"github.com/triptych-mcp/triptych/debugger/internal/history"
	"github.com/triptych-mcp/triptych/debugger/internal/inspect"
	"github.com/triptych-mcp/triptych/debugger/internal/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/x86"
)

// A backStepper goes back by source.
type backStepper struct {
	s      *Stepper
	bodies map[uint64]uint64 // by where functions begin, where their code has passed its prologue
}

// BackUnits go back by one unit each. They are over when they have come to
// something else.
var BackUnits = map[string]func(b *backStepper, ctx context.Context) (stop proc.Stop, over bool, err error){
	"line": func(b *backStepper, ctx context.Context) (proc.Stop, bool, error) { return b.line(ctx, false) },
	"over": func(b *backStepper, ctx context.Context) (proc.Stop, bool, error) { return b.line(ctx, true) },
	"out":  (*backStepper).out,
}

// StepBack goes a way n times, or until it is over.
func (s *Stepper) StepBack(ctx context.Context, unit string, n int) (stop proc.Stop, err error) {
	b := &backStepper{s: s, bodies: map[uint64]uint64{}}
	for over := false; n > 0 && !over && err == nil; n-- {
		stop, over, err = BackUnits[unit](b, ctx)
	}
	return stop, err
}

// line goes back to where a line begins: that of the code just before, or the
// one whose middle the process stands in.
func (b *backStepper) line(ctx context.Context, over bool) (stop proc.Stop, done bool, err error) {
	s := b.s
	w := &backLineWalk{backStepper: b, ctx: ctx, over: over, look: s.newStopConditions(true), isGo: s.IsGo()}
	if err := w.begin(); err != nil {
		return stop, true, err
	}
	found, err := s.Backward(ctx, w.visit)
	switch {
	case err != nil:
		stop, err = s.StopAt(AtMoment, err)
		return stop, true, err
	case w.look.found != nil:
		return w.look.stop(s.CurrentStop()), true, nil
	case !found && !w.found:
		stop, err = s.StopAt(AtBeginning, nil)
		return stop, true, err
	}
	stop, err = s.GoTo(ctx, w.first)
	return stop, false, err
}

// A backLineWalk goes back through the lines of one thread, or in Go of one
// goroutine.
type backLineWalk struct {
	*backStepper
	ctx  context.Context //nolint:containedctx // lives as long as the walk
	over bool
	isGo bool
	look *stopConditions

	pc      uint64        // of the last place that counts
	at      inspect.Level // likewise
	inside  bool          // what was called behind that place, and is passed
	entered bool          // the function was entered since then

	found bool
	to    codeLine // to whose beginning it goes
	first uint64   // the earliest position of it so far
}

// A codeLine is a line of a function.
type codeLine struct {
	file     string
	line     int
	function uint64
}

func (w *backLineWalk) begin() (err error) {
	stop := w.s.CurrentStop()
	w.pc = stop.Address
	w.at, err = w.s.DepthOf(stop.Thread, 0, w.isGo)
	return err
}

// visit says whether the walk is over, at a position that it has just gone back
// to. Where a line begins is known only by the position before it, at which
// nothing stops any more.
func (w *backLineWalk) visit(v *history.View) bool {
	pc := v.PC()
	at, err := w.s.DepthOf(v.Thread(), 0, w.isGo)
	if err != nil || at.Owner != w.at.Owner || w.passes(at) {
		return w.look.stopsBackward(v)
	}
	called := w.over && w.isCalled(pc, at)
	if w.found && w.isBefore(pc, at, called) || w.look.stopsBackward(v) {
		return true
	}
	if w.inside = called; called {
		return false
	}
	w.pc, w.at = pc, at
	if line, ok := w.lineOf(pc); ok {
		w.found, w.entered, w.to, w.first = true, pc == line.function, line, v.Position()
	}
	return false
}

// passes says whether a place is in what was called, and notes when it is not
// any more.
func (w *backLineWalk) passes(at inspect.Level) bool {
	w.inside = w.inside && !at.Outside(w.at)
	return w.inside
}

// isBefore says whether a place is behind the beginning of the line that was
// found: in another line or function, or the end of what another line has
// called.
func (w *backLineWalk) isBefore(pc uint64, at inspect.Level, called bool) bool {
	if !called {
		line, ok := w.lineOf(pc)
		return ok && (w.entered || line != w.to || w.isReturn(pc, at))
	}
	if !w.isReturn(pc, at) {
		return false // of a handler of a signal
	}
	caller, ok := w.lineOf(w.pc - 1)
	return ok && caller != w.to
}

// isCalled says whether a place is the end of what was called.
func (w *backLineWalk) isCalled(pc uint64, at inspect.Level) bool {
	return !at.Outside(w.at) && (w.isReturn(pc, at) || w.isElsewhere(pc))
}

// isReturn says whether an instruction returns to the place that counted last.
func (w *backLineWalk) isReturn(pc uint64, at inspect.Level) bool {
	return !at.Outside(w.at) && w.s.Instruction(pc).Class.Is(x86.Return)
}

// isElsewhere says whether a place is in another function than the one that
// counted last, as handlers of signals are.
func (w *backLineWalk) isElsewhere(pc uint64) bool {
	was, _ := w.s.Program.Function(w.pc) // a function that nobody knows is one, too
	is, _ := w.s.Program.Function(pc)
	return was.Start != is.Start
}

// lineOf is the line of an address that may be stopped at: not in a prologue,
// where it notes that the function was entered.
func (w *backLineWalk) lineOf(pc uint64) (codeLine, bool) {
	file, line, ok := w.s.Program.Line(pc)
	if !ok || line == 0 {
		return codeLine{}, false
	}
	f, _ := w.s.Program.Function(pc) // likewise
	if f.Name == "" {
		return codeLine{file, line, 0}, true
	}
	body, known := w.bodies[f.Start]
	if !known {
		body = w.s.BodyOf(w.ctx, f.Start)
		w.bodies[f.Start] = body
	}
	if pc < body {
		w.entered = true
		return codeLine{}, false
	}
	return codeLine{file, line, f.Start}, true
}
