package stepping

import (
	"bytes"
	"context"
	"errors"

	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
)

// WriteBefore finds the last write before the current position. A stretch that
// was not recorded counts as a write if the memory differs after it, and a write to
// the bytes of a bit-field if it changes the field's bits.
func (s *Stepper) WriteBefore(ctx context.Context, w *Watch) (found history.Write, ok bool, err error) {
	back := s.Timeline.AtPosition(ctx, s.Target.History.View().Position(), func() {
		for {
			found, ok, err = s.Target.History.Steps.LastWrite(ctx, w.Address, uint64(w.Size))
			if err != nil || !ok {
				return
			}
			if err = s.Timeline.SeekQuietly(found.Position); err != nil || s.counts(w, &found) {
				return
			}
		}
	})
	return found, ok, errors.Join(err, back)
}

// counts reports whether a write to the watched bytes is one to what is watched. The
// position is that of the write, and remains so.
func (s *Stepper) counts(w *Watch, found *history.Write) bool {
	if found.Kind == history.Ran && !s.Target.History.Steps.Wrote(found.Position, w.Address, uint64(w.Size)) {
		return false
	}
	if w.Mask == nil {
		return true
	}
	before := w.bits(s.Watches.Bytes(w))
	if s.Timeline.SeekQuietly(found.Position+1) != nil {
		return true
	}
	after := w.bits(s.Watches.Bytes(w))
	return s.Timeline.SeekQuietly(found.Position) != nil || !bytes.Equal(before, after)
}
