package debugger

import (
	"context"
	"log/slog"

	"github.com/triptych-mcp/triptych/debugger/internal/symbols"
)

// An inspector reads a debuggee with the symbols of its program: registers,
// frames, expressions and instructions, of the moment that its scene shows.
type inspector struct {
	*debuggee

	program *symbols.Program
	life    context.Context //nolint:containedctx // ends with the session
	log     *slog.Logger
}

// newInspector makes one whose work ends with a context.
func newInspector(life context.Context, d *debuggee, log *slog.Logger) *inspector {
	return &inspector{
		debuggee: d, life: life, log: log, program: symbols.New(symbols.Config{Log: log, Open: d.open}),
	}
}
