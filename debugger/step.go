package debugger

import (
	"context"
	"fmt"

	"github.com/triptych-mcp/triptych/debugger/internal/proc"
	"github.com/triptych-mcp/triptych/mcp"
)

type stepArgs struct {
	Count int `json:"count,omitempty" default:"1" min:"1" max:"1000000" doc:"How many instructions"`
	waitArg
	sessionArg
}

// stepped is the answer of step_forward.
type stepped struct {
	State       state  `json:"state"`
	Instruction string `json:"instruction,omitempty" doc:"The next instruction"`
	Output      string `json:"output,omitempty" doc:"What a launched program has written since the last answer"`
}

// Text is the documented form.
func (s stepped) Text() string {
	text := moved{State: s.State, Output: s.Output}.text()
	if s.Instruction != "" {
		text += "\nInstruction: " + plain(s.Instruction)
	}
	return text + s.State.when()
}

// stepForward does instructions of the current thread while the others stand
// still.
func (t *controlGroup) stepForward(ctx context.Context, call *mcp.Call, s *session, args stepArgs) (stepped, error) {
	m, err := s.move(ctx, call, args.wait(), func(ctx context.Context) (proc.Stop, error) { return s.forward(ctx, uint64(args.Count)) })
	return stepped{State: m.State, Instruction: nextInstruction(s, m.State), Output: m.Output}, err
}

// nextInstruction is the instruction where a session stands.
func nextInstruction(s *session, now state) string {
	at, err := parseAddress(now.Address)
	if err != nil || now.Status != stopped {
		return ""
	}
	in := s.instruction(at)
	return in.Text(s.symbolize)
}

type lineArgs struct {
	waitArg
	sessionArg
}

// lined is the answer of the steps by source.
type lined struct {
	State  state  `json:"state"`
	Output string `json:"output,omitempty" doc:"What a launched program has written since the last answer"`
}

// Text shows the line.
func (l lined) Text() string {
	text := moved(l).Text()
	if l.State.Status != stopped {
		return text
	}
	return text + l.State.where()
}

// where shows the function and the line.
func (s *state) where() string {
	text := "\n" + plain(s.Function)
	if s.File != "" {
		text += fmt.Sprintf(" at %s:%d", plain(s.File), s.Line)
	}
	if s.Source != "" {
		text += fmt.Sprintf("\n%d\t%s", s.Line, s.Source)
	}
	return text
}

// lineStep makes a tool of a way to step.
func lineStep(r *registry, f func(s *stepper, ctx context.Context) (proc.Stop, error)) handler[lineArgs, lined] {
	return moves(r, func(ctx context.Context, call *mcp.Call, s *session, args lineArgs) (lined, error) {
		m, err := s.move(ctx, call, args.wait(), func(ctx context.Context) (proc.Stop, error) { return f(s.stepper, ctx) })
		return lined(m), err
	})
}

func stepInto(s *stepper, ctx context.Context) (proc.Stop, error) { return s.stepLine(ctx, true) } //nolint:revive // a method's shape

func stepOver(s *stepper, ctx context.Context) (proc.Stop, error) { return s.stepLine(ctx, false) } //nolint:revive // likewise

func stepOut(s *stepper, ctx context.Context) (proc.Stop, error) { return s.stepOut(ctx) } //nolint:revive // likewise
