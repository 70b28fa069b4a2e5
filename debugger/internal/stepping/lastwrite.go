package stepping

import (
	"context"
	"errors"

	"github.com/triptych-mcp/triptych/debugger/internal/history"
)

// WriteBefore finds the last write before the moment that is looked at. Of runs
// that were not recorded those count in which the value has changed.
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
