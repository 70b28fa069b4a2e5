package history

import (
	"context"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// A Write is a step that has written memory.
type Write struct {
	Position uint64 // before it: the next step forward writes
	Thread   int
	Kind     Kind // if Ran, the write was at some time between Position and Position+1
}

// LastWrite finds the last step before the view's position that wrote any of
// the n bytes at addr, even with the same value. It does not move the view.
func (h *History) LastWrite(ctx context.Context, addr, n uint64) (Write, bool, error) {
	defer h.Request.Within(ctx)()
	here := h.view.position
	defer h.Request.phase(here - h.Oldest())()
	for position, oldest := here, h.Oldest(); position > oldest; position-- {
		if position%checkEvery == 0 {
			if ctx.Err() != nil {
				return Write{}, false, ctx.Err()
			}
			h.Request.passed(here - position)
			h.Request.looked(here, position, true)
		}
		last, ok, err := h.lastPlace(addr, n, position)
		if !ok || err != nil {
			return Write{}, false, err
		}
		position = last + 1
		c, i := h.at(position - 1)
		record := c.record(i)
		if record[0]&partMemory == 0 {
			continue
		}
		threads := h.threadsAt(position - 1)
		if head, ok := writes(record, len(threads), addr, n); ok {
			return Write{Position: position - 1, Thread: threads[head.thread].id, Kind: head.kind}, true, nil
		}
	}
	return Write{}, false, h.takeFailure()
}

// lastPlace returns the position before another one, or the last position before it that may
// write the n bytes at addr if the records before it are not there.
func (h *History) lastPlace(addr, n, position uint64) (last uint64, ok bool, err error) {
	if h.window.log.has(position-1) || h.near != nil && h.near.log.has(position-1) {
		return position - 1, true, nil
	}
	return h.past.Last(h.Request.context(), &Places{Memory: []x86.Span{{Addr: addr, Len: n}}}, h.Oldest(), position)
}

// Wrote reports whether the step at a position wrote any of the n bytes at addr,
// even with the same value. For an unrecorded run next to the view it reports
// whether the bytes differ before and after the run.
func (h *History) Wrote(position, addr, n uint64) bool {
	if position < h.Oldest() || position >= h.End() {
		return false
	}
	c, i := h.at(position)
	record := c.record(i)
	if record[0]&partMemory == 0 {
		return false
	}
	head, ok := writes(record, len(h.threadsAt(position)), addr, n)
	return ok && (head.kind != Ran || h.changed(position, addr, n))
}

// changed reports whether the n bytes at addr differ before and after a record
// that the view is next to. The spans of an unrecorded run may be larger than
// what changed.
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

// Kind returns the kind of the record at a position, or Stepped if there is none.
func (h *History) Kind(position uint64) Kind {
	if position < h.Oldest() || position >= h.End() {
		return Stepped
	}
	c, i := h.at(position)
	return Kind(c.record(i)[0] & kindBits)
}

// writes reports whether the memory part of a record, which must have one,
// overlaps the n bytes at addr.
func writes(record []byte, threads int, addr, n uint64) (head, bool) {
	d := decoder{b: record}
	head := d.head(threads)
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
