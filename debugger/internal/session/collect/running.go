package collect

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/session/stepping"
)

// A Collector collects values while the process runs.
type Collector struct {
	s      *stepping.Stepper
	probes []*probe
	limit  int
	record bool // positions are recorded

	mu     sync.Mutex
	table  Table
	failed bool // a condition could not be decided
}

// NewCollector returns a Collector of at most limit rows. If record is set, the run
// records instructions, and rows have positions.
func NewCollector(ctx context.Context, s *stepping.Stepper, points []Point, limit int, record bool) (*Collector, error) {
	probes, err := newProbes(ctx, s, points)
	if err != nil {
		return nil, err
	}
	return &Collector{s: s, probes: probes, limit: limit, record: record, table: newTable(probes)}, nil
}

// Table returns the rows so far.
func (c *Collector) Table() *Table {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.table
	t.Points, t.Rows, t.Notes = slices.Clone(t.Points), slices.Clone(t.Rows), slices.Clone(t.Notes)
	return &t
}

// Run lets the process run until it stops for another reason, until there are enough
// rows, or for the given time. It leaves no breakpoints behind.
func (c *Collector) Run(ctx context.Context, most time.Duration) (stop proc.Stop, err error) {
	var set []*stepping.Breakpoint
	defer func() {
		for _, b := range set {
			if e := proc.UnlessEnded(c.s.Breakpoints.Clear(b)); err == nil {
				err = e
			}
		}
	}()
	for i, p := range c.probes {
		b, err := c.s.Breakpoints.SetBreakpoint(ctx, stepping.BreakpointSpec{
			Places: p.places, Each: func(hit proc.Hit) (bool, error) { return c.reach(i, hit), nil },
		})
		if err != nil {
			return proc.Stop{}, err
		}
		set = append(set, b)
	}
	stop, err = c.run(ctx, most)
	if err == nil && stop.Why == proc.AtBreakpoint && c.of(set, stop.Breakpoint) {
		stop.Why, stop.Breakpoint = proc.Paused, 0
		c.s.Timeline.Notes = append(c.s.Timeline.Notes, fmt.Sprintf("%d rows are collected; the same call goes on", c.limit))
	}
	return stop, err
}

// run lets the process run for the given time at most.
func (c *Collector) run(ctx context.Context, most time.Duration) (proc.Stop, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	timer := time.AfterFunc(most, cancel)
	defer timer.Stop()
	if c.record {
		return c.s.Record(ctx, 0, 0)
	}
	return c.s.Continue(ctx)
}

// reach adds a row for a hit, and reports whether the process stops.
func (c *Collector) reach(point int, hit proc.Hit) (stop bool) {
	p := c.probes[point]
	ok, err := p.matches(hit)
	var row Row
	if ok {
		row = Row{Point: point, Thread: hit.Thread, Values: p.read(hit)}
		if c.record {
			row.Position = c.s.Target.History.View().Position()
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.table.Points[point].Hits++
	if err != nil && !c.failed {
		c.failed = true
		c.table.Notes = append(c.table.Notes, fmt.Sprintf("the condition could not be decided: %v", err))
	}
	if ok && len(c.table.Rows) < c.limit {
		c.table.Rows = append(c.table.Rows, row)
	}
	return ok && len(c.table.Rows) >= c.limit
}

// of reports whether a stop's breakpoint is one of those that are set for this run.
func (c *Collector) of(set []*stepping.Breakpoint, id int) bool {
	b := c.s.Breakpoints.Find(id)
	return b != nil && slices.Contains(set, b)
}
