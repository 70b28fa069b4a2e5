package history

import (
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
	"github.com/triptych-mcp/triptych/debugger/internal/record/memdiff"
)

// New mappings read as zero, and the view relies on that. The exceptions are
// files, shared memory and memory that mremap has moved: if their addresses
// were mapped before, their contents are recorded.

// remap determines how the mappings have changed.
func (rw *recordWriter) remap(a *attempt) error {
	if err := a.before.ReadWritten(); err != nil {
		return err
	}
	maps, err := rw.target.Maps()
	if err != nil {
		return err
	}
	v := rw.recorder.view()
	a.removed, a.added = differMaps(v.maps, maps)
	if len(a.removed)+len(a.added) == 0 {
		return nil
	}
	rw.recorder.invalidateCode()
	for _, m := range a.added {
		if m.Inode != 0 || a.call.Number != callMmap && a.call.Number != callBrk {
			a.filled = append(a.filled, rw.reused(v.maps, m)...)
		}
	}
	for _, m := range a.removed {
		if !covered(maps, m) {
			rw.unmapped = append(rw.unmapped, mapSpan(m))
		}
	}
	v.maps = maps
	return nil
}

func mapSpan(m procfs.Map) x86.Span { return x86.Span{Addr: m.Start, Len: m.End - m.Start} }

// covered reports whether all addresses of m are mapped in maps.
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
func (rw *recordWriter) reused(before procfs.Maps, m procfs.Map) []x86.Span {
	var spans []x86.Span
	for _, s := range rw.unmapped {
		if low, high, ok := memdiff.Overlap(mapSpan(m), s); ok {
			spans = append(spans, x86.Span{Addr: low, Len: high - low})
		}
	}
	for _, o := range before {
		spans = without(spans, mapSpan(o))
	}
	return spans
}

// without returns spans minus a range.
func without(spans []x86.Span, s x86.Span) []x86.Span {
	var rest []x86.Span
	for _, o := range spans {
		low, high, ok := memdiff.Overlap(o, s)
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

// appendFilled saves zero as the old contents of the mapped pages in a.filled.
// Spans in it may overlap; each page is saved once.
func (rw *recordWriter) appendFilled(a *attempt, saveOld func(addr uint64, old []byte)) error {
	seen := make(map[uint64]bool)
	zero := make([]byte, pageSize)
	for _, s := range a.filled {
		for addr := s.Addr; addr < s.Addr+s.Len; addr += pageSize {
			if seen[addr] {
				continue
			}
			seen[addr] = true
			if err := rw.memory.ComparePages(addr, zero, saveOld); err != nil {
				return err
			}
		}
	}
	return nil
}
