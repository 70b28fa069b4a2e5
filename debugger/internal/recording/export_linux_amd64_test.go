package recording

import (
	"context"

	"github.com/triptych-mcp/triptych/debugger/internal/inplace"
)

// Step executes the next instruction in its original place, whatever it is.
func (p *Player) Step(ctx context.Context) (inplace.Stop, error) { return p.run.Step(ctx) }
