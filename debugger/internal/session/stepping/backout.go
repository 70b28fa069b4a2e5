package stepping

import (
	"context"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
	"github.com/triptych-mcp/triptych/debugger/internal/session/failure"
	"github.com/triptych-mcp/triptych/debugger/internal/session/inspect"
)

// out goes back to the call instruction of the function. An inlined function
// begins where the code before it belongs to another function.
func (b *backStepper) out(ctx context.Context) (stop proc.Stop, over bool, err error) {
	s := b.s
	frames, err := s.Inspector.Frames(0, inspect.MaxInlined)
	if err != nil {
		return proc.Stop{}, true, err
	}
	inner, isGo := frames[0], s.Inspector.IsGo()
	if inner.CFA == 0 {
		return proc.Stop{}, true, failure.Errorf("No caller", "where this function was called from cannot be found")
	}
	outer, err := s.Inspector.DepthOf(s.Target.CurrentStop().Thread, inner.CFA, isGo)
	if err != nil {
		return proc.Stop{}, true, err
	}
	inside, _ := s.Inspector.Program.Function(inner.PC) // nothing is known to be inlined in an unknown function
	conditions := s.newStopConditions(true)
	found, err := s.Timeline.Backward(ctx, func(v *history.View) bool {
		at, err := s.Inspector.DepthOf(v.Thread(), 0, isGo)
		return conditions.stopsBackward(v) || err == nil && at.Owner == outer.Owner &&
			(at.Outside(outer) || inner.Inlined && s.Inspector.SameFunction(v.PC(), inside))
	})
	switch {
	case conditions.found != nil:
		return conditions.stop(s.Target.CurrentStop()), true, nil
	case !found && err == nil:
		stop, err = s.Timeline.StopAt(AtBeginning, nil)
		return stop, true, err
	}
	stop, err = s.Timeline.StopAt(AtMoment, err)
	return stop, stop.Why != AtMoment, err
}
