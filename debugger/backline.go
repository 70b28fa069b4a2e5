package debugger

import (
	"context"

	"github.com/triptych-mcp/triptych/debugger/internal/history"
	"github.com/triptych-mcp/triptych/debugger/internal/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/x86"
)

// A wayBack goes back by source.
type wayBack struct {
	s      *stepper
	bodies map[uint64]uint64 // by where functions begin, where their code has passed its prologue
}

// waysBack go back by one unit each. They are over when they have come to
// something else.
var waysBack = map[string]func(b *wayBack, ctx context.Context) (stop proc.Stop, over bool, err error){
	"line": func(b *wayBack, ctx context.Context) (proc.Stop, bool, error) { return b.line(ctx, false) },
	"over": func(b *wayBack, ctx context.Context) (proc.Stop, bool, error) { return b.line(ctx, true) },
	"out":  (*wayBack).out,
}

// backBy goes a way n times, or until it is over.
func (s *stepper) backBy(ctx context.Context, unit string, n int) (stop proc.Stop, err error) {
	b := &wayBack{s: s, bodies: map[uint64]uint64{}}
	for over := false; n > 0 && !over && err == nil; n-- {
		stop, over, err = waysBack[unit](b, ctx)
	}
	return stop, err
}

// line goes back to where a line begins: that of the code just before, or the
// one whose middle the process stands in.
func (b *wayBack) line(ctx context.Context, over bool) (stop proc.Stop, done bool, err error) {
	s := b.s
	w := &backWalk{wayBack: b, ctx: ctx, over: over, look: s.newLookout(true), isGo: s.isGo()}
	if err := w.begin(); err != nil {
		return stop, true, err
	}
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

// A backWalk goes back through the lines of one thread, or in Go of one
// goroutine.
type backWalk struct {
	*wayBack
	ctx  context.Context //nolint:containedctx // lives as long as the walk
	over bool
	isGo bool
	look *lookout

	pc      uint64 // of the last place that counts
	at      level  // likewise
	inside  bool   // what was called behind that place, and is passed
	entered bool   // the function was entered since then

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

func (w *backWalk) begin() (err error) {
	stop := w.s.here()
	w.pc = stop.Address
	w.at, err = w.s.depthOf(stop.Thread, 0, w.isGo)
	return err
}

// behind says whether the walk is over, at a position that it has just gone back
// to. Where a line begins is known only by the position before it, at which
// nothing stops any more.
func (w *backWalk) behind(v *history.View) bool {
	pc := v.PC()
	at, err := w.s.depthOf(v.Thread(), 0, w.isGo)
	if err != nil || at.who != w.at.who || w.passes(at) {
		return w.look.behind(v)
	}
	called := w.over && w.isCalled(pc, at)
	if w.found && w.isBefore(pc, at, called) || w.look.behind(v) {
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
func (w *backWalk) passes(at level) bool {
	w.inside = w.inside && !at.outside(w.at)
	return w.inside
}

// isBefore says whether a place is behind the beginning of the line that was
// found: in another line or function, or the end of what another line has
// called.
func (w *backWalk) isBefore(pc uint64, at level, called bool) bool {
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
func (w *backWalk) isCalled(pc uint64, at level) bool {
	return !at.outside(w.at) && (w.isReturn(pc, at) || w.isElsewhere(pc))
}

// isReturn says whether an instruction returns to the place that counted last.
func (w *backWalk) isReturn(pc uint64, at level) bool {
	return !at.outside(w.at) && w.s.instruction(pc).Class.Is(x86.Return)
}

// isElsewhere says whether a place is in another function than the one that
// counted last, as handlers of signals are.
func (w *backWalk) isElsewhere(pc uint64) bool {
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

// out goes back to the instruction that called the function. What was inlined
// begins where code of another function is before it.
func (b *wayBack) out(ctx context.Context) (stop proc.Stop, over bool, err error) {
	s := b.s
	frames, err := s.frames(0, maxInlined)
	if err != nil {
		return proc.Stop{}, true, err
	}
	inner, isGo := frames[0], s.isGo()
	if inner.CFA == 0 {
		return proc.Stop{}, true, failed("No caller", "where this function was called from cannot be found")
	}
	outer, err := s.depthOf(s.here().Thread, inner.CFA, isGo)
	if err != nil {
		return proc.Stop{}, true, err
	}
	inside, _ := s.program.Function(inner.PC) // what nobody knows has nothing inlined
	look := s.newLookout(true)
	found, err := s.backward(ctx, func(v *history.View) bool {
		at, err := s.depthOf(v.Thread(), 0, isGo)
		return look.behind(v) || err == nil && at.who == outer.who &&
			(at.outside(outer) || inner.Inlined && s.isAround(v.PC(), inside))
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
func (s *inspector) isAround(pc uint64, inside symbols.Function) bool {
	f, ok := s.program.Function(pc)
	return ok && f.Start == inside.Start && (len(f.Inlined) == 0 || f.Inlined[0] != inside.Inlined[0])
}
