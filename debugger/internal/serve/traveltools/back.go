package traveltools

import (
	"context"
	"fmt"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/sessiontools"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/stepping"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/plain"
)

// backArgs holds the arguments of step_backward.
type backArgs struct {
	Count int    `json:"count,omitempty" default:"1" min:"1" max:"1000000000" bounds:"enforced"`
	By    string `json:"by,omitempty" enum:"instruction|line|over|out" default:"instruction" doc:"line enters calls, over passes them, out goes to this one's call"`
	sessiontools.StepWaitArg
	sessiontools.SessionArg
}

// back is the answer of step_backward.
type back struct {
	State       session.State `json:"state"`
	Snapshot    uint64        `json:"snapshot" doc:"The position that is looked at now"`
	Instruction string        `json:"instruction,omitempty" doc:"The next instruction"`
	Logged      []string      `json:"logged,omitempty" doc:"What logpoints have logged on the way"`
	bySource    bool
}

// Text returns the documented text form, with the source line after steps by
// line.
func (b back) Text() string {
	text := b.text()
	if b.bySource {
		text += b.State.Where()
	}
	return text
}

func (b back) text() string {
	if b.State.Reason != "moment" {
		return session.Outcome{State: b.State, Logged: b.Logged}.Text()
	}
	text := fmt.Sprintf("Stepped back to %s\nRestored from snapshot %d", b.State.Address, b.Snapshot)
	if b.State.Note != "" {
		text += "\nNote: " + plain.Line(b.State.Note)
	}
	if len(b.Logged) > 0 {
		text += "\nLogged:\n" + plain.Lines(strings.Join(b.Logged, "\n"))
	}
	return text
}

// stepBackward moves the position that the session shows. The process itself does
// not change.
func (t *Group) stepBackward(ctx context.Context, call *mcp.Call, s *session.Session, args backArgs) (back, error) {
	_, bySource := stepping.BackUnits[args.By]
	n := uint64(args.Count)
	if bySource {
		n = 1 // the default
	}
	if err := s.Timeline.RequireSteps(n); err != nil {
		return back{}, err
	}
	m, err := s.Travel(ctx, call, args.Wait(), func(ctx context.Context) (proc.Stop, error) {
		if bySource {
			return s.Stepper.StepBack(ctx, args.By, args.Count)
		}
		return s.Timeline.GoTo(ctx, s.Target.History.View().Position()-n)
	})
	return back{State: m.State, Snapshot: m.State.Position(), Instruction: sessiontools.NextInstruction(s, m.State), Logged: m.Logged, bySource: bySource}, err
}
