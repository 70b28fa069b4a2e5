package history

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// A Stretch is a part of a history in which hits are looked for.
type Stretch struct {
	From, To uint64      // hits are at positions after From, up to To
	Enough   func() bool // unless nil, it is called now and then, and ends the search if it returns true
}

// Searched says how far a search came.
type Searched struct {
	Reached uint64 // all hits up to this position were found
	Gaps    int    // stretches in which the process ran by itself: hits there are not recorded
}

// Hits calls f with the hits of instructions in a stretch, in order, until it returns false.
// It does not move the view.
func (st *Steps) Hits(ctx context.Context, code []uint64, in Stretch, f func(Hit) bool) (Searched, error) {
	o := st.overHits(in)
	each := func(hit Hit) bool { return o.passes(hit.Position, f(hit)) }
	return o.run(ctx,
		func(at, to uint64) (uint64, error) {
			return st.past.Hits(ctx, code, at, to, o.untilDense(at, each))
		},
		func(at, to uint64) (uint64, error) {
			found := 0
			defer func() { o.decide(found, to-at) }()
			return o.hitsOfRecords(ctx, code, at, to, func(hit Hit) bool { found++; return each(hit) })
		})
}

// Visit is Hits with a view of each of them, which is valid during the call. It moves the view
// of the history.
func (h *History) Visit(ctx context.Context, code []uint64, in Stretch, f func(Hit, *View) bool) (Searched, error) {
	v := &visit{hitSearch: h.Steps.overHits(in), h: h, ctx: ctx, code: code, f: f}
	return v.run(ctx, v.ofPast, v.ofRecords)
}

// A visit is a call of Visit.
type visit struct {
	*hitSearch
	h    *History
	ctx  context.Context //nolint:containedctx // of the call
	code []uint64
	f    func(Hit, *View) bool
}

// ofPast visits the hits that the past finds.
func (v *visit) ofPast(from, to uint64) (reached uint64, err error) {
	var at *View
	each := v.untilDense(from, func(hit Hit) bool { return v.passes(hit.Position, v.f(hit, at)) })
	return v.st.past.Visit(v.ctx, v.code, from, to, func(hit Hit, view *View) bool {
		at = view
		return each(hit)
	})
}

// ofRecords visits the hits in records.
func (v *visit) ofRecords(from, to uint64) (reached uint64, err error) {
	var hits []Hit
	reached, err = v.hitsOfRecords(v.ctx, v.code, from, to, func(hit Hit) bool { hits = append(hits, hit); return true })
	v.decide(len(hits), to-from)
	for i := 0; i < len(hits) && err == nil && !v.ended; i++ {
		if _, err = v.h.Seek(hits[i].Position); err == nil {
			v.passes(hits[i].Position, v.f(hits[i], v.h.View()))
		}
	}
	return reached, err
}

// A hitSearch is a search for hits in a stretch.
type hitSearch struct {
	Searched
	Stretch
	st    *Steps
	ended bool   // before To
	dense bool   // there are so many hits that records are faster
	at    uint64 // the hit at which that was found out
}

// A stop at a hit takes as long as the records of so many positions. That hits are dense is
// decided by so many of them.
const (
	stopCost = 1000
	sample   = 64
)

// untilDense returns a function that calls f with hits that a past finds, until they are dense.
func (o *hitSearch) untilDense(begun uint64, f func(Hit) bool) func(Hit) bool {
	count := 0
	return func(hit Hit) bool {
		if !f(hit) {
			return false
		}
		if count++; count < sample {
			return true
		}
		o.dense, o.at = hit.Position-begun < sample*stopCost, hit.Position
		count, begun = 0, hit.Position
		return !o.dense
	}
}

// decide decides by the hits of so many positions whether those that follow are dense.
func (o *hitSearch) decide(hits int, positions uint64) {
	o.dense = uint64(hits)*stopCost > positions
}

func (st *Steps) overHits(in Stretch) *hitSearch {
	in.To = min(in.To, st.end())
	return &hitSearch{Searched: Searched{Reached: in.From}, Stretch: in, st: st}
}

// passes notes that a search has come to a hit, and reports whether it goes on.
func (o *hitSearch) passes(position uint64, more bool) bool {
	if o.ended = !more || o.enough(); o.ended {
		o.Reached = position
	}
	return !o.ended
}

func (o *hitSearch) enough() bool { return o.Enough != nil && o.Enough() }

// searchPiece is the number of positions that a past looks through before a search may end.
const searchPiece = 1 << 27

// run calls ofPast, and ofRecords for the parts of the stretch in which the past finds hits in its
// records only, in order. Both return the position up to which they have come.
func (o *hitSearch) run(ctx context.Context, ofPast, ofRecords func(at, to uint64) (uint64, error)) (Searched, error) {
	st := o.st
	defer st.request.Within(ctx)()
	defer st.request.phase(o.To - min(o.From, o.To))()
	for at := o.From; at < o.To && !o.ended; {
		st.request.passed(at - o.From)
		next := at
		if !o.dense {
			var err error
			if next, err = ofPast(at, min(o.To, at+searchPiece)); err != nil {
				return o.Searched, err
			}
			if o.dense {
				next = o.at
			}
		}
		if next == at && !o.ended {
			end, err := st.windowEnd(at, o.To)
			if err == nil {
				next, err = ofRecords(at, end)
			}
			if err != nil {
				return o.Searched, err
			}
		}
		if at = next; !o.ended {
			o.passes(at, true)
		}
	}
	if !o.ended {
		o.Reached = max(o.From, o.To)
	}
	return o.Searched, nil
}

