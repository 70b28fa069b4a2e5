package race

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
	"github.com/triptych-mcp/triptych/debugger/internal/record/races"
	"github.com/triptych-mcp/triptych/debugger/internal/session/stepping"
)

// A Query says where races are looked for.
type Query struct {
	Limit  int         // races to describe
	Enough func() bool // or nil; that no more stacks and values are needed
}

// Window is the number of positions in which races are looked for: those before the current one, or
// around the last switch of threads, if one thread has run alone for most of them.
const Window = 16 << 20

// alone is the part of a window after the last switch: with what was before it the thread that runs
// alone since then may race, but the less likely the later.
const alone = Window / 4

// A found is the races that one pair of lines has, of which the last one is shown.
type found struct {
	*races.Race
	count   int
	private bool // an access is in a library
}

// A search finds races.
type search struct {
	s        *stepping.Stepper
	from, to uint64
	last     uint64 // position of the last switch of threads
	lonely   bool   // one thread has run alone for so long since then that the window ends soon
	code     code

	races     []found // the most suspicious one first
	left      int     // pairs of which both accesses are the matter of libraries
	forgotten bool
}

// Find finds races before the current position.
func Find(ctx context.Context, s *stepping.Stepper, q Query) (Answer, error) {
	h, err := s.Timeline.Require()
	if err != nil {
		return Answer{}, err
	}
	c := &search{s: s, to: h.View().Position(), code: newCode(s)}
	if err := c.place(ctx, h); err != nil {
		return Answer{}, err
	}
	if err := c.find(ctx, h); err != nil {
		return Answer{}, err
	}
	answer := Answer{From: c.from, To: c.to, Total: len(c.races)}
	c.races = c.races[:min(len(c.races), q.Limit)]
	if err := c.describe(ctx, &answer, q.Enough); err != nil {
		return Answer{}, err
	}
	c.note(&answer, h)
	return answer, nil
}

// place places the window.
func (c *search) place(ctx context.Context, h *history.History) error {
	last, _, err := h.Steps.LastSwitch(ctx, c.to)
	c.last = max(last, h.Oldest())
	if c.lonely = c.to-c.last > alone; c.lonely {
		c.to = c.last + alone
	}
	c.from = max(c.to-min(c.to, Window), h.Oldest())
	return err
}

// maxRounds bounds the replays. Each finds out which instructions are atomic that the one before has
// taken for races.
const maxRounds = 3

// find finds the races and orders them.
func (c *search) find(ctx context.Context, h *history.History) error {
	var o races.Options
	for round := 1; ; round++ {
		d, err := c.detect(ctx, h, o)
		if err != nil {
			return err
		}
		all := d.Races()
		c.forgotten = d.Forgotten()
		if round < maxRounds && c.code.learn(ctx, all, &o) {
			continue
		}
		c.choose(all)
		return nil
	}
}

// A detection is remembered by the history.
type detection struct{ *races.Detector }

// detect replays the part of the history.
func (c *search) detect(ctx context.Context, h *history.History, o races.Options) (*races.Detector, error) {
	key := fmt.Sprintf("races %d %d %d %d", c.from, c.to, len(o.Ordered), len(o.Synchronizes))
	if known, ok := h.Findings.Remembered(key).(detection); ok {
		return known.Detector, nil
	}
	d := races.New(o)
	if err := h.Steps.Accesses(ctx, c.from, c.to, d.Add); err != nil {
		return nil, err
	}
	d.Release()
	h.Findings.Remember(key, detection{d})
	return d, nil
}

// choose joins races of the same lines and global variable and orders them.
func (c *search) choose(all []*races.Race) {
	slices.SortFunc(all, func(a, b *races.Race) int { return cmp.Compare(b.After.Position, a.After.Position) })
	at := map[[3]string]int{}
	for _, r := range all {
		before, after := c.code.place(&r.Before), c.code.place(&r.After)
		if !before.counts(after) {
			c.left++
			continue
		}
		lines := []string{before.line, after.line}
		slices.Sort(lines)
		name, _, _ := c.s.Inspector.Program.Variable(r.Shared.Addr) // a line may have several
		key := [3]string{lines[0], lines[1], name}
		if n, ok := at[key]; ok {
			c.races[n].count += r.Count
			continue
		}
		at[key] = len(c.races)
		c.races = append(c.races, found{r, r.Count, before.library || after.library})
	}
	slices.SortStableFunc(c.races, func(a, b found) int {
		switch {
		case a.private == b.private:
			return 0
		case b.private:
			return -1
		}
		return 1
	})
}
