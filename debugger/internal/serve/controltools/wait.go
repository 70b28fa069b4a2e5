package controltools

import (
	"context"

	"github.com/triptych-mcp/triptych/debugger/internal/serve/sessiontools"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/mcp"
)

// waitArgs holds the arguments of wait.
type waitArgs struct {
	sessiontools.WaitArg
	sessiontools.SessionArg
}

// wait waits for the stop of a process that is running, and of one that is
// stopped it returns the state. Unlike continue it never lets the process run.
func (t *Group) wait(ctx context.Context, call *mcp.Call, s *session.Session, args waitArgs) (session.Outcome, error) {
	if op := s.UnreportedOperation(); op != nil {
		return s.Await(ctx, call, op, args.Wait())
	}
	return s.Current(), nil
}
