package recording

import (
	"context"

	"github.com/triptych-mcp/triptych/debugger/internal/inplace"
)

// Step executes the next instruction in its original place, whatever it is.
func (p *Player) Step(ctx context.Context) (inplace.Stop, error) { return p.run.Step(ctx) }

// NewTimelineOf is NewTimeline with sizes of windows and distances of checkpoints.
func NewTimelineOf(ctx context.Context, r *Recording, window, spacing uint64) (*Timeline, error) {
	return newTimeline(ctx, r, sizes{window, spacing})
}
