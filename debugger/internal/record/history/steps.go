package history

import (
	"context"
	"errors"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// Steps are the steps of a history. What they have done is read from their records, in the window
// that the view is in or in another one, or asked of the past. The view does not move. They belong to
// the goroutine of the history.
type Steps struct {
	past    Past     // that has them
	reason  string   // why they begin at the oldest position
	window  *Records // that the view is in; its view is that of the history
	near    *Records // another window, or nil
	failure error    // of a window, that its caller could not return
	request *Request
}

// oldest returns the first position.
func (st *Steps) oldest() uint64 {
	first, _ := st.past.Bounds()
	return first
}

// end returns the last position.
func (st *Steps) end() uint64 {
	_, last := st.past.Bounds()
	return last
}

// beginning returns that so many steps back from the view are more than there are.
func (st *Steps) beginning(wanted uint64) error {
	return &BeginningError{Oldest: st.oldest(), Wanted: wanted, There: st.window.view.position - st.oldest(), Reason: st.reason}
}

// Kind returns the kind of the record at a position, or Stepped if there is none.
func (st *Steps) Kind(position uint64) Kind {
	if position < st.oldest() || position >= st.end() {
		return Stepped
	}
	c, i := st.at(position)
	return Kind(c.record(i)[0] & kindBits)
}

// Wrote reports whether the step at a position wrote any of the n bytes at addr,
// even with the same value. For an unrecorded run next to the view it reports
// whether the bytes differ before and after the run.
func (st *Steps) Wrote(position, addr, n uint64) bool {
	if position < st.oldest() || position >= st.end() {
		return false
	}
	c, i := st.at(position)
	record := c.record(i)
	if record[0]&partMemory == 0 {
		return false
	}
	head, ok := writes(record, len(st.threadsAt(position)), addr, n)
	return ok && (head.kind != Ran || st.changed(position, addr, n))
}

// changed reports whether the n bytes at addr differ before and after a record
// that the view is next to. The spans of an unrecorded run may be larger than
// what changed.
func (st *Steps) changed(position, addr, n uint64) bool {
	if v := st.window.view.position; v != position && v != position+1 {
		return true
	}
	for _, s := range st.spansAt(position) {
		low, high := max(s.addr, addr), min(s.addr+uint64(len(s.data)), addr+n)
		if low >= high {
			continue
		}
		now := make([]byte, high-low)
		if k, _ := st.window.view.ReadMemory(low, now); string(now[:k]) != string(s.data[low-s.addr:][:k]) {
			return true
		}
	}
	return false
}

// Written calls f with the ranges that the step at a position wrote, in order.
func (st *Steps) Written(position uint64, f func(addr, n uint64)) {
	if position < st.oldest() || position >= st.end() {
		return
	}
	c, i := st.at(position)
	d := decoder{b: c.record(i)}
	head := d.head(len(st.threadsAt(position)))
	if head.parts&partMemory == 0 {
		return
	}
	d.skipRegs()
	for range d.count(2) {
		addr, n := d.uvarint(), d.uvarint()
		if d.bytes(n); d.bad {
			return
		}
		f(addr, n)
	}
}

// SystemCall returns the name of the system call at a position, or "".
func (st *Steps) SystemCall(position uint64) string {
	if st.Kind(position) != Called || position < st.oldest() || position >= st.end() {
		return ""
	}
	c, i := st.at(position)
	return callName(callNumber(c.record(i), len(st.threadsAt(position))))
}

// at returns the record at a position. If there is none because its window cannot be had, the
// record is damaged, and takeFailure returns the error.
func (st *Steps) at(position uint64) (*chunk, int) {
	w, err := st.holder(position)
	if err != nil {
		st.failure = err
		return &chunk{first: position, data: []byte{kindBits}, ends: []uint32{1}}, 0
	}
	return w.log.at(position)
}

// holder returns the window that has a record: that of the view, or another one, near. Each has a
// table of threads of its own.
func (st *Steps) holder(position uint64) (*Records, error) {
	if st.window.log.has(position) {
		return st.window, nil
	}
	if st.near == nil || !st.near.log.has(position) {
		w, err := st.past.Window(st.request.context(), position)
		if err != nil {
			return nil, err
		}
		if st.near != nil {
			st.past.Drop(st.near)
		}
		st.near = w
	}
	return st.near, nil
}

// threadsAt returns the table of threads that a record refers to, after h.at.
func (st *Steps) threadsAt(position uint64) []thread {
	if st.window.log.has(position) || st.near == nil {
		return st.window.view.threads
	}
	return st.near.view.threads
}

// takeFailure returns the last error of a window once.
func (st *Steps) takeFailure() error {
	err := st.failure
	st.failure = nil
	return err
}

// spansAt returns the memory part of the record at a position. The result is
// valid until the view moves.
func (st *Steps) spansAt(position uint64) []span {
	v := st.window.view
	c, i := st.at(position)
	d := decoder{b: c.record(i)}
	head := d.head(len(st.threadsAt(position)))
	d.skipRegs()
	if d.bad || head.parts&partMemory == 0 {
		return nil
	}
	v.scratch = d.spans(v.scratch[:0])
	return v.scratch
}

// windowEnd returns the position up to which the history that has the record at a position has
// records.
func (st *Steps) windowEnd(at, to uint64) (uint64, error) {
	w, err := st.holder(at)
	if err != nil {
		return 0, err
	}
	end := min(w.log.end(), to)
	if end <= at {
		return 0, errors.New("a window has no records")
	}
	return end, nil
}

// takeWindow returns the window with a record, which is then not near any more.
func (st *Steps) takeWindow(at uint64) (*Records, error) {
	if w := st.near; w != nil && w.log.has(at) {
		st.near = nil
		return w, nil
	}
	return st.past.Window(st.request.context(), at)
}

// A Write is a step that has written memory.
type Write struct {
	Position uint64 // before it: the next step forward writes
	Thread   int
	Kind     Kind // if Ran, the write was at some time between Position and Position+1
}

// LastWrite finds the last step before the view's position that wrote any of
// the n bytes at addr, even with the same value. It does not move the view.
func (st *Steps) LastWrite(ctx context.Context, addr, n uint64) (Write, bool, error) {
	defer st.request.Within(ctx)()
	here := st.window.view.position
	defer st.request.phase(here - st.oldest())()
	for position, oldest := here, st.oldest(); position > oldest; position-- {
		if position%checkEvery == 0 {
			if ctx.Err() != nil {
				return Write{}, false, ctx.Err()
			}
			st.request.passed(here - position)
			st.request.looked(here, position, true)
		}
		last, ok, err := st.lastPlace(addr, n, position)
		if !ok || err != nil {
			return Write{}, false, err
		}
		position = last + 1
		c, i := st.at(position - 1)
		record := c.record(i)
		if record[0]&partMemory == 0 {
			continue
		}
		threads := st.threadsAt(position - 1)
		if head, ok := writes(record, len(threads), addr, n); ok {
			return Write{Position: position - 1, Thread: threads[head.thread].id, Kind: head.kind}, true, nil
		}
	}
	return Write{}, false, st.takeFailure()
}

// lastPlace returns the position before another one, or the last position before it that may
// write the n bytes at addr if the records before it are not there.
func (st *Steps) lastPlace(addr, n, position uint64) (last uint64, ok bool, err error) {
	if st.window.log.has(position-1) || st.near != nil && st.near.log.has(position-1) {
		return position - 1, true, nil
	}
	return st.past.Last(st.request.context(), &Places{Memory: []x86.Span{{Addr: addr, Len: n}}}, st.oldest(), position)
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
