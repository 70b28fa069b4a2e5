package stepping

import (
	"context"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
	"github.com/triptych-mcp/triptych/debugger/internal/session/inspect"
)

// A backStepper goes back through history by lines and calls.
type backStepper struct {
	s      *Stepper
	bodies map[uint64]uint64 // end of the prologue by start of the function
}

// BackUnits step back by one line or call each. over reports whether the walk
// ended before that, at a breakpoint or at the beginning.
var BackUnits = map[string]func(b *backStepper, ctx context.Context) (stop proc.Stop, over bool, err error){
	"line": func(b *backStepper, ctx context.Context) (proc.Stop, bool, error) { return b.line(ctx, false) },
	"over": func(b *backStepper, ctx context.Context) (proc.Stop, bool, error) { return b.line(ctx, true) },
	"out":  (*backStepper).out,
}

// StepBack steps back by n units, or until a breakpoint or the beginning.
func (s *Stepper) StepBack(ctx context.Context, unit string, n int) (stop proc.Stop, err error) {
	b := &backStepper{s: s, bodies: map[uint64]uint64{}}
	for over := false; n > 0 && !over && err == nil; n-- {
		stop, over, err = BackUnits[unit](b, ctx)
	}
	return stop, err
}

// line goes back to the beginning of a line: the line of the code just before,
// or the current line if the thread is in its middle.
func (b *backStepper) line(ctx context.Context, over bool) (stop proc.Stop, done bool, err error) {
	s := b.s
	w := &backLineWalk{backStepper: b, ctx: ctx, over: over, conditions: s.newStopConditions(true), isGo: s.Inspector.IsGo()}
	if err := w.begin(); err != nil {
		return stop, true, err
	}
	found, err := s.Timeline.Backward(ctx, w.visit)
	switch {
	case err != nil:
		stop, err = s.Timeline.StopAt(AtMoment, err)
		return stop, true, err
	case w.conditions.found != nil:
		return w.conditions.stop(s.Target.CurrentStop()), true, nil
	case !found && !w.found:
		stop, err = s.Timeline.StopAt(AtBeginning, nil)
		return stop, true, err
	}
	stop, err = s.Timeline.GoTo(ctx, w.first)
	return stop, false, err
}

// A backLineWalk goes back through the lines of one thread, or in Go of one
// goroutine.
type backLineWalk struct {
	*backStepper
	ctx        context.Context //nolint:containedctx // lives as long as the walk
	over       bool
	isGo       bool
	conditions *stopConditions

	pc      uint64        // of the last position that counted
	at      inspect.Level // likewise
	inside  bool          // in a call made before that position, which is skipped
	entered bool          // the function was entered after that position

	found bool
	to    codeLine // the line whose start is looked for
	first uint64   // the earliest position of it so far
}

// A codeLine is a line of a function.
type codeLine struct {
	file     string
	line     int
	function uint64
}

func (w *backLineWalk) begin() (err error) {
	stop := w.s.Target.CurrentStop()
	w.pc = stop.Address
	w.at, err = w.s.Inspector.DepthOf(stop.Thread, 0, w.isGo)
	return err
}

// visit reports whether the backward walk is done, at the position that it has
// just moved to. The start of a line is only recognized one position before
// it, where breakpoints no longer count.
func (w *backLineWalk) visit(v *history.View) bool {
	pc := v.PC()
	at, err := w.s.Inspector.DepthOf(v.Thread(), 0, w.isGo)
	if err != nil || at.Owner != w.at.Owner || w.passes(at) {
		return w.conditions.stopsBackward(v)
	}
	called := w.over && w.isCalled(pc, at)
	if w.found && w.isBefore(pc, at, called) || w.conditions.stopsBackward(v) {
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

// passes reports whether a position is inside a call that the walk skips. It
// clears inside when the call is left.
func (w *backLineWalk) passes(at inspect.Level) bool {
	w.inside = w.inside && !at.Outside(w.at)
	return w.inside
}

// isBefore reports whether a position lies before the start of the line that
// was found: in another line or function, or at the return of a call that
// another line made.
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

// isCalled reports whether a position is the end of a call.
func (w *backLineWalk) isCalled(pc uint64, at inspect.Level) bool {
	return !at.Outside(w.at) && (w.isReturn(pc, at) || w.isElsewhere(pc))
}

// isReturn reports whether an instruction returns to the last position that
// counted.
func (w *backLineWalk) isReturn(pc uint64, at inspect.Level) bool {
	return !at.Outside(w.at) && w.s.Inspector.Instruction(pc).Class.Is(x86.Return)
}

// isElsewhere reports whether a position is in another function than the last
// one that counted, as signal handlers are.
func (w *backLineWalk) isElsewhere(pc uint64) bool {
	was, _ := w.s.Inspector.Program.Function(w.pc) // an unknown function counts as one
	is, _ := w.s.Inspector.Program.Function(pc)
	return was.Start != is.Start
}

// lineOf returns the line of an address where the walk may stop. Prologues are
// skipped: there it sets entered and returns false.
func (w *backLineWalk) lineOf(pc uint64) (codeLine, bool) {
	file, line, ok := w.s.Inspector.Program.Line(pc)
	if !ok || line == 0 {
		return codeLine{}, false
	}
	f, _ := w.s.Inspector.Program.Function(pc) // likewise
	if f.Name == "" {
		return codeLine{file, line, 0}, true
	}
	body, known := w.bodies[f.Start]
	if !known {
		body = w.s.Inspector.BodyOf(w.ctx, f.Start)
		w.bodies[f.Start] = body
	}
	if pc < body {
		w.entered = true
		return codeLine{}, false
	}
	return codeLine{file, line, f.Start}, true
}
