package inspect

import (
	"context"
	"log/slog"

	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/session/target"
)

// An Inspector reads a target with the symbols of its program: registers,
// frames, expressions and instructions at the position that its View shows.
type Inspector struct {
	Target *target.Target

	Program *symbols.Program
	Life    context.Context //nolint:containedctx // ends with the session
	Log     *slog.Logger
}

// NewInspector returns an Inspector whose work ends with life. It logs with the id of
// the process.
func NewInspector(life context.Context, d *target.Target, log *slog.Logger) *Inspector {
	own := log.With("pid", d.PID)
	return &Inspector{
		Target: d, Life: life, Log: own, Program: symbols.New(symbols.Config{
			Log: own, SharedLog: log, Open: d.OpenImage, FindDebug: d.FindDebug, Account: d.Account,
		}),
	}
}
