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
