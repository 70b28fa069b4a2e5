package traveltools

import (
	"context"

	"github.com/triptych-mcp/triptych/debugger/internal/serve/sessiontools"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/race"
	"github.com/triptych-mcp/triptych/mcp"
)

// mostRaces is the number of races that one answer describes.
const mostRaces = 10

// raced is the answer of race.
type raced struct {
	State *session.State `json:"state,omitempty" doc:"Where the process is, if an answer has not told so already"`
	race.Answer
}

// race finds accesses of two threads without an order, up to the current position.
func (t *Group) race(ctx context.Context, _ *mcp.Call, s *session.Session, _ sessiontools.SessionArg) (raced, error) {
	answer, err := race.Find(ctx, s.Stepper, race.Query{Limit: mostRaces, Enough: patience()})
	return raced{s.ChangedState(), answer}, err
}
