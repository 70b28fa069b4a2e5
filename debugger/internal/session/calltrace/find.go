package calltrace

import (
	"context"
	"errors"
	"math"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
	"github.com/triptych-mcp/triptych/debugger/internal/session/failure"
	"github.com/triptych-mcp/triptych/debugger/internal/session/stepping"
)

// A Query selects a call: the Nth recorded call of a function, or the call that
// contains a position.
type Query struct {
	Function string  // "" if At is set
	Nth      int     // from 1; 0 selects the last call
	At       *uint64 // a position within the call
}

// A start is the beginning of a call.
type start struct {
	thread   int
	position uint64 // after the call instruction
	pc       uint64 // of the first instruction of the function
	slot     uint64 // address of the return address
	caller   uint64 // address of the call instruction
	nth, of  int    // number of the call, and number of recorded calls of the function
}

// find returns the start of the call that a query selects.
func find(ctx context.Context, c *code, q Query) (start, error) {
	if q.At != nil {
		return findAround(ctx, c, *q.At)
	}
	entries, err := entries(ctx, c.s, q.Function)
	if err != nil {
		return start{}, err
	}
	found, n, err := c.nth(ctx, entries, q.Nth)
	switch {
	case err != nil:
		return start{}, err
	case n == 0 && found.position == 0:
		return start{}, failure.Errorf("No such call", "no call of %s is recorded between positions %d and %d (%s); calls that the compiler has inlined are not found", q.Function, c.s.Target.History.Oldest(), c.s.Target.History.End(), c.s.Target.History.StartReason())
	case found.position == 0:
		return start{}, failure.Errorf("No such call", "%d calls of %s are recorded, there is no call %d", n, q.Function, q.Nth)
	}
	found.of = n
	return found, nil
}

// calls reports whether a transition to the start of a function is a call, rather
// than a jump within the function.
func (c *code) calls(t *history.Transition) bool {
	if t.Ordinary || t.Kind != history.Stepped {
		return false
	}
	in := c.at(t.PC)
	return in.class.Is(x86.Call) || in.class.Is(x86.Jump) && c.function(t.PC).start != t.NextPC
}

// entries returns the addresses of the first instructions of a function.
func entries(ctx context.Context, s *stepping.Stepper, name string) (map[uint64]bool, error) {
	found := map[uint64]bool{}
	places, err := s.Inspector.Program.Entry(ctx, name)
	for _, p := range places {
		if f, ok := s.Inspector.Program.Function(p.Addr); ok && f.Start != 0 {
			found[f.Start] = true
		}
	}
	if len(found) > 0 {
		return found, nil
	}
	addrs, lookupErr := s.Inspector.Program.Lookup(ctx, name)
	for _, addr := range addrs {
		found[addr] = true
	}
	if err = errors.Join(err, lookupErr); len(found) == 0 && errors.Is(err, symbols.ErrNotFound) {
		return nil, noFunction(ctx, s, name)
	}
	if len(found) > 0 {
		err = nil
	}
	return found, err
}

// maxSimilar limits the similar names in the error for an unknown name.
const maxSimilar = 5

func noFunction(ctx context.Context, s *stepping.Stepper, name string) error {
	similar, err := s.Inspector.Program.Similar(ctx, name, maxSimilar)
	if err != nil {
		return err
	}
	return failure.Errorf("No such function", "no function %s is known; similar names: %q", name, similar)
}

// findAround returns the start of the innermost call that contains a position. If
// the call began before the recording, it returns the oldest position.
func findAround(ctx context.Context, c *code, at uint64) (found start, err error) {
	h := c.s.Target.History
	if at < h.Oldest() || at > h.End() {
		return start{}, failure.NoHistoryf("position %d is not recorded; there are %d to %d", at, h.Oldest(), h.End())
	}
	err = c.s.Timeline.AtPosition(ctx, at, func() {
		found.thread = h.View().Thread()
		found.slot, found.pc = math.MaxUint64, h.View().PC()
		if frames, err := c.s.Inspector.Frames(found.thread, 1); err == nil && len(frames) > 0 && frames[0].CFA != 0 {
			found.slot = frames[0].CFA - 8
		}
	})
	if err != nil {
		return start{}, err
	}
	first := start{thread: found.thread, position: h.Oldest(), pc: c.function(found.pc).start, slot: found.slot}
	for end, length := at, uint64(nearStarts); end > h.Oldest() && err == nil && first.caller == 0; length *= 8 {
		in := history.Stretch{From: end - min(end-h.Oldest(), length), To: end}
		_, err = h.Steps.Branches(ctx, c.isEvent, in, func(t *history.Transition) bool {
			if t.Thread == found.thread && t.NextSP == found.slot && c.function(t.NextPC).start == t.NextPC && c.calls(t) {
				first = start{t.Thread, t.Position + 1, t.NextPC, t.NextSP, t.PC, 0, 0}
			}
			return true
		})
		end = in.From
	}
	return first, err
}

// nearStarts is the number of positions before one in which the start of its call is looked for
// first.
const nearStarts = 1 << 20
