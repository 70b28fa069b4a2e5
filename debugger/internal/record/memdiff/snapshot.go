package memdiff

import (
	"errors"
	"slices"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// A Snapshot is a copy of the writable memory of the process. It misses memory
// that is read-only before and after, even if mprotect made it writable between.
type Snapshot struct {
	regions []region

	// If writeTracker is not nil, the copy is the recorder's image, and changes
	// is the target's report.
	writeTracker writeTracker
	changes      *proc.Written // nil if not read yet
}

// ReadWritten reads which pages were written. It must be called before the
// mappings are listed, because tracking may merge mappings.
func (s *Snapshot) ReadWritten() error {
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

// A Process is one whose memory can be read. If it has the methods Written and Gather of
// proc.Process too, only pages that were written are read again.
type Process interface {
	ReadMemory(addr uint64, b []byte) (int, error)
	Maps() (procfs.Maps, error)
}

// Copies have a copy of the memory of a process, to find what has changed.
type Copies struct {
	Process Process
	Most    int           // number of bytes that are copied
	Count   func() uint64 // returns the number of changes that were recorded, see Recorded
	Rseq    []x86.Span    // memory that the kernel writes at any time, see rseq(2)

	image image  // copy of memory for snapshots
	part  []byte // buffer
}

// Current reports whether nothing was recorded or changed otherwise since the last snapshot or
// comparison, so that the next snapshot copies nothing.
func (mc *Copies) Current() bool { return mc.image.current(mc.Count()) }

// Recorded says that the changes which the last comparison has found are among those counted.
func (mc *Copies) Recorded() { mc.image.count = mc.Count() }

// Changed says that the memory may have been changed by others than recorded steps.
func (mc *Copies) Changed() { mc.image.fresh = false }

// Release drops the copy.
func (mc *Copies) Release() { mc.image, mc.part = image{}, nil }

// Snapshot copies the writable memory, or refreshes the image if the target
// tracks writes. It returns an error if there is too much memory.
func (mc *Copies) Snapshot() (*Snapshot, error) {
	target, ok := mc.Process.(writeTracker)
	if !ok {
		return mc.copyAll()
	}
	s := &Snapshot{writeTracker: target}
	if mc.image.current(mc.Count()) {
		return s, nil // nothing was recorded since
	}
	err := s.ReadWritten()
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
func (mc *Copies) copyAll() (*Snapshot, error) {
	maps, err := mc.Process.Maps()
	if err != nil {
		return nil, err
	}
	total := uint64(0)
	for _, m := range maps {
		if m.Write {
			total += m.End - m.Start
		}
	}
	if total > uint64(mc.Most)/2 {
		return nil, tooMuch(total)
	}
	s := &Snapshot{}
	for _, m := range maps {
		if !m.Write {
			continue
		}
		data := make([]byte, m.End-m.Start)
		if err := mc.ReadOrZero(m.Start, data); err != nil {
			return nil, err
		}
		s.regions = append(s.regions, region{m.Start, data})
	}
	return s, nil
}

// Compare calls saveOld with the old contents of each piece of memory that has
// changed since the snapshot.
func (mc *Copies) Compare(s *Snapshot, saveOld func(addr uint64, old []byte)) error {
	if s.writeTracker != nil && s.changes == nil {
		if err := s.ReadWritten(); err != nil {
			return err
		}
	}
	if s.writeTracker != nil {
		return mc.refreshImage(s, saveOld)
	}
	for _, g := range s.regions {
		if err := mc.ComparePages(g.addr, g.data, saveOld); err != nil {
			return err
		}
	}
	return nil
}

// CompareStep is the number of bytes that one read compares.
const CompareStep = 1 << 18

func (mc *Copies) ComparePages(addr uint64, old []byte, saveOld func(addr uint64, old []byte)) error {
	for len(old) > 0 {
		n := min(len(old), CompareStep-int(addr%pageSize))
		mc.part = slices.Grow(mc.part[:0], n)[:n]
		if err := mc.ReadOrZero(addr, mc.part); err != nil {
			return err
		}
		mc.hideRseq(addr, old[:n], mc.part)
		EachPage(addr, old[:n], mc.part, saveOld)
		addr, old = addr+uint64(n), old[n:]
	}
	return nil
}

// EachPage calls saveOld for each page whose contents differ, with the range from
// the first to the last byte that differs.
func EachPage(addr uint64, old, now []byte, saveOld func(addr uint64, old []byte)) {
	for len(old) > 0 {
		n := min(len(old), int(pageSize-addr%pageSize))
		if first, last, ok := Differ(old[:n], now[:n]); ok {
			saveOld(addr+uint64(first), old[first:last])
		}
		addr, old, now = addr+uint64(n), old[n:], now[n:]
	}
}

// Differ returns the range from the first to the last byte in which two slices
// of the same length differ. Comparing blocks first is many times faster than
// byte by byte.
func Differ(a, b []byte) (first, last int, ok bool) {
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
func (mc *Copies) hideRseq(addr uint64, old, now []byte) {
	whole := x86.Span{Addr: addr, Len: uint64(len(old))}
	for _, s := range mc.Rseq {
		if low, high, ok := Overlap(whole, s); ok {
			copy(now[low-addr:high-addr], old[low-addr:high-addr])
		}
	}
}

// Overlap returns the intersection of two ranges.
func Overlap(a, b x86.Span) (low, high uint64, ok bool) {
	low, high = max(a.Addr, b.Addr), min(a.Addr+a.Len, b.Addr+b.Len)
	return low, high, low < high
}

// ReadOrZero reads memory; pages that cannot be read are zero.
func (mc *Copies) ReadOrZero(addr uint64, b []byte) error {
	n, err := mc.Process.ReadMemory(addr, b)
	if err == nil || isMemoryError(err) {
		for n < len(b) { // skip unreadable pages
			clear(b[n:])
			skip := int(pageSize - (addr+uint64(n))%pageSize)
			if n+skip >= len(b) {
				break
			}
			n += skip
			k, err := mc.Process.ReadMemory(addr+uint64(n), b[n:])
			if n += k; err != nil && !isMemoryError(err) {
				return err
			}
		}
		return nil
	}
	return err
}

// isMemoryError reports whether an error concerns the memory at an address and
// not the whole process.
func isMemoryError(err error) bool {
	return !errors.Is(err, proc.ErrExited) && !errors.Is(err, proc.ErrDetached) && !errors.Is(err, proc.ErrRunning)
}

// pageSize is the size of a page of memory.
const pageSize = 1 << 12
