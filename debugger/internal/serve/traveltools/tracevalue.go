package traveltools

import (
	"context"

	"github.com/triptych-mcp/triptych/debugger/internal/serve/sessiontools"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/valuetrace"
	"github.com/triptych-mcp/triptych/mcp"
)

type traceValueArgs struct {
	Expression string `json:"expression" doc:"A variable or memory, such as p->count"`
	Hops       int    `json:"hops,omitempty" default:"8" min:"1" max:"100" doc:"Writes to follow" bounds:"enforced"`
	sessiontools.SessionArg
}

// valueTrace is the answer of trace_value.
type valueTrace struct {
	State *session.State `json:"state,omitempty" doc:"Where the process is, if an answer has not told so already"`
	*valuetrace.Result
}

// Text shows the writes that a value comes from.
func (v valueTrace) Text() string { return v.Result.Text() }

// traceValue follows a value back to inputs and constants.
func (t *Group) traceValue(ctx context.Context, _ *mcp.Call, s *session.Session, args traceValueArgs) (valueTrace, error) {
	if _, err := s.Timeline.Require(); err != nil {
		return valueTrace{}, err
	}
	result, err := valuetrace.Trace(ctx, s.Stepper, args.Expression, args.Hops)
	return valueTrace{s.ChangedState(), result}, err
}
