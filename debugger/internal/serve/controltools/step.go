package controltools

import (
	"context"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/sessiontools"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/stepping"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/plain"
)

// stepArgs holds the arguments of step_forward.
type stepArgs struct {
	Count int `json:"count,omitempty" default:"1" min:"1" max:"1000000" bounds:"enforced"`
	sessiontools.StepWaitArg
	sessiontools.SessionArg
}

// stepped is the answer of step_forward.
type stepped struct {
	State       session.State `json:"state"`
	Instruction string        `json:"instruction,omitempty" doc:"The next instruction"`
	Output      string        `json:"output,omitempty" doc:"What a launched program has written since the last answer"`
	Logged      []string      `json:"logged,omitempty" doc:"What logpoints have logged since the last answer"`
}

// Text returns the documented text form.
func (s stepped) Text() string {
	text := session.Outcome{State: s.State, Output: s.Output, Logged: s.Logged}.StateText()
	if s.Instruction != "" {
		text += "\nInstruction: " + plain.Line(s.Instruction)
	}
	return text + s.State.When()
}

// stepForward executes instructions of the current thread while the others are
// stopped.
func (t *Group) stepForward(ctx context.Context, call *mcp.Call, s *session.Session, args stepArgs) (stepped, error) {
	m, err := move(ctx, call, s, args.Wait(), func(ctx context.Context) (proc.Stop, error) { return s.Stepper.Forward(ctx, uint64(args.Count)) })
	return stepped{State: m.State, Instruction: sessiontools.NextInstruction(s, m.State), Output: m.Output, Logged: m.Logged}, err
}

// lineArgs holds the arguments of the steps by source line.
type lineArgs struct {
	sessiontools.StepWaitArg
	sessiontools.SessionArg
}

// lined is the answer of the steps by source line.
type lined struct {
	State  session.State `json:"state"`
	Output string        `json:"output,omitempty" doc:"What a launched program has written since the last answer"`
	Logged []string      `json:"logged,omitempty" doc:"What logpoints have logged since the last answer"`
}

// Text appends the text of the source line.
func (l lined) Text() string {
	text := session.Outcome(l).Text()
	if l.State.Status != session.Stopped {
		return text
	}
	return text + l.State.Where()
}

// lineStep returns a handler that makes steps with f.
func lineStep(r *session.Registry, f func(ctx context.Context, s *stepping.Stepper) (proc.Stop, error)) sessiontools.Handler[lineArgs, lined] {
	return sessiontools.WithExecution(r, func(ctx context.Context, call *mcp.Call, s *session.Session, args lineArgs) (lined, error) {
		m, err := move(ctx, call, s, args.Wait(), func(ctx context.Context) (proc.Stop, error) { return f(ctx, s.Stepper) })
		return lined(m), err
	})
}

func stepInto(ctx context.Context, s *stepping.Stepper) (proc.Stop, error) {
	return s.StepLine(ctx, true)
}

func stepOver(ctx context.Context, s *stepping.Stepper) (proc.Stop, error) {
	return s.StepLine(ctx, false)
}

func stepOut(ctx context.Context, s *stepping.Stepper) (proc.Stop, error) { return s.StepOut(ctx) }

// move begins a step and waits for its end.
func move(ctx context.Context, call *mcp.Call, s *session.Session, wait time.Duration, f func(context.Context) (proc.Stop, error)) (session.Outcome, error) {
	if s.Travels() {
		return s.Travel(ctx, call, wait, f)
	}
	return s.Move(ctx, call, wait, f)
}
