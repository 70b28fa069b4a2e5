package debugger

import (
	"context"
	"encoding/binary"
	"errors"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/history"
	"github.com/triptych-mcp/triptych/debugger/internal/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/x86"
)

// A walk goes instruction by instruction, through the past and on from there.
type walk struct{ s *stepper }

// step does one instruction. It says whether the walk is over: something has
// stopped it, be it a breakpoint.
func (w *walk) step(ctx context.Context) (stop proc.Stop, over bool, err error) {
	if ctx.Err() != nil { // the past does not look at each step
		stop = w.s.here()
		stop.Why = proc.Paused
		return stop, true, nil //nolint:nilerr // to be paused is no failure
	}
	stop, err = w.s.forward(ctx, 1)
	return stop, err != nil || stop.Why != proc.Stepped, err
}

// until goes on until something is true, which is asked after each instruction.
// It says whether the walk is over: something else has stopped it.
func (w *walk) until(ctx context.Context, holds func(*history.View) bool) (stop proc.Stop, over bool, err error) {
	s := w.s
	if s.inPast() || s.process == nil {
		stop, reached, err := s.replayTo(ctx, holds)
		if err != nil || reached || stop.Why != atPresent || s.process == nil {
			return stop, !reached, err
		}
	}
	reached := false
	stop, err = s.live(ctx, history.Limits{HoldSignals: true, Until: func(v *history.View) bool {
		reached = holds(v)
		return reached
	}})
	return stop, !reached || stop.Why != proc.Stepped, err
}

// instruction decodes what is at an address; the zero Inst is none.
func (s *inspector) instruction(addr uint64) x86.Inst {
	var code [x86.MaxLen]byte
	n, _ := s.scene.ReadMemory(addr, code[:]) // fewer at the end of a mapping
	in, err := x86.Decode(code[:n], addr)
	if err != nil {
		return x86.Inst{}
	}
	return in
}

// A level says how deep in calls a thread, or in Go a goroutine, is. Deeper
// levels of the same one have a greater depth.
type level struct{ who, depth uint64 }

// outside says whether a level is at most as deep as another of the same one.
func (l level) outside(of level) bool { return l.who == of.who && l.depth <= of.depth }

// levelOf is the level of a thread with its stack pointer at sp; 0 is where it
// is now. Stacks of goroutines move, so their depth counts from their ends.
func (s *inspector) levelOf(thread int, sp uint64) (level, error) {
	return s.depthOf(thread, sp, s.isGo())
}

// depthOf is levelOf for those who know whether the program is one of Go.
func (s *inspector) depthOf(thread int, sp uint64, isGo bool) (level, error) {
	regs, err := s.scene.Regs(thread)
	if err != nil {
		return level{}, err
	}
	if sp == 0 {
		sp = regs.RSP
	}
	if isGo {
		if g, top, ok := s.goroutine(regs.FSBase); ok {
			return level{g, top - sp}, nil
		}
	}
	return level{uint64(thread), ^sp}, nil
}

// isGo says whether the program has Go's runtime.
func (s *inspector) isGo() bool {
	found, err := s.program.Lookup(s.life, "runtime.allgs")
	return err == nil && len(found) > 0
}

// goroutine is the one that a thread runs, and the top of its stack: its
// descriptor is below the thread pointer and begins with the stack's bounds
// (runtime.g in runtime2.go; tls_g in the linker).
func (s *inspector) goroutine(fsBase uint64) (g, top uint64, ok bool) {
	var b [8]byte
	if _, err := s.scene.ReadMemory(fsBase-8, b[:]); err != nil {
		return 0, 0, false
	}
	g = binary.LittleEndian.Uint64(b[:])
	if _, err := s.scene.ReadMemory(g+8, b[:]); g == 0 || err != nil {
		return 0, 0, false
	}
	return g, binary.LittleEndian.Uint64(b[:]), true
}

// A call is recorded up to so many steps and so long, and then runs freely.
const (
	maxRecorded     = 1 << 20
	maxRecordedTime = 200 * time.Millisecond
)

// runOut goes on until a call ends. At the present that is recorded for a while,
// and then the process runs; only what is recorded is seen to go other ways than
// to return.
func (s *stepper) runOut(ctx context.Context, o *wayOut) (stop proc.Stop, err error) {
	if s.inPast() {
		stop, ended, err := s.replayTo(ctx, o.ends)
		o.reached, o.escaped = ended && o.reached, ended && o.escaped
		return stop, err
	}
	began, limited := s.recordedEnd(), true
	for rounds := 0; limited && s.records(rounds, s.recordedEnd()-began); rounds++ {
		stop, err = s.live(ctx, history.Limits{Steps: maxRecorded, Time: maxRecordedTime, HoldSignals: true, Until: o.ends})
		limited = err == nil && !o.reached && !o.escaped && (stop.Why == atLimit || stop.Why == proc.Stepped)
	}
	if limited {
		return s.runOutFreely(ctx, o)
	}
	if stop.Why != proc.Stepped {
		o.reached, o.escaped = false, false
	}
	return stop, err
}

// replayTo goes through the past to a place, or to what stops before it.
func (s *stepper) replayTo(ctx context.Context, there func(*history.View) bool) (stop proc.Stop, reached bool, err error) {
	look := s.newLookout(true)
	s.follow()
	hit, err := s.past.Continue(ctx, func(v *history.View) bool {
		reached = there(v)
		return look.hit(v) || reached
	})
	s.arrive()
	s.passed(s.past.Passed())
	stop = s.here()
	stop.Why = proc.Stepped
	switch {
	case errors.Is(err, context.Canceled):
		stop.Why, err = proc.Paused, nil
	case look.found != nil:
		stop, reached = look.stop(stop), false
	case !hit:
		stop.Why = atPresent
	}
	return stop, reached, err
}

// runOutFreely lets the process run until a call returns.
func (s *stepper) runOutFreely(ctx context.Context, o *wayOut) (stop proc.Stop, err error) {
	thread, err := s.scene.CurrentThread()
	if err != nil {
		return proc.Stop{}, err
	}
	spec := proc.BreakpointSpec{Address: o.addr, Thread: thread, Condition: func(hit proc.Hit) (bool, error) {
		at, err := s.levelOf(hit.Thread, 0)
		return at.outside(o.out), err
	}}
	if o.goes {
		spec.Thread = 0 // goroutines change threads
	}
	stop, o.reached, err = s.runTo(ctx, spec)
	return stop, err
}
