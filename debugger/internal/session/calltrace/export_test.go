package calltrace

import (
	"context"
	"fmt"

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
	r, err := record(ctx, c, from)
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

// Starts describes the nth call of a function, as it is found by its hits and in all steps.
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
	step, m, err := c.scanCalls(ctx, at, nth)
	return fmt.Sprintf("%+v of %d", hit, n), fmt.Sprintf("%+v of %d", step, m), n, err
}

// JumpsBack returns the number of jumps of a function to its own start.
func JumpsBack(ctx context.Context, s *stepping.Stepper, name string) (int, error) {
	at, err := entries(ctx, s, name)
	jumps, _ := newCode(s).jumpsBack(at)
	return len(jumps), err
}
