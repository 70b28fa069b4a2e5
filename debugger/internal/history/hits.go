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
}

// Hits calls f with the hits of instructions at positions after from, up to to, in order, until
// it returns false. It does not move the view.
func (h *History) Hits(ctx context.Context, code []uint64, from, to uint64, f func(Hit) bool) error {
	wanted := make(map[uint64]bool, len(code))
	for _, pc := range code {
		wanted[pc] = true
	}
	to = min(to, h.End())
	defer h.within(ctx)()
	defer h.phase(to - min(from, to))()
	ended := false
	each := func(hit Hit) bool {
		ended = !f(hit)
		return !ended
	}
	for at := from; at < to && !ended; {
		h.passed(at - from)
		next, err := h.hitsOfSource(ctx, code, at, to, each)
		if err == nil && next == at {
			if next, err = h.windowEnd(at, to); err == nil {
				err = h.hitsOfRecords(ctx, wanted, at, next, each)
			}
		}
		if err != nil {
			return err
		}
		at = next
	}
	return nil
}

// hitsOfSource finds hits without records, from a position on as far as there is a source that
// can.
func (h *History) hitsOfSource(ctx context.Context, code []uint64, from, to uint64, f func(Hit) bool) (uint64, error) {
	finder, ok := h.source.(HitFinder)
	if !ok {
		return from, nil
	}
	last := h.sourceEnd()
	if from >= last {
		return from, nil
	}
	return finder.Hits(ctx, code, from, min(to, last), f)
}

// hitsOfRecords finds hits in the records.
func (h *History) hitsOfRecords(ctx context.Context, wanted map[uint64]bool, from, to uint64, f func(Hit) bool) error {
	return h.Transitions(ctx, from, to, func(t *Transition) bool {
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
