package calltrace

import (
	"context"
	"errors"
	"fmt"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
	"github.com/triptych-mcp/triptych/debugger/internal/session/stepping"
)

// Events returns the lines and the called functions of a call, without folding:
// "L line" and "C function".
func Events(ctx context.Context, s *stepping.Stepper, q Query) (events []string, entry uint64, err error) {
	c := newCode(s)
	from, err := find(ctx, c, q)
	if err != nil {
		return nil, 0, err
	}
	r, err := record(ctx, c, from, nil)
	if err != nil {
		return nil, 0, err
	}
	for _, v := range r.visits {
		events = append(events, fmt.Sprintf("L %d", c.line(v.pc).number))
		for _, n := range v.calls {
			events = append(events, "C "+c.function(r.calls[n].pc).name)
		}
	}
	return events, from.pc, nil
}

// Starts describes the nth call of a function, as it is found by its hits, and in all steps, as by branches.
func Starts(ctx context.Context, s *stepping.Stepper, name string, nth int) (byHits, bySteps string, of int, err error) {
	c := newCode(s)
	at, err := entries(ctx, s, name)
	if err != nil {
		return "", "", 0, err
	}
	hit, n, err := c.nth(ctx, at, nth)
	if err != nil {
		return "", "", 0, err
	}
	scan, k, err := c.scanCalls(ctx, at, nth)
	if err != nil {
		return "", "", 0, err
	}
	var step start
	m := 0
	err = s.Target.History.Steps.Transitions(ctx, s.Target.History.Oldest(), s.Target.History.End(), func(t *history.Transition) bool {
		if at[t.NextPC] && c.calls(t) {
			if m++; nth == 0 || m == nth {
				step = start{t.Thread, t.Position + 1, t.NextPC, t.NextSP, t.PC, m, 0}
			}
		}
		return true
	})
	if scan != step || k != m {
		return "", "", 0, fmt.Errorf("by branches %+v of %d, by steps %+v of %d", scan, k, step, m)
	}
	if n == 0 && hit.position != 0 { // there are too many to count
		n, hit.nth = m, step.nth
	}
	return fmt.Sprintf("%+v of %d", hit, n), fmt.Sprintf("%+v of %d", step, m), n, err
}

// JumpsBack returns the number of jumps of a function to its own start.
func JumpsBack(ctx context.Context, s *stepping.Stepper, name string) (int, error) {
	at, err := entries(ctx, s, name)
	jumps, _ := newCode(s).jumpsBack(at)
	return len(jumps), err
}

// CallsBySteps is Calls in all steps.
func CallsBySteps(ctx context.Context, s *stepping.Stepper, thread int, from, to uint64) (*Tree, error) {
	b := &builder{tree: &Tree{Thread: thread, From: from, To: from}}
	code := newCode(s)
	err := s.Target.History.Steps.Transitions(ctx, from, to, func(t *history.Transition) bool {
		b.pass(code, t)
		return true
	})
	for _, root := range b.tree.Roots {
		root.sum()
	}
	return b.tree, err
}

// Branches returns the events of a walk of a stretch, and the same from all steps. Steps in which the
// processor changes neither the function nor the stack are left out.
func Branches(ctx context.Context, s *stepping.Stepper, from, to uint64) (branches, steps []string, err error) {
	c := newCode(s)
	collect := func(list *[]string) func(t *history.Transition) bool {
		return func(t *history.Transition) bool {
			in := s.Inspector.Instruction(t.PC)
			ordinary := t.NextPC-t.PC < x86.MaxLen && t.NextSP == t.SP
			if wanted, _ := c.isEvent(&in); !ordinary && !t.Ordinary && (wanted || t.Kind != history.Stepped) {
				*list = append(*list, fmt.Sprintf("%d thread %d kind %v: %#x %#x to %#x %#x", t.Position, t.Thread, t.Kind, t.PC, t.SP, t.NextPC, t.NextSP))
			}
			return true
		}
	}
	_, err = s.Target.History.Steps.Branches(ctx, c.isEvent, history.Stretch{From: from, To: to}, collect(&branches))
	return branches, steps, errors.Join(err, s.Target.History.Steps.Transitions(ctx, from, to, collect(&steps)))
}

// CallsOf returns the positions of the hits of an entry that are no jumps back.
func CallsOf(hits []history.Hit, entry uint64, back ...uint64) (positions []uint64) {
	for _, hit := range calls(hits, map[uint64]bool{entry: true}, back) {
		positions = append(positions, hit.Position)
	}
	return positions
}
