package history

import "context"

// A Frozen holds the records of a [Recorder] as a part of an [Archive], after the process
// has moved on. It is a [Finder] that has searched nothing yet.
type Frozen struct{ records *History }

// Freeze returns the records since the last archive, or nil if there are none. The base
// reads the process as it was after them.
func (r *Recorder) Freeze(base Base) *Frozen {
	h := r.history
	if h.away() || h.log.oldest() == h.log.end() {
		return nil
	}
	f := &History{log: h.log, view: h.view, frozen: true}
	f.view.base, f.view.memory = base, overlay{base: base.ReadMemory}
	f.view.remapped = false
	return &Frozen{f}
}

// Bounds implements [Source].
func (f *Frozen) Bounds() (first, last uint64) { return f.records.log.oldest(), f.records.log.end() }

// Window implements [Source]. There is one.
func (f *Frozen) Window(context.Context, uint64) (*History, error) { return f.records, nil }

// Drop implements [Source].
func (f *Frozen) Drop(*History) {}

// Last implements [Finder].
func (f *Frozen) Last(_ context.Context, _ *Places, from, to uint64) (position uint64, ok bool, err error) {
	return to - 1, to > from, nil
}

// First implements [Finder].
func (f *Frozen) First(_ context.Context, _ *Places, from, to uint64) (position uint64, ok bool, err error) {
	return from, to > from, nil
}

// Bytes returns the size of the records.
func (f *Frozen) Bytes() int { return f.records.log.bytes }

// Inputs does what [Archive] says, for the records before another position.
func (f *Frozen) Inputs(ctx context.Context, from, to uint64, add func(kind Kind, number uint64)) error {
	h := f.records
	for position := max(from, h.log.oldest()); position < min(to, h.log.end()); position++ {
		if position%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		c, i := h.log.at(position)
		record := c.record(i)
		kind, number := Kind(record[0]&kindBits), uint64(0)
		if kind == Called {
			number = callNumber(record, len(h.view.threads))
		}
		add(kind, number)
	}
	return nil
}

// leaveWindow gives the window of the view back to the source. Frozen records are then as
// after all of them, because undone ones have exchanged their contents with the view.
func (h *History) leaveWindow() error {
	if h.window == nil {
		return nil
	}
	if h.hold() {
		h.window = nil
		return nil
	}
	if h.window.frozen {
		for ; h.view.position < h.log.end(); h.view.position++ {
			c, i := h.log.at(h.view.position)
			if err := h.view.move(c.record(i), false); err != nil {
				return err
			}
		}
	}
	h.source.Drop(h.window)
	h.window = nil
	return nil
}
