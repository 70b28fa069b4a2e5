package recording

import (
	"context"
	"errors"
	"math"

	"github.com/triptych-mcp/triptych/debugger/internal/history"
	"github.com/triptych-mcp/triptych/debugger/internal/worktime"
)

// Hits implements history.HitFinder. The program runs translated, and stops at the
// instructions.
func (t *Timeline) Hits(ctx context.Context, code []uint64, from, to uint64, f func(history.Hit) bool) (reached uint64, err error) {
	err = t.do(ctx, func(ctx context.Context) error {
		p, err := t.playerAt(ctx, from)
		if err != nil {
			return err
		}
		s := t.search(p, &history.Places{Code: code}, nil)
		s.each = f
		s.stretch = worktime.Of(ctx).Phase(to - min(from, to))
		defer s.stretch.Close()
		err = s.look(ctx, from, to, math.MaxInt)
		if err == nil && s.Position() == to {
			s.hit() // look ends before it
		}
		return errors.Join(err, p.endProcess())
	})
	return to, err
}
