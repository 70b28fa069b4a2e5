package controltools

import (
	"context"

	"github.com/triptych-mcp/triptych/debugger/internal/serve/sessiontools"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/mcp"
)

// restartArgs holds the arguments of restart.
type restartArgs struct{ sessiontools.SessionArg }

// restart launches a program again, under the id of its session and with its
// breakpoints. If the program still runs, restart kills it.
func (t *Group) restart(ctx context.Context, call *mcp.Call, args restartArgs) (launched, error) {
	if t.NoLaunch {
		return launched{}, errNoLaunch
	}
	var answer launched
	err := t.Sessions.Restart(ctx, call.StateKey(), args.Session, func(p session.Program) (err error) {
		answer, err = t.begin(ctx, call, p)
		return err
	})
	return answer, err
}
