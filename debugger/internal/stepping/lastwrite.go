package stepping

import (
	"context"
	"errors"

	"github.com/triptych-mcp/triptych/debugger/internal/history"
)

// WriteBefore finds the last write before the current position. A stretch that
// was not recorded counts as a write if the memory differs after it.
func (s *Stepper) WriteBefore(ctx context.Context, w *Watch) (found history.Write, ok bool, err error) {
	size := uint64(w.Size)
	back := s.AtPosition(s.History.View().Position(), func() {
		for {
			found, ok, err = s.History.LastWrite(ctx, w.Address, size)
			if err != nil || !ok || found.Kind != history.Ran {
				return
			}
			if err = s.SeekQuietly(found.Position); err != nil || s.History.Wrote(found.Position, w.Address, size) {
				return
			}
		}
	})
	return found, ok, errors.Join(err, back)
}
