package stepping

import (
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/triptych-mcp/triptych/debugger/internal/proc"
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

// WatchedBytes reads the memory of a watchpoint; bytes that cannot be read are
// zero.
func (s *Stepper) WatchedBytes(w *Watch) []byte {
	b := make([]byte, w.Size)
	n, _ := s.View.ReadMemory(w.Address, b)
	clear(b[n:])
	return b
}

// watchChange describes how watched memory has changed by the stop, or will
// change by the next step.
func (s *Stepper) watchChange(w *Watch, why proc.Why) string {
	if s.History == nil || w.Size > maxShown {
		return s.sinceLastStop(w)
	}
	position := s.History.View().Position()
	if why == AtWrite {
		return s.difference(w, position, position+1, "the next step makes it %[2]s, it is %[1]s")
	}
	if position == s.History.Oldest() {
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
	n, err := s.View.ReadMemory(w.Address, b)
	clear(b[n:])
	if n == len(b) {
		err = nil
	}
	shown := slices.Clone(b)
	s.MaskDisplayed(w.Address, shown)
	return Sample{b, LittleEndian(shown)}, err
}

// difference compares watched memory at two positions and returns to the
// current one.
func (s *Stepper) difference(w *Watch, before, after uint64, format string) string {
	here := s.History.View().Position()
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
