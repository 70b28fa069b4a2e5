package history

import (
	"errors"

	"github.com/triptych-mcp/triptych/debugger/internal/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/x86"
)

// A snapshot is a copy of all memory that the process can write. What it cannot
// write, neither then nor later, is not in it, although it may be changed between
// (mprotect).
type snapshot struct {
	regions []region

	// Unless watched is nil, the copy is the recorder's image, and changes are
	// what the target says.
	watched watched
	changes *proc.Written // nil: not asked yet
}

// ask has the target say what has changed. That comes before its mappings are
// listed: those that come to be watched may grow together.
func (s *snapshot) ask() error {
	if s == nil || s.watched == nil {
		return nil
	}
	w, err := s.watched.Written()
	s.changes = &w
	return err
}

type region struct {
	addr uint64
	data []byte
}

// snapshot copies memory: what has changed since the last time, if the target
// knows. It fails when there is too much.
func (r *Recorder) snapshot() (*snapshot, error) {
	target, ok := r.target.(watched)
	if !ok {
		return r.copyAll()
	}
	s := &snapshot{watched: target}
	if r.image.current(r.history.count) {
		return s, nil // nothing was recorded since
	}
	err := s.ask()
	if errors.Is(err, proc.ErrUnwatched) {
		r.image = image{}
		return r.copyAll()
	}
	if err == nil {
		err = r.look(s, nil)
	}
	if err != nil {
		return nil, err
	}
	s.changes = nil
	return s, nil
}

// copyAll copies all memory.
func (r *Recorder) copyAll() (*snapshot, error) {
	maps, err := r.target.Maps()
	if err != nil {
		return nil, err
	}
	total := uint64(0)
	for _, m := range maps {
		if m.Write {
			total += m.End - m.Start
		}
	}
	if total > uint64(r.options.MaxSnapshot)/2 {
		return nil, tooMuch(total)
	}
	s := &snapshot{}
	for _, m := range maps {
		if !m.Write {
			continue
		}
		data := make([]byte, m.End-m.Start)
		if err := r.fill(m.Start, data); err != nil {
			return nil, err
		}
		s.regions = append(s.regions, region{m.Start, data})
	}
	return s, nil
}

// compare calls keep with what was in memory, for each piece that has changed.
func (r *Recorder) compare(s *snapshot, keep func(addr uint64, old []byte)) error {
	if s.watched != nil && s.changes == nil {
		if err := s.ask(); err != nil {
			return err
		}
	}
	if s.watched != nil {
		return r.look(s, keep)
	}
	for _, g := range s.regions {
		if err := r.comparePages(g.addr, g.data, keep); err != nil {
			return err
		}
	}
	return nil
}

// compareStep is the number of bytes that are read at once.
const compareStep = 1 << 18

func (r *Recorder) comparePages(addr uint64, old []byte, keep func(addr uint64, old []byte)) error {
	for len(old) > 0 {
		n := min(len(old), compareStep-int(addr%pageSize))
		r.part = grow(r.part, n)
		if err := r.fill(addr, r.part); err != nil {
			return err
		}
		r.hideRseq(addr, old[:n], r.part)
		eachPage(addr, old[:n], r.part, keep)
		addr, old = addr+uint64(n), old[n:]
	}
	return nil
}

// eachPage calls keep for each page whose contents differ, from the first byte
// to the last that does.
func eachPage(addr uint64, old, now []byte, keep func(addr uint64, old []byte)) {
	for len(old) > 0 {
		n := min(len(old), int(pageSize-addr%pageSize))
		if first, last, ok := differ(old[:n], now[:n]); ok {
			keep(addr+uint64(first), old[first:last])
		}
		addr, old, now = addr+uint64(n), old[n:], now[n:]
	}
}

// differ returns the range in which two slices of the same length differ. Whole
// blocks are compared first, which is many times faster than byte by byte.
func differ(a, b []byte) (first, last int, ok bool) {
	first, last = 0, len(a)
	for block := 256; block > 0; block /= 16 {
		for first+block <= last && string(a[first:first+block]) == string(b[first:first+block]) {
			first += block
		}
	}
	for block := 256; block > 0; block /= 16 {
		for last-block >= first && string(a[last-block:last]) == string(b[last-block:last]) {
			last -= block
		}
	}
	return first, last, first < last
}

// hideRseq makes memory that the kernel writes by itself look unchanged.
func (r *Recorder) hideRseq(addr uint64, old, now []byte) {
	whole := x86.Span{Addr: addr, Len: uint64(len(old))}
	for _, s := range r.rseq {
		if low, high, ok := overlap(whole, s); ok {
			copy(now[low-addr:high-addr], old[low-addr:high-addr])
		}
	}
}

// overlap returns what two ranges have in common.
func overlap(a, b x86.Span) (low, high uint64, ok bool) {
	low, high = max(a.Addr, b.Addr), min(a.Addr+a.Len, b.Addr+b.Len)
	return low, high, low < high
}
