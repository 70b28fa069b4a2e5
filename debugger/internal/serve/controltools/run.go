package controltools

import (
	"context"

	"github.com/triptych-mcp/triptych/debugger/internal/serve/sessiontools"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/mcp"
)

// pauseArgs holds the arguments of pause.
type pauseArgs struct{ sessiontools.SessionArg }

// pause stops the process, even while another call waits for it.
func (t *Group) pause(ctx context.Context, call *mcp.Call, args pauseArgs) (session.Outcome, error) {
	s, err := t.Sessions.Find(call.StateKey(), args.Session)
	if err != nil {
		return session.Outcome{}, err
	}
	t.Sessions.Touch(s)
	answer, err := s.Pause(ctx)
	return answer, t.Sessions.EndIfExited(s, err)
}
