package traveltools

import (
	"context"
	"errors"

	"github.com/triptych-mcp/triptych/debugger/internal/serve/sessiontools"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/calltrace"
	"github.com/triptych-mcp/triptych/mcp"
)

// callTraceArgs holds the arguments of call_trace.
type callTraceArgs struct {
	Function string  `json:"function,omitempty"`
	Nth      int     `json:"nth,omitempty" min:"1" doc:"Default: the last" bounds:"enforced"`
	At       *uint64 `json:"at,omitempty" doc:"Or a position in the call"`
	From     uint64  `json:"from,omitempty" doc:"Position to continue from"`
	MaxBytes int     `json:"max_bytes,omitempty" default:"5000" min:"500" max:"60000" bounds:"enforced"`
	sessiontools.SessionArg
}

// Validate checks rules that the schema cannot express.
func (a callTraceArgs) Validate() error {
	switch {
	case (a.Function == "") == (a.At == nil):
		return errors.New("give either function or at")
	case a.At != nil && a.Nth != 0:
		return errors.New("nth is for function")
	}
	return nil
}

// callTrace is the answer of call_trace.
type callTrace struct {
	State *session.State `json:"state,omitempty" doc:"Where the process is, if an answer has not told so already"`
	*calltrace.CallTrace
}

// Text returns the call with a line for each row.
func (c callTrace) Text() string { return c.CallTrace.Text() }

// callTrace describes what one recorded call did.
func (t *Group) callTrace(ctx context.Context, _ *mcp.Call, s *session.Session, args callTraceArgs) (callTrace, error) {
	if _, err := s.Timeline.Require(); err != nil {
		return callTrace{}, err
	}
	q := calltrace.Query{Function: args.Function, Nth: args.Nth, At: args.At}
	trace, err := calltrace.Trace(ctx, s.Stepper, q, calltrace.Options{From: args.From, MaxBytes: args.MaxBytes, Enough: patience()})
	return callTrace{s.ChangedState(), trace}, err
}
