package calltrace

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
)

// nth returns the start of the nth call of a function, or of the last one if nth is 0, and the
// number of its calls, or 0 if there are too many to count. The start is zero if there is no
// such call.
func (c *code) nth(ctx context.Context, entries map[uint64]bool, nth int) (found start, of int, err error) {
	back, known := c.jumpsBack(entries)
	if !known {
		return c.scanCalls(ctx, entries, nth)
	}
	sites := slices.Collect(maps.Keys(entries))
	for _, jump := range back {
		in := c.s.Inspector.Instruction(jump)
		sites = append(sites, jump, in.Next())
	}
	slices.Sort(sites)
	hits, all, err := c.s.Target.History.HitList(ctx, slices.Compact(sites))
	if err != nil {
		return start{}, 0, err
	}
	if !all && nth == 0 {
		found, err = c.lastCall(ctx, entries)
		return found, 0, err
	}
	for _, hit := range calls(hits, entries, back) {
		if of++; nth == 0 || of == nth {
			found = start{thread: hit.Thread, position: hit.Position, pc: hit.PC, slot: hit.SP, nth: of}
		}
	}
	switch {
	case found.position == 0 && !all:
		return c.scanCalls(ctx, entries, nth)
	case found.position == 0:
		return found, of, nil
	case !all:
		of = 0
	}
	err = c.s.Target.History.Steps.Transitions(ctx, found.position-1, found.position, func(t *history.Transition) bool {
		found.caller = t.PC
		return false
	})
	return found, of, err
}

// calls returns the hits of entries that are no jumps back. Hits of the instructions after those jumps
// tell that one was not taken.
func calls(hits []history.Hit, entries map[uint64]bool, back []uint64) (calls []history.Hit) {
	jumping := map[int]uint64{} // stack pointers of threads before a jump back; others may run meanwhile
	for _, hit := range hits {
		switch {
		case entries[hit.PC] && jumping[hit.Thread] != hit.SP:
			calls = append(calls, hit)
		case slices.Contains(back, hit.PC):
			jumping[hit.Thread] = hit.SP
		default:
			delete(jumping, hit.Thread)
		}
	}
	return calls
}

// maxBody is the number of instructions of a function that are looked through.
const maxBody = 1 << 14

// jumpsBack returns the addresses of the jumps in functions to their own starts, which are no
// calls: of a loop, or of a Go function whose stack has grown. It reports false if a function
// is too long to know.
func (c *code) jumpsBack(entries map[uint64]bool) (jumps []uint64, known bool) {
	for _, entry := range slices.Sorted(maps.Keys(entries)) {
		at := entry
		for n := 0; c.function(at).start == entry; n++ {
			in := c.s.Inspector.Instruction(at)
			if n == maxBody {
				return nil, false
			}
			if in.Len == 0 {
				break
			}
			if to, ok := in.Target(); ok && to == entry && in.Class.Is(x86.Jump) {
				jumps = append(jumps, at)
			}
			at = in.Next()
		}
	}
	return jumps, true
}

// lastCall returns the start of the last call of a function that is called.
func (c *code) lastCall(ctx context.Context, entries map[uint64]bool) (found start, err error) {
	h := c.s.Target.History
	end, err := h.Steps.EndOfHits(ctx, slices.Sorted(maps.Keys(entries)))
	if err != nil {
		return start{}, err
	}
	err = h.Steps.TransitionsBack(ctx, end, func(t *history.Transition) bool {
		if !entries[t.NextPC] || !c.calls(t) {
			return true
		}
		found = start{thread: t.Thread, position: t.Position + 1, pc: t.NextPC, slot: t.NextSP, caller: t.PC}
		return false
	})
	return found, err
}

// scanCalls is nth in all branches that may lead to the functions. The first time counts all
// calls; the history remembers where some of them are.
func (c *code) scanCalls(ctx context.Context, entries map[uint64]bool, nth int) (found start, of int, err error) {
	h := c.s.Target.History
	key := fmt.Sprintf("calls %x", slices.Sorted(maps.Keys(entries)))
	marks, ok := h.Findings.Remembered(key).(callMarks)
	if !ok {
		if marks, err = c.markCalls(ctx, entries); err != nil {
			return start{}, 0, err
		}
		h.Findings.Remember(key, marks)
	}
	if nth == 0 {
		nth = marks.calls
	}
	if nth == 0 || nth > marks.calls {
		return start{}, marks.calls, nil
	}
	mark := (nth - 1) / marksEvery
	n := mark * marksEvery
	err = c.eachCall(ctx, entries, marks.before[mark], func(t *history.Transition) bool {
		if n++; n == nth {
			found = start{t.Thread, t.Position + 1, t.NextPC, t.NextSP, t.PC, nth, 0}
		}
		return n < nth
	})
	return found, marks.calls, err
}

// callMarks is the number of calls of functions, and the positions before every 1024th of them,
// from the first one on.
type callMarks struct {
	calls  int
	before []uint64
}

const marksEvery = 1 << 10

func (c *code) markCalls(ctx context.Context, entries map[uint64]bool) (marks callMarks, err error) {
	err = c.eachCall(ctx, entries, c.s.Target.History.Oldest(), func(t *history.Transition) bool {
		if marks.calls%marksEvery == 0 {
			marks.before = append(marks.before, t.Position)
		}
		marks.calls++
		return true
	})
	return marks, err
}

// eachCall calls f with the calls of functions after a position until it returns false.
func (c *code) eachCall(ctx context.Context, entries map[uint64]bool, from uint64, f func(*history.Transition) bool) error {
	wanted := func(in *x86.Inst) (jumps, always bool) {
		to, direct := in.Target()
		if in.Class&(x86.Call|x86.Jump) == 0 || direct && !entries[to] {
			return false, false
		}
		return c.isEvent(in)
	}
	h := c.s.Target.History
	_, err := h.Steps.Branches(ctx, wanted, history.Stretch{From: from, To: h.End()}, func(t *history.Transition) bool {
		return !entries[t.NextPC] || !c.calls(t) || f(t)
	})
	return err
}
