package history

import "context"

// A Write is a piece of history that has written memory.
type Write struct {
	Position uint64 // before it: the next step forward writes
	Thread   int
	Kind     Kind // Ran: some time between Position and the next one
}

// LastWrite looks for the last step before the view's position that has written
// any of n bytes at addr, whether or not they changed by it. The view stays
// where it is.
func (h *History) LastWrite(ctx context.Context, addr, n uint64) (Write, bool, error) {
	for position := h.view.position; position > h.Oldest(); position-- {
		if position%checkEvery == 0 && ctx.Err() != nil {
			return Write{}, false, ctx.Err()
		}
		c, i := h.log.at(position - 1)
		record := c.record(i)
		if record[0]&partMemory == 0 {
			continue
		}
		if head, ok := h.writes(record, addr, n); ok {
			return Write{Position: position - 1, Thread: h.view.threads[head.thread].id, Kind: head.kind}, true, nil
		}
	}
	return Write{}, false, nil
}

// Wrote says whether the step that leads from a position to the next one, which
// there must be, has written any of n bytes at addr, whether or not they changed
// by it. Of a run that was not recorded it says whether they have changed, if
// the view is next to it.
func (h *History) Wrote(position, addr, n uint64) bool {
	if position < h.Oldest() || position >= h.End() {
		return false
	}
	c, i := h.log.at(position)
	record := c.record(i)
	if record[0]&partMemory == 0 {
		return false
	}
	head, ok := h.writes(record, addr, n)
	return ok && (head.kind != Ran || h.changed(position, addr, n))
}

// changed says whether memory differs before and after a record that the view
// is next to. Of runs it is known only which pieces have changed somewhere.
func (h *History) changed(position, addr, n uint64) bool {
	if v := h.view.position; v != position && v != position+1 {
		return true
	}
	for _, s := range h.spansAt(position) {
		low, high := max(s.addr, addr), min(s.addr+uint64(len(s.data)), addr+n)
		if low >= high {
			continue
		}
		now := make([]byte, high-low)
		if k, _ := h.view.ReadMemory(low, now); string(now[:k]) != string(s.data[low-s.addr:][:k]) {
			return true
		}
	}
	return false
}

// Kind says what the step that leads from a position to the next one is. Where
// there is none it is a step.
func (h *History) Kind(position uint64) Kind {
	if position < h.Oldest() || position >= h.End() {
		return Stepped
	}
	c, i := h.log.at(position)
	return Kind(c.record(i)[0] & kindBits)
}

// writes says whether a record has a memory part that touches n bytes at addr.
func (h *History) writes(record []byte, addr, n uint64) (head, bool) {
	d := decoder{b: record}
	head := d.head(len(h.view.threads))
	d.skipRegs()
	for range d.count(2) {
		start := d.uvarint()
		size := d.uvarint()
		d.bytes(size)
		if d.bad {
			break
		}
		if start < addr+n && addr < start+size {
			return head, true
		}
	}
	return head, false
}
