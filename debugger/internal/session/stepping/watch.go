package stepping

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/program/values"
	"github.com/triptych-mcp/triptych/debugger/internal/session/target"
)

// Reach handles a stop at a breakpoint and returns the client's
// number for it, 0 if it has none. It removes a breakpoint that is set once,
// and notes how watched memory has changed.
func (bs *Breakpoints) Reach(id int, why proc.Why) int {
	m := bs.Find(id)
	if m == nil {
		return 0
	}
	if w := m.Watch; w != nil {
		bs.timeline.Notes = append(bs.timeline.Notes, bs.watches.change(w, why))
	}
	if m.Once {
		_ = bs.Clear(m) // what is not there any more is no matter
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

// Watches reads and compares the memory of watchpoints.
type Watches struct {
	target   *target.Target
	timeline *Timeline
}

// Bytes reads the memory of a watchpoint; bytes that cannot be read are
// zero.
func (ws *Watches) Bytes(w *Watch) []byte {
	b := make([]byte, w.Size)
	n, _ := ws.target.View.ReadMemory(w.Address, b)
	clear(b[n:])
	return b
}

// change describes how watched memory has changed by the stop, or will
// change by the next step.
func (ws *Watches) change(w *Watch, why proc.Why) string {
	if ws.target.History == nil || w.Size > maxShown {
		return ws.sinceLastStop(w)
	}
	position := ws.target.History.View().Position()
	if why == AtWrite {
		return ws.difference(w, position, position+1, "the next step makes it %[2]s, it is %[1]s")
	}
	if position == ws.target.History.Oldest() {
		return ws.sinceLastStop(w)
	}
	return ws.difference(w, position-1, position, "the value was %s and is %s")
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
func (ws *Watches) Sample(w *Watch) (Sample, error) {
	b := make([]byte, w.Size)
	n, err := ws.target.View.ReadMemory(w.Address, b)
	clear(b[n:])
	if n == len(b) {
		err = nil
	}
	shown := slices.Clone(b)
	ws.target.MaskDisplayed(w.Address, shown)
	return Sample{w.bits(b), w.Shown(shown)}, err
}

// difference compares watched memory at two positions and returns to the
// current one.
func (ws *Watches) difference(w *Watch, before, after uint64, format string) string {
	here := ws.target.History.View().Position()
	was, is := ws.sampleAt(w, before), ws.sampleAt(w, after)
	_ = ws.timeline.SeekQuietly(here) // it was just there
	w.Last = ws.sampleAt(w, here)
	if string(was.bytes) == string(is.bytes) {
		return "the value is still " + is.shown
	}
	return fmt.Sprintf(format, was.shown, is.shown)
}

// sampleAt reads watched memory at a position; it is zero where that is not recorded.
func (ws *Watches) sampleAt(w *Watch, position uint64) Sample {
	if ws.timeline.SeekQuietly(position) != nil {
		zero := make([]byte, w.Size)
		return Sample{zero, LittleEndian(zero)}
	}
	sample, _ := ws.Sample(w) // what cannot be read is zero
	return sample
}

// sinceLastStop describes how watched memory has changed since it was last
// read.
func (ws *Watches) sinceLastStop(w *Watch) string {
	is, err := ws.Sample(w)
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
