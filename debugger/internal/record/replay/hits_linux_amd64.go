package replay

import (
	"context"
	"errors"
	"math"

	"github.com/triptych-mcp/triptych/debugger/internal/limits/worktime"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
)

// Hits implements history.Past. The program runs translated, and stops at the
// instructions.
func (t *Timeline) Hits(ctx context.Context, code []uint64, from, to uint64, f func(history.Hit) bool) (reached uint64, err error) {
	return t.hits(ctx, code, from, to, func(*search) func(history.Hit) bool { return f })
}

// Visit implements history.Past, as Hits does.
func (t *Timeline) Visit(ctx context.Context, code []uint64, from, to uint64, f func(history.Hit, *history.View) bool) (reached uint64, err error) {
	var failed error
	reached, err = t.hits(ctx, code, from, to, func(s *search) func(history.Hit) bool {
		return func(hit history.Hit) bool {
			var v *history.View
			if v, failed = s.view(); failed != nil {
				return false
			}
			return f(hit, v)
		}
	})
	return reached, errors.Join(err, failed)
}

// hits calls what each makes for a search with the hits of instructions.
func (t *Timeline) hits(ctx context.Context, code []uint64, from, to uint64, each func(*search) func(history.Hit) bool) (reached uint64, err error) {
	err = t.do(ctx, func(ctx context.Context) error {
		p, err := t.playerAt(ctx, from)
		if err != nil {
			return err
		}
		s := t.search(p, &history.Places{Code: code}, nil)
		s.each = each(s)
		s.stretch = worktime.Of(ctx).Phase(to - min(from, to))
		defer s.stretch.Close()
		err = s.look(ctx, from, to, math.MaxInt)
		if err == nil && s.Position() == to && s.enough > 0 {
			s.hit() // look ends before it
		}
		return errors.Join(err, p.EndProcess())
	})
	return to, err
}
