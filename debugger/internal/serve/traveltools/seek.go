package traveltools

import (
	"context"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/sessiontools"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/mcp"
)

// reverseArgs holds the arguments of reverse_continue.
type reverseArgs struct {
	sessiontools.StepWaitArg
	sessiontools.SessionArg
}

// reverseContinue goes back to the previous breakpoint or watchpoint.
func (t *Group) reverseContinue(ctx context.Context, call *mcp.Call, s *session.Session, args reverseArgs) (session.Outcome, error) {
	if err := s.Timeline.RequireSteps(1); err != nil {
		return session.Outcome{}, err
	}
	return s.Travel(ctx, call, args.Wait(), s.Stepper.ReverseContinue)
}

// seekArgs holds the arguments of seek.
type seekArgs struct {
	Position *uint64 `json:"position,omitempty" doc:"As in history.position; default: the present"`
	sessiontools.StepWaitArg
	sessiontools.SessionArg
}

// seekTo goes to a position, by default the present.
func (t *Group) seekTo(ctx context.Context, call *mcp.Call, s *session.Session, args seekArgs) (session.Outcome, error) {
	h, err := s.Timeline.Require()
	if err != nil {
		return session.Outcome{}, err
	}
	to := h.End()
	if args.Position != nil {
		to = *args.Position
	}
	here := h.View().Position()
	switch {
	case to > h.End():
		return session.Outcome{}, mcp.InvalidParams("position %d is beyond the present, %d", to, h.End())
	case to < h.Oldest():
		return session.Outcome{}, &history.BeginningError{Oldest: h.Oldest(), Wanted: here - to, There: here - h.Oldest(), Reason: h.StartReason()}
	}
	return s.Travel(ctx, call, args.Wait(), func(ctx context.Context) (proc.Stop, error) { return s.Timeline.GoTo(ctx, to) })
}
