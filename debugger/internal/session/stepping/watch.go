package stepping

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/program/values"
)

// ReachBreakpoint handles a stop at a breakpoint and returns the client's
// number for it, 0 if it has none. It removes a breakpoint that is set once,
// and notes how watched memory has changed.
func (s *Stepper) ReachBreakpoint(id int, why proc.Why) int {
	m := s.Breakpoints.Find(id)
	if m == nil {
		return 0
	}
	if w := m.Watch; w != nil {
		s.Notes = append(s.Notes, s.watchChange(w, why))
	}
	if m.Once {
		_ = s.Breakpoints.Clear(m) // what is not there any more is no matter
	}
	return m.ID
}

// LittleEndian formats memory as a number.
func LittleEndian(b []byte) string {
	if len(b) > maxShown {
		return fmt.Sprintf("%d bytes", len(b))
	}
	b = slices.Clone(b)
	slices.Reverse(b)
	return "0x" + hex.EncodeToString(b)
}

// SetPlace sets the memory to that of an object.
func (w *Watch) SetPlace(p values.Place) { w.Address, w.Mask, w.Shared = p.Address, p.Mask, p.Shared }

// Note says which bit-fields share the bytes; "" if there are none.
func (w *Watch) Note() string {
	if len(w.Shared) == 0 {
		return ""
	}
	return "The same bytes hold " + strings.Join(w.Shared, ", ") + "."
}

// bits returns the bits of b that are watched, the lowest one first. Without a mask it
// returns b.
func (w *Watch) bits(b []byte) []byte {
	if w.Mask == nil {
		return b
	}
	var out []byte
	n := 0
	for i := range 8 * min(len(b), len(w.Mask)) {
		if w.Mask[i/8]>>(i%8)&1 == 0 {
			continue
		}
		if n%8 == 0 {
			out = append(out, 0)
		}
		out[n/8] |= b[i/8] >> (i % 8) & 1 << (n % 8)
		n++
	}
	return out
}

// MaskedBits formats the bits of a mask as a number.
func MaskedBits(b, mask []byte) string { return (&Watch{Mask: mask}).Shown(b) }

// Shown formats the watched bits of memory as a number.
func (w *Watch) Shown(b []byte) string { return LittleEndian(w.bits(b)) }

// WatchedBytes reads the memory of a watchpoint; bytes that cannot be read are
// zero.
func (s *Stepper) WatchedBytes(w *Watch) []byte {
	b := make([]byte, w.Size)
	n, _ := s.Target.View.ReadMemory(w.Address, b)
	clear(b[n:])
	return b
}

// watchChange describes how watched memory has changed by the stop, or will
// change by the next step.
func (s *Stepper) watchChange(w *Watch, why proc.Why) string {
	if s.Target.History == nil || w.Size > maxShown {
		return s.sinceLastStop(w)
	}
	position := s.Target.History.View().Position()
	if why == AtWrite {
		return s.difference(w, position, position+1, "the next step makes it %[2]s, it is %[1]s")
	}
	if position == s.Target.History.Oldest() {
		return s.sinceLastStop(w)
	}
	return s.difference(w, position-1, position, "the value was %s and is %s")
}

// maxShown is the maximum size of watched memory that is shown.
const maxShown = 64

// A Sample holds watched memory at some moment, and how it is shown: secrets in it are
// masked as they were then, with what was around them.
type Sample struct {
	bytes []byte
	shown string
}

// Sample reads watched memory. It returns an error if a part of it cannot be read; that
// part is zero.
func (s *Stepper) Sample(w *Watch) (Sample, error) {
	b := make([]byte, w.Size)
	n, err := s.Target.View.ReadMemory(w.Address, b)
	clear(b[n:])
	if n == len(b) {
		err = nil
	}
	shown := slices.Clone(b)
	s.Target.MaskDisplayed(w.Address, shown)
	return Sample{w.bits(b), w.Shown(shown)}, err
}

// difference compares watched memory at two positions and returns to the
// current one.
func (s *Stepper) difference(w *Watch, before, after uint64, format string) string {
	here := s.Target.History.View().Position()
	was, is := s.sampleAt(w, before), s.sampleAt(w, after)
	_ = s.SeekQuietly(here) // it was just there
	w.Last = s.sampleAt(w, here)
	if string(was.bytes) == string(is.bytes) {
		return "the value is still " + is.shown
	}
	return fmt.Sprintf(format, was.shown, is.shown)
}

// sampleAt reads watched memory at a position; it is zero where that is not recorded.
func (s *Stepper) sampleAt(w *Watch, position uint64) Sample {
	if s.SeekQuietly(position) != nil {
		zero := make([]byte, w.Size)
		return Sample{zero, LittleEndian(zero)}
	}
	sample, _ := s.Sample(w) // what cannot be read is zero
	return sample
}

// sinceLastStop describes how watched memory has changed since it was last
// read.
func (s *Stepper) sinceLastStop(w *Watch) string {
	is, err := s.Sample(w)
	if err != nil {
		return ""
	}
	was := w.Last
	w.Last = is
	switch {
	case string(was.bytes) == string(is.bytes):
		return "the value is still " + is.shown
	case w.Size > maxShown:
		return "the value has changed"
	}
	return fmt.Sprintf("the value was %s and is %s", was.shown, is.shown)
}
