package history

import (
	"context"
	"errors"
)

// Records describe steps, one after another, and have a view that is next to one of them. They are a
// [Part] that has looked for nothing yet: the answers are in the records. A [History] moves
// through the records of one window at a time.
type Records struct {
	log  ring
	view *View // the one of the history that is in them, else where it has left them
	end  *View // of records whose process has moved on: after the last one; else nil

	shown int // how many windows are in use
}

// Freeze returns the records since the process was lent last, as a part of the past after the
// process has moved on, or nil if there are none. The base reads the process as it was after them.
func (r *Recorder) Freeze(base Base) *Records {
	h := r.history
	if h.away() || h.own.log.oldest() == h.own.log.end() {
		return nil
	}
	v := h.view
	v.base, v.memory = base, overlay{base: base.ReadMemory}
	v.remapped = false
	return &Records{log: h.own.log, view: &v, end: &v}
}

// Bounds implements [Past].
func (r *Records) Bounds() (first, last uint64) { return r.log.oldest(), r.log.end() }

// Window implements [Past]. There is one.
func (r *Records) Window(context.Context, uint64) (*Records, error) {
	r.shown++
	return r, nil
}

// Drop implements [Past].
func (r *Records) Drop(w *Records) {
	if w == r {
		r.shown--
	}
}

// Shown reports whether a window of the records is in use.
func (r *Records) Shown() bool { return r.shown > 0 }

// Last implements [Past].
func (r *Records) Last(_ context.Context, _ *Places, from, to uint64) (position uint64, ok bool, err error) {
	return to - 1, to > from, nil
}

// First implements [Past].
func (r *Records) First(_ context.Context, _ *Places, from, to uint64) (position uint64, ok bool, err error) {
	return from, to > from, nil
}

// Hits implements [Past].
func (r *Records) Hits(_ context.Context, _ []uint64, from, _ uint64, _ func(Hit) bool) (reached uint64, err error) {
	return from, nil
}

// Visit implements [Past].
func (r *Records) Visit(_ context.Context, _ []uint64, from, _ uint64, _ func(Hit, *View) bool) (reached uint64, err error) {
	return from, nil
}

// Branches implements [Past].
func (r *Records) Branches(_ context.Context, _ Wanted, from, _ uint64, _ func(*Transition) bool) (reached uint64, err error) {
	return from, nil
}

// Accesses implements [Past]. Records have none.
func (r *Records) Accesses(_ context.Context, from, _ uint64, _ func(*Access) bool) (reached uint64, err error) {
	return from, nil
}

// Inputs implements [Past].
func (r *Records) Inputs(ctx context.Context, from, to uint64, f func(position uint64, in Input)) error {
	for position := max(from, r.log.oldest()); position < min(to, r.log.end()); position++ {
		if position%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		c, i := r.log.at(position)
		record := c.record(i)
		in := Input{Kind: Kind(record[0] & kindBits)}
		if in.Kind == Called {
			in.Number = callNumber(record, len(r.view.threads))
		}
		f(position, in)
	}
	return nil
}

// Bytes implements [Part].
func (r *Records) Bytes() int { return r.log.bytes }

// CheckCut implements [Part]. What is after the records has the memory at their end.
func (r *Records) CheckCut(uint64) error {
	return errors.New("a recording has begun after the steps around this position; go to the beginning of one, or to a position in it")
}

// Cut implements [Part].
func (r *Records) Cut(uint64) {}

// Close implements [Part].
func (r *Records) Close() error { return nil }

// Discard gives back the memory of records that are not used any more.
func (r *Records) Discard() {
	r.log.clear(r.log.end())
	r.view.memory.clear()
}
