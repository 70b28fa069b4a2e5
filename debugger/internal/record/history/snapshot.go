package history

import (
	"errors"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// A snapshot is a copy of the writable memory of the process. It misses memory
// that is read-only before and after, even if mprotect made it writable between.
type snapshot struct {
	regions []region

	// If writeTracker is not nil, the copy is the recorder's image, and changes
	// is the target's report.
	writeTracker writeTracker
	changes      *proc.Written // nil if not read yet
}

// readWritten reads which pages were written. It must be called before the
// mappings are listed, because tracking may merge mappings.
func (s *snapshot) readWritten() error {
	if s == nil || s.writeTracker == nil {
		return nil
	}
	w, err := s.writeTracker.Written()
	s.changes = &w
	return err
}

type region struct {
	addr uint64
	data []byte
}

// A memoryCopies reads the memory of a process and has a copy of it, to find what has changed.
type memoryCopies struct {
	target  Target
	history *History
	most    int // Options.MaxSnapshot

	image image      // copy of memory for snapshots
	part  []byte     // buffer
	rseq  []x86.Span // memory that the kernel writes at any time, see rseq(2)
}

// snapshot copies the writable memory, or refreshes the image if the target
// tracks writes. It returns an error if there is too much memory.
func (mc *memoryCopies) snapshot() (*snapshot, error) {
	target, ok := mc.target.(writeTracker)
	if !ok {
		return mc.copyAll()
	}
	s := &snapshot{writeTracker: target}
	if mc.image.current(mc.history.count) {
		return s, nil // nothing was recorded since
	}
	err := s.readWritten()
	if errors.Is(err, proc.ErrUnwatched) {
		mc.image = image{}
		return mc.copyAll()
	}
	if err == nil {
		err = mc.refreshImage(s, nil)
	}
	if err != nil {
		return nil, err
	}
	s.changes = nil
	return s, nil
}

// copyAll copies all writable memory.
func (mc *memoryCopies) copyAll() (*snapshot, error) {
	maps, err := mc.target.Maps()
	if err != nil {
		return nil, err
	}
	total := uint64(0)
	for _, m := range maps {
		if m.Write {
			total += m.End - m.Start
		}
	}
	if total > uint64(mc.most)/2 {
		return nil, tooMuch(total)
	}
	s := &snapshot{}
	for _, m := range maps {
		if !m.Write {
			continue
		}
		data := make([]byte, m.End-m.Start)
		if err := mc.readOrZero(m.Start, data); err != nil {
			return nil, err
		}
		s.regions = append(s.regions, region{m.Start, data})
	}
	return s, nil
}

// compare calls saveOld with the old contents of each piece of memory that has
// changed since the snapshot.
func (mc *memoryCopies) compare(s *snapshot, saveOld func(addr uint64, old []byte)) error {
	if s.writeTracker != nil && s.changes == nil {
		if err := s.readWritten(); err != nil {
			return err
		}
	}
	if s.writeTracker != nil {
		return mc.refreshImage(s, saveOld)
	}
	for _, g := range s.regions {
		if err := mc.comparePages(g.addr, g.data, saveOld); err != nil {
			return err
		}
	}
	return nil
}

// compareStep is the number of bytes that one read compares.
const compareStep = 1 << 18

func (mc *memoryCopies) comparePages(addr uint64, old []byte, saveOld func(addr uint64, old []byte)) error {
	for len(old) > 0 {
		n := min(len(old), compareStep-int(addr%pageSize))
		mc.part = grow(mc.part, n)
		if err := mc.readOrZero(addr, mc.part); err != nil {
			return err
		}
		mc.hideRseq(addr, old[:n], mc.part)
		eachPage(addr, old[:n], mc.part, saveOld)
		addr, old = addr+uint64(n), old[n:]
	}
	return nil
}

// eachPage calls saveOld for each page whose contents differ, with the range from
// the first to the last byte that differs.
func eachPage(addr uint64, old, now []byte, saveOld func(addr uint64, old []byte)) {
	for len(old) > 0 {
		n := min(len(old), int(pageSize-addr%pageSize))
		if first, last, ok := differ(old[:n], now[:n]); ok {
			saveOld(addr+uint64(first), old[first:last])
		}
		addr, old, now = addr+uint64(n), old[n:], now[n:]
	}
}

// differ returns the range from the first to the last byte in which two slices
// of the same length differ. Comparing blocks first is many times faster than
// byte by byte.
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

// hideRseq copies the rseq areas from old to now, so that they compare equal.
func (mc *memoryCopies) hideRseq(addr uint64, old, now []byte) {
	whole := x86.Span{Addr: addr, Len: uint64(len(old))}
	for _, s := range mc.rseq {
		if low, high, ok := overlap(whole, s); ok {
			copy(now[low-addr:high-addr], old[low-addr:high-addr])
		}
	}
}

// overlap returns the intersection of two ranges.
func overlap(a, b x86.Span) (low, high uint64, ok bool) {
	low, high = max(a.Addr, b.Addr), min(a.Addr+a.Len, b.Addr+b.Len)
	return low, high, low < high
}