// hitsOfRecords finds hits in the records, counts the gaps, and returns the position up to which
// it has come.
func (o *hitSearch) hitsOfRecords(ctx context.Context, code []uint64, from, to uint64, f func(Hit) bool) (reached uint64, err error) {
	wanted := make(map[uint64]bool, len(code))
	for _, pc := range code {
		wanted[pc] = true
	}
	reached = from
	err = o.st.Transitions(ctx, from, to, func(t *Transition) bool {
		if reached = t.Position + 1; t.Kind == Ran {
			o.Gaps++
		}
		if t.arrives() && wanted[t.NextPC] && !f(Hit{reached, t.Thread, t.NextPC, t.NextSP, t.Kind}) {
			return false
		}
		return reached%checkEvery != 0 || !o.enough()
	})
	return reached, err
}

// arrives reports whether the thread comes to its next instruction, rather than repeats one.
func (t *Transition) arrives() bool {
	switch t.Kind {
	case Stepped, Called, Signalled:
		return t.NextPC != t.PC
	case Ran:
		return true
	}
	return false
}

// A hitList is all hits of some instructions, or the first ones.
type hitList struct {
	hits []Hit
	more bool // there are more than HitList wanted
}

// maxHits is the number of hits in a list of HitList.
const maxHits = 10_000

// HitList returns the hits of instructions in the whole history to which other instructions led,
// and whether they are all: there may be too many. The history remembers them.
func (h *History) HitList(ctx context.Context, code []uint64) (hits []Hit, all bool, err error) {
	key := fmt.Sprintf("hits %x", code)
	if l, ok := h.Findings.Remembered(key).(hitList); ok {
		return l.hits, !l.more, nil
	}
	var l hitList
	if numbers, ok := h.Findings.Kept(key); ok && l.set(numbers, h) {
		h.Findings.Remember(key, l)
		return l.hits, !l.more, nil
	}
	l = hitList{}
	_, err = h.Steps.Hits(ctx, code, Stretch{From: h.Oldest(), To: h.End()}, func(hit Hit) bool {
		if hit.Kind != Stepped {
			return true
		}
		if l.more = len(l.hits) == maxHits; !l.more {
			l.hits = append(l.hits, hit)
		}
		return !l.more
	})
	if err != nil {
		return nil, false, err
	}
	h.Findings.Remember(key, l)
	h.Findings.Keep(key, hitNumbers, l.numbers)
	return l.hits, !l.more, nil
}

// hitNumbers is the number of numbers of a hit.
const hitNumbers = 4

// numbers returns the list as numbers, and set is its inverse.
func (l *hitList) numbers() []uint64 {
	all := make([]uint64, 0, len(l.hits)*hitNumbers+1)
	for _, hit := range l.hits {
		all = append(all, hit.Position, uint64(hit.Thread), hit.PC, hit.SP)
	}
	if l.more {
		all = append(all, 0)
	}
	return all
}

// set takes the numbers, and reports whether they describe hits in the history.
func (l *hitList) set(numbers []uint64, h *History) bool {
	l.more = len(numbers)%hitNumbers == 1
	if n := len(numbers) % hitNumbers; n > 1 || len(numbers) > maxHits*hitNumbers+1 {
		return false
	}
	last := h.Oldest()
	for at := range slices.Chunk(numbers[:len(numbers)/hitNumbers*hitNumbers], hitNumbers) {
		if at[0] <= last || at[0] > h.End() || at[1] > math.MaxInt32 {
			return false
		}
		last = at[0]
		l.hits = append(l.hits, Hit{Position: at[0], Thread: int(at[1]), PC: at[2], SP: at[3], Kind: Stepped})
	}
	return true
}

// EndOfHits returns a position after which there is no hit of instructions, as near to the last
// hit as the past finds it.
func (st *Steps) EndOfHits(ctx context.Context, code []uint64) (uint64, error) {
	end := st.end()
	defer st.request.Within(ctx)()
	at, ok, err := st.past.Last(ctx, &Places{Code: code}, st.oldest(), end)
	if !ok {
		return end, err
	}
	return min(at+1, end), err
}

// Branches calls f with the transitions of a stretch that the past finds, or with all of
// them, in order, until it returns false. A transition may come twice. It returns the position up
// to which it has come. It does not move the view.
func (st *Steps) Branches(ctx context.Context, wanted Wanted, in Stretch, f func(*Transition) bool) (reached uint64, err error) {
	o := st.overHits(in)
	n := 0
	each := func(t *Transition) bool {
		more := f(t)
		if n++; more && n%enoughEvery != 0 {
			return true
		}
		return o.passes(t.Position+1, more)
	}
	searched, err := o.run(ctx,
		func(at, to uint64) (uint64, error) { return st.past.Branches(ctx, wanted, at, to, each) },
		func(at, to uint64) (uint64, error) {
			reached := at
			err := st.Transitions(ctx, at, to, func(t *Transition) bool {
				reached = t.Position + 1
				return each(t)
			})
			return reached, err
		})
	return searched.Reached, err
}

// enoughEvery is the number of transitions after which it is asked whether they are enough.
const enoughEvery = 1 << 8
