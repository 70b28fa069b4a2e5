package collect

import (
	"context"
	"errors"
	"fmt"

	"github.com/triptych-mcp/triptych/debugger/internal/history"
	"github.com/triptych-mcp/triptych/debugger/internal/plain"
	"github.com/triptych-mcp/triptych/debugger/internal/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/stepping"
)

// Options limit what Recorded reads.
type Options struct {
	From, To uint64 // positions, which must be recorded
	Limit    int    // rows
}

// maxRead is the maximum number of hits at which conditions and values are read in
// one call.
const maxRead = 20_000

// A reached is a hit in recorded history.
type reached struct {
	position uint64
	point    int
	hit      proc.Hit
}

// A search finds the hits of probes in the history.
type search struct {
	s      *stepping.Stepper
	probes []*probe
	at     map[uint64][]int // indexes of probes by address
	table  Table
	found  []reached // at most maxRead
	more   uint64    // position of the first hit that is not in found, 0 if all are
	gaps   int       // stretches in which the process ran by itself
}

// Recorded returns the values at each recorded hit of the points. The numbers of
// hits count all positions in the range, also of rows that do not fit.
func Recorded(ctx context.Context, s *stepping.Stepper, points []Point, o Options) (*Table, error) {
	probes, err := newProbes(ctx, s, points)
	if err != nil {
		return nil, err
	}
	c := &search{s: s, probes: probes, at: map[uint64][]int{}, table: newTable(probes)}
	for i, p := range probes {
		for _, place := range p.places {
			c.at[place.Addr] = append(c.at[place.Addr], i)
		}
	}
	if err := c.scan(ctx, o.From, o.To); err != nil {
		return nil, err
	}
	if c.gaps > 0 {
		c.table.Notes = append(c.table.Notes, fmt.Sprintf("in %s the process ran by itself; hits there are not known", plain.Count(c.gaps, "place")))
	}
	return &c.table, c.read(ctx, o.Limit)
}

// scan counts the hits of a range and finds the first ones.
func (c *search) scan(ctx context.Context, from, to uint64) error {
	h := c.s.History
	first := max(from, h.Oldest()+1) - 1 // its step leads to from
	ran := from == h.Oldest()            // no step leads to the next position
	err := h.Transitions(ctx, first, to, func(t *history.Transition) bool {
		if ran {
			c.reach(t.Position, t.Thread, t.PC)
		}
		switch ran = t.Kind == history.Ran; {
		case ran:
			c.gaps++
		case t.NextPC != t.PC: // else an instruction is repeated
			c.reach(t.Position+1, t.Thread, t.NextPC)
		}
		return true
	})
	if ran && err == nil {
		err = c.s.AtPosition(ctx, to, func() { c.reachCurrent(to) })
	}
	return err
}

// reachCurrent notes where the current thread is.
func (c *search) reachCurrent(position uint64) {
	thread, err := c.s.View.CurrentThread()
	if err != nil {
		return
	}
	if regs, err := c.s.View.Regs(thread); err == nil {
		c.reach(position, thread, regs.RIP)
	}
}

// reach notes that a thread is at an address.
func (c *search) reach(position uint64, thread int, pc uint64) {
	for _, i := range c.at[pc] {
		c.table.Points[i].Hits++
		switch {
		case len(c.found) < maxRead:
			c.found = append(c.found, reached{position, i, proc.Hit{Thread: thread, Address: pc}})
		case c.more == 0:
			c.more = position
		}
	}
}

// read adds the rows, and goes back to the current position.
func (c *search) read(ctx context.Context, limit int) error {
	if len(c.found) == 0 {
		return nil
	}
	var readErr error
	err := c.s.AtPosition(ctx, c.found[0].position, func() { readErr = c.readRows(ctx, limit) })
	return errors.Join(readErr, err)
}

// readRows adds rows up to the limit; hits at one position stay together.
func (c *search) readRows(ctx context.Context, limit int) error {
	next, failed := c.more, error(nil)
	for _, r := range c.found {
		if n := len(c.table.Rows); n >= limit && c.table.Rows[n-1].Position != r.position {
			next = r.position
			break
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := c.s.SeekQuietly(r.position); err != nil {
			return err
		}
		ok, err := c.probes[r.point].matches(r.hit)
		if err != nil && failed == nil {
			failed = err
			c.table.Notes = append(c.table.Notes, fmt.Sprintf("the condition could not be decided at position %d: %v", r.position, err))
		}
		if ok {
			c.table.Rows = append(c.table.Rows, Row{r.position, r.point, r.hit.Thread, c.probes[r.point].read(r.hit)})
		}
	}
	if next != 0 {
		c.table.Next = &next
	}
	return nil
}
