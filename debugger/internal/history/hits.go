package history

import (
	"context"
	"errors"
	"slices"
)

// A Hit is a moment at which a thread has come to an instruction by executing others.
type Hit struct {
	Position uint64 // before the instruction
	Thread   int
	PC, SP   uint64
}

// A HitFinder is a [Source] that finds hits without the records between them.
type HitFinder interface {
	Source

	// Hits calls f with the hits of instructions at positions after from, up to to, in order,
	// until it returns false. It returns the position up to which it has found all. That is
	// from where hits can only be found in the records.
	Hits(ctx context.Context, code []uint64, from, to uint64, f func(Hit) bool) (reached uint64, err error)

	// Visit is Hits with a view of each of them, which is valid during the call.
	Visit(ctx context.Context, code []uint64, from, to uint64, f func(*View) bool) (reached uint64, err error)
}

// Hits calls f with the hits of instructions at positions after from, up to to, in order, until
// it returns false. It does not move the view.
func (h *History) Hits(ctx context.Context, code []uint64, from, to uint64, f func(Hit) bool) error {
	ended := false
	each := func(hit Hit) bool {
		ended = !f(hit)
		return !ended
	}
	return h.overHits(ctx, from, to, &ended,
		func(finder HitFinder, at, to uint64) (uint64, error) { return finder.Hits(ctx, code, at, to, each) },
		func(at, to uint64) error { return h.hitsOfRecords(ctx, code, at, to, nil, each) })
}

// Visit calls f with a view of each hit of instructions at positions after from, up to to, in
// order, until it returns false. It moves the view. Hits while the process ran by itself are
// not recorded: gaps is the number of such stretches.
func (h *History) Visit(ctx context.Context, code []uint64, from, to uint64, f func(*View) bool) (gaps int, err error) {
	v := &visit{h: h, ctx: ctx, code: code, f: f}
	err = h.overHits(ctx, from, to, &v.ended, v.ofSource, v.ofRecords)
	return v.gaps, err
}

// A visit is a call of Visit.
type visit struct {
	h     *History
	ctx   context.Context //nolint:containedctx // of the call
	code  []uint64
	f     func(*View) bool
	ended bool // f has returned false
	dense bool // there are so many hits that records are faster
	gaps  int
}

// A stop at a hit takes as long as the records of so many positions. That hits are dense is
// decided by so many of them.
const (
	stopCost = 1000
	sample   = 64
)

// ofSource visits the hits of a source, and ends at one from which on records are faster.
func (v *visit) ofSource(finder HitFinder, from, to uint64) (reached uint64, err error) {
	if v.dense {
		return from, nil
	}
	count, begun, at := 0, from, to
	reached, err = finder.Visit(v.ctx, v.code, from, to, func(view *View) bool {
		at = view.Position()
		if v.ended = !v.f(view); v.ended {
			return false
		}
		if count++; count < sample {
			return true
		}
		v.dense = at-begun < sample*stopCost
		count, begun = 0, at
		return !v.dense
	})
	if v.dense {
		reached = at
	}
	return reached, err
}

// ofRecords visits the hits in records, and decides whether those that follow are dense, too.
func (v *visit) ofRecords(from, to uint64) error {
	var hits []Hit
	err := v.h.hitsOfRecords(v.ctx, v.code, from, to, &v.gaps, func(hit Hit) bool { hits = append(hits, hit); return true })
	v.dense = uint64(len(hits))*stopCost > to-from
	for i := 0; i < len(hits) && err == nil && !v.ended; i++ {
		if _, err = v.h.Seek(hits[i].Position); err == nil {
			v.ended = !v.f(v.h.View())
		}
	}
	return err
}

// overHits calls ofSource for the parts of a history whose source finds hits without records,
// and ofRecords for the others, in order, until ended is set. ofSource returns the position
// up to which it has come.
func (h *History) overHits(ctx context.Context, from, to uint64, ended *bool, ofSource func(finder HitFinder, at, to uint64) (uint64, error), ofRecords func(at, to uint64) error) error {
	to = min(to, h.End())
	defer h.within(ctx)()
	defer h.phase(to - min(from, to))()
	for at := from; at < to && !*ended; {
		h.passed(at - from)
		next := at
		if finder, ok := h.source.(HitFinder); ok && at < h.sourceEnd() {
			var err error
			if next, err = ofSource(finder, at, min(to, h.sourceEnd())); err != nil {
				return err
			}
		}
		if next == at {
			var err error
			if next, err = h.windowEnd(at, to); err != nil {
				return err
			}
			if err := ofRecords(at, next); err != nil {
				return err
			}
		}
		at = next
	}
	return nil
}

// hitsOfRecords finds hits in the records, and counts the stretches without records if gaps is
// not nil.
func (h *History) hitsOfRecords(ctx context.Context, code []uint64, from, to uint64, gaps *int, f func(Hit) bool) error {
	wanted := make(map[uint64]bool, len(code))
	for _, pc := range code {
		wanted[pc] = true
	}
	return h.Transitions(ctx, from, to, func(t *Transition) bool {
		if t.Kind == Ran && gaps != nil {
			*gaps++
		}
		if t.Kind != Stepped || t.NextPC == t.PC || !wanted[t.NextPC] {
			return true
		}
		return f(Hit{t.Position + 1, t.Thread, t.NextPC, t.NextSP})
	})
}

// windowEnd returns the position up to which the history that has the record at a position has
// records.
func (h *History) windowEnd(at, to uint64) (uint64, error) {
	w, err := h.holder(at)
	if err != nil {
		return 0, err
	}
	end := min(w.log.end(), to)
	if end <= at {
		return 0, errors.New("a window has no records")
	}
	return end, nil
}

// A hitList is all hits of some instructions.
type hitList struct {
	code        []uint64
	first, last uint64 // positions between which they are
	count       uint64 // History.count when it was made
	hits        []Hit
	more        bool // there are more than HitList wanted
}

// maxLists is the number of lists that a history remembers, and maxHits the number of hits in
// one.
const (
	maxLists = 16
	maxHits  = 10_000
)

// HitList returns the hits of instructions in the whole history, and whether they are all: there
// may be too many. It remembers the lists that were made last.
func (h *History) HitList(ctx context.Context, code []uint64) (hits []Hit, all bool, err error) {
	first, last := h.Oldest(), h.End()
	for _, l := range h.lists {
		if l.first == first && l.last == last && l.count == h.count && slices.Equal(l.code, code) {
			return l.hits, !l.more, nil
		}
	}
	l := hitList{code: code, first: first, last: last, count: h.count}
	err = h.Hits(ctx, code, first, last, func(hit Hit) bool {
		if l.more = len(l.hits) == maxHits; !l.more {
			l.hits = append(l.hits, hit)
		}
		return !l.more
	})
	if err != nil {
		return nil, false, err
	}
	if h.lists = append(h.lists, l); len(h.lists) > maxLists {
		h.lists = slices.Delete(h.lists, 0, 1)
	}
	return l.hits, !l.more, nil
}

// EndOfHits returns a position after which there is no hit of instructions, as near to the last
// hit as the source finds it.
func (h *History) EndOfHits(ctx context.Context, code []uint64) (uint64, error) {
	finder, ok := h.source.(Finder)
	end := h.End()
	if !ok || h.sourceEnd() != end {
		return end, nil
	}
	defer h.within(ctx)()
	at, ok, err := finder.Last(ctx, &Places{Code: code}, h.Oldest(), end)
	if !ok {
		return end, err
	}
	return min(at+1, end), err
}
