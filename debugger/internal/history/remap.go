package history

import (
	"github.com/triptych-mcp/triptych/debugger/internal/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/x86"
)

// In the past, memory that is not mapped is zero. So it is when it is mapped
// anew, but for files, shared memory, and what mremap has moved. What such
// memory has is recorded if something else was at its place before.

// remap finds out how the mappings have changed.
func (r *Recorder) remap(a *attempt) error {
	if err := a.before.ask(); err != nil {
		return err
	}
	maps, err := r.target.Maps()
	if err != nil {
		return err
	}
	v := r.view()
	a.gone, a.come = differMaps(v.maps, maps)
	if len(a.gone)+len(a.come) == 0 {
		return nil
	}
	r.forgetCode()
	for _, m := range a.come {
		if m.Inode != 0 || a.call.Number != callMmap && a.call.Number != callBrk {
			a.filled = append(a.filled, r.reused(v.maps, m)...)
		}
	}
	for _, m := range a.gone {
		if !covered(maps, m) {
			r.dropped = append(r.dropped, mapSpan(m))
		}
	}
	v.maps = maps
	return nil
}

func mapSpan(m procfs.Map) x86.Span { return x86.Span{Addr: m.Start, Len: m.End - m.Start} }

// covered says whether all of a mapping's addresses are mapped.
func covered(maps procfs.Maps, m procfs.Map) bool {
	at := m.Start
	for _, o := range maps {
		if o.Start <= at && at < o.End {
			at = o.End
		}
	}
	return at >= m.End
}

// reused returns the parts of a mapping that were not mapped just before, but
// were mapped at some earlier time.
func (r *Recorder) reused(before procfs.Maps, m procfs.Map) []x86.Span {
	var spans []x86.Span
	for _, s := range r.dropped {
		if low, high, ok := overlap(mapSpan(m), s); ok {
			spans = append(spans, x86.Span{Addr: low, Len: high - low})
		}
	}
	for _, o := range before {
		spans = without(spans, mapSpan(o))
	}
	return spans
}

// without takes a range out of others.
func without(spans []x86.Span, s x86.Span) []x86.Span {
	var rest []x86.Span
	for _, o := range spans {
		low, high, ok := overlap(o, s)
		if !ok {
			rest = append(rest, o)
			continue
		}
		if o.Addr < low {
			rest = append(rest, x86.Span{Addr: o.Addr, Len: low - o.Addr})
		}
		if end := o.Addr + o.Len; high < end {
			rest = append(rest, x86.Span{Addr: high, Len: end - high})
		}
	}
	return rest
}

// appendFilled keeps what memory that is mapped anew was before: zero. Pieces
// that were once dropped twice are looked at twice, which does no harm: the
// second finds its page in the first's record and is left out.
func (r *Recorder) appendFilled(a *attempt, keep func(addr uint64, old []byte)) error {
	seen := make(map[uint64]bool)
	zero := make([]byte, pageSize)
	for _, s := range a.filled {
		for addr := s.Addr; addr < s.Addr+s.Len; addr += pageSize {
			if seen[addr] {
				continue
			}
			seen[addr] = true
			if err := r.comparePages(addr, zero, keep); err != nil {
				return err
			}
		}
	}
	return nil
}
