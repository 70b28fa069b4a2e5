package controltools

import (
	"context"
	"errors"

	"github.com/triptych-mcp/triptych/debugger/internal/failure"
	"github.com/triptych-mcp/triptych/debugger/internal/sessiontools"
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
	key, id := call.StateKey(), args.Session
	s, err := t.Sessions.Find(key, id)
	_, ended := errors.AsType[*failure.NotAttachedError](err)
	switch {
	case ended:
	case err != nil:
		return launched{}, err
	case !s.Launched():
		return launched{}, failure.Errorf("Not launched", "%s was not launched here", s.Name())
	default:
		id = s.ID
		if err := t.Sessions.End(ctx, s, true, s.Name()+" was restarted"); err != nil {
			return launched{}, err
		}
	}
	p, err := t.Sessions.EndedProgram(key, id)
	if err != nil {
		return launched{}, err
	}
	return t.begin(ctx, call, p)
}
