package calltrace

import (
	"context"
	"fmt"

	"github.com/triptych-mcp/triptych/debugger/internal/stepping"
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
