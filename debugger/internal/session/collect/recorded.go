package collect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
	"github.com/triptych-mcp/triptych/debugger/internal/session/stepping"
	"github.com/triptych-mcp/triptych/mcp/plain"
)

// Options limit what Recorded reads.
type Options struct {
	From, To uint64      // positions, which must be recorded
	Limit    int         // rows
	Enough   func() bool // unless nil, ends the search if it returns true; the next page goes on
}

// maxIndexed is the number of hits that are remembered.
const maxIndexed = 1 << 20

// An index holds the hits of some instructions up to a position, in order.
type index struct {
	to   uint64
	hits []indexed
	gaps int
}

// An indexed is a hit in an index.
type indexed struct{ position, pc uint64 }

// A search finds the hits of probes in the history.
type search struct {
	s       *stepping.Stepper
	probes  []*probe
	at      map[uint64][]int // indexes of probes by address
	code    []uint64         // their addresses
	options Options
	table   Table
	index   index
	failed  error // of the first condition that could not be decided
}

// Recorded returns the values at each recorded hit of the points. The numbers of hits count all
// positions in the range, also of rows that do not fit, as far as the search came.
func Recorded(ctx context.Context, s *stepping.Stepper, points []Point, o Options) (*Table, error) {
	probes, err := newProbes(ctx, s, points)
	if err != nil {
		return nil, err
	}
	c := &search{s: s, probes: probes, at: map[uint64][]int{}, options: o, table: newTable(probes)}
	for i, p := range probes {
		for _, place := range p.places {
			c.at[place.Addr] = append(c.at[place.Addr], i)
		}
	}
	c.code = slices.Sorted(maps.Keys(c.at))
	var searchErr error
	err = s.Timeline.AtPosition(ctx, s.Target.History.View().Position(), func() { searchErr = c.search(ctx) })
	if err = errors.Join(searchErr, err); err != nil {
		return nil, err
	}
	c.finish()
	return &c.table, nil
}

// search finds the rows, and then counts what is left. Hits that are known from a search before
// are read one by one.
func (c *search) search(ctx context.Context) error {
	key := fmt.Sprintf("collect %d %x", c.options.From, c.code)
	known, ok := c.s.Target.History.Findings.Remembered(key).(index)
	if !ok {
		known, ok = c.kept(key)
	}
	c.index = known
	var err error
	if !ok {
		err = c.begin(ctx)
	}
	err = cmp.Or(err, c.readKnown(ctx))
	if err == nil && c.index.to < c.options.To && !c.enough() {
		err = c.scan(ctx)
	}
	if err == nil && len(c.index.hits) <= maxIndexed {
		c.s.Target.History.Findings.Remember(key, c.index)
		if c.index.to > known.to && c.index.to == c.s.Target.History.End() {
			c.s.Target.History.Findings.Keep(key, indexedNumbers, c.index.numbers)
		}
	}
	return err
}

func (c *search) enough() bool { return c.options.Enough != nil && c.options.Enough() }

// begin begins the index. No step leads to the first position of the history.
func (c *search) begin(ctx context.Context) error {
	h, from := c.s.Target.History, c.options.From
	if c.index.to = max(from, 1) - 1; from > h.Oldest() {
		return nil
	}
	c.index.to = from
	return h.Steps.Transitions(ctx, from, from+1, func(t *history.Transition) bool {
		if len(c.at[t.PC]) > 0 {
			c.index.hits = append(c.index.hits, indexed{from, t.PC})
		}
		return false
	})
}

// apart is the number of positions between two known hits from which it is faster to begin anew
// than to go on.
const apart = 16 << 20

// readKnown reads the rows of the hits in the index.
func (c *search) readKnown(ctx context.Context) error {
	hits := c.index.hits
	for n := 0; n < len(hits) && c.table.Next == nil; {
		last := n
		for last+1 < len(hits) && hits[last+1].position-hits[last].position < apart {
			last++
		}
		if err := c.readStretch(ctx, hits[n].position, hits[last].position); err != nil {
			return err
		}
		if n = last + 1; n < len(hits) && c.table.Next == nil && c.enough() {
			c.table.Next = &hits[n].position
		}
	}
	return nil
}

// readStretch reads the rows of known hits between two positions.
func (c *search) readStretch(ctx context.Context, from, to uint64) error {
	h := c.s.Target.History
	if from == h.Oldest() {
		if err := c.s.Timeline.SeekQuietly(from); err != nil {
			return err
		}
		v := h.View()
		c.read(history.Hit{Position: from, Thread: v.Thread(), PC: v.PC()}, v)
		from++
	}
	if from > to || c.table.Next != nil {
		return nil
	}
	searched, err := h.Visit(ctx, c.code, history.Stretch{From: from - 1, To: to, Enough: c.options.Enough}, c.read)
	if next := searched.Reached + 1; next <= to && c.table.Next == nil {
		c.table.Next = &next
	}
	return err
}

// scan finds hits behind those that are known. When there are rows enough it counts the others.
func (c *search) scan(ctx context.Context) error {
	h := c.s.Target.History
	reach := func(hit history.Hit) { c.index.hits = append(c.index.hits, indexed{hit.Position, hit.PC}) }
	in := history.Stretch{From: c.index.to, To: c.options.To, Enough: c.options.Enough}
	if c.table.Next == nil {
		searched, err := h.Visit(ctx, c.code, in, func(hit history.Hit, v *history.View) bool {
			reach(hit)
			return c.read(hit, v)
		})
		c.index.to, c.index.gaps = searched.Reached, c.index.gaps+searched.Gaps
		if err != nil || c.table.Next == nil || c.enough() {
			return err
		}
	}
	in.From = c.index.to
	searched, err := h.Steps.Hits(ctx, c.code, in, func(hit history.Hit) bool { reach(hit); return true })
	c.index.to, c.index.gaps = searched.Reached, c.index.gaps+searched.Gaps
	return err
}

// read adds the rows of a hit, and reports whether there is room for more. Rows at one position
// stay together.
func (c *search) read(hit history.Hit, v *history.View) (more bool) {
	if len(c.table.Rows) >= c.options.Limit {
		c.table.Next = &hit.Position
		return false
	}
	return c.s.Target.History.Show(v, func(*history.View) bool {
		c.s.Timeline.UpdateView()
		for _, i := range c.at[hit.PC] {
			c.readPoint(i, hit.Position, proc.Hit{Thread: hit.Thread, Address: hit.PC})
		}
		return true
	})
}

// readPoint adds the row of a point.
func (c *search) readPoint(i int, position uint64, hit proc.Hit) {
	ok, err := c.probes[i].matches(hit)
	if err != nil && c.failed == nil {
		c.failed = err
		c.table.Notes = append(c.table.Notes, fmt.Sprintf("the condition could not be decided at position %d: %v", position, err))
	}
	if ok {
		c.table.Rows = append(c.table.Rows, Row{position, i, hit.Thread, c.probes[i].read(hit)})
	}
}

// finish adds the numbers of hits, and what is not known.
func (c *search) finish() {
	for _, hit := range c.index.hits {
		for _, i := range c.at[hit.pc] {
			c.table.Points[i].Hits++
		}
	}
	t, x := &c.table, &c.index
	if x.gaps > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("in %s the process ran by itself; hits there are not known", plain.Count(x.gaps, "place")))
	}
	if x.to >= c.options.To {
		return
	}
	if t.Next == nil {
		next := x.to + 1
		t.Next = &next
	}
	t.Notes = append(t.Notes, fmt.Sprintf("the hits up to position %d are counted; the same call counts on", x.to))
}
