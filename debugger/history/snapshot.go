package history

import (
	"fmt"

	"github.com/triptych-mcp/triptych/debugger/x86"
)

// A snapshot is a copy of all memory that the process can write.
type snapshot struct {
	regions []region
}

type region struct {
	addr uint64
	data []byte
}

// snapshot copies memory. It fails when there is too much.
func (r *Recorder) snapshot() (*snapshot, error) {
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
	if total > uint64(r.options.MaxSnapshot) {
		return nil, fmt.Errorf("%d MiB of memory are too many to be copied", total>>20)
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
	for _, g := range s.regions {
		if err := r.comparePages(g.addr, g.data, keep); err != nil {
			return err
		}
	}
	return nil
}

// compareStep is how much is read at once.
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

// differ returns the range in which two slices of the same length differ.
func differ(a, b []byte) (first, last int, ok bool) {
	if string(a) == string(b) {
		return 0, 0, false
	}
	for first < len(a) && a[first] == b[first] {
		first++
	}
	for last = len(a); a[last-1] == b[last-1]; {
		last--
	}
	return first, last, true
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
