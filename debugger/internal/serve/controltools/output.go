package controltools

import (
	"context"
	"fmt"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/serve/sessiontools"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/failure"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/plain"
)

// outputArgs holds the arguments of get_output.
type outputArgs struct {
	From   *int64 `json:"from,omitempty" doc:"Byte; default: what is new"`
	WaitMS int    `json:"wait_ms,omitempty" min:"0" max:"60000" doc:"Wait for new output or a stop" bounds:"enforced"`
	sessiontools.SessionArg
}

// programOutput is the answer of get_output.
type programOutput struct {
	Output string `json:"output"`
	From   int64  `json:"from" doc:"The number of its first byte"`
	Next   int64  `json:"next" doc:"The number of the byte after it"`
}

// Text returns the output, and where it is in the whole.
func (o programOutput) Text() string {
	if o.Output == "" {
		return fmt.Sprintf("No output since byte %d", o.From)
	}
	return fmt.Sprintf("Bytes %d to %d:\n%s", o.From, o.Next, plain.Lines(o.Output))
}

// maxOutput is the maximum size of the output in an answer.
const maxOutput = 16 << 10

// getOutput returns a part of what a launched program has written. It does not
// need the process, which may be running.
func (t *Group) getOutput(ctx context.Context, call *mcp.Call, args outputArgs) (programOutput, error) {
	s, err := t.launchedSession(call, args.Session)
	if err != nil {
		return programOutput{}, err
	}
	if args.From != nil {
		text, from, next := s.Target.Output.Since(*args.From, maxOutput)
		return programOutput{text, from, next}, nil
	}
	if wait := time.Duration(args.WaitMS) * time.Millisecond; wait > 0 {
		ctx, cancel := context.WithTimeout(ctx, wait)
		defer cancel()
		s.AwaitOutput(ctx)
	}
	text, from, next := s.Target.Output.Since(s.Target.Output.Taken(), maxOutput)
	s.Target.Output.SetTaken(next)
	return programOutput{text, from, next}, nil
}

// launchedSession returns a session with a program that was launched here.
func (t *Group) launchedSession(call *mcp.Call, id string) (*session.Session, error) {
	s, err := t.Sessions.Find(call.StateKey(), id)
	if err != nil {
		return nil, err
	}
	t.Sessions.Touch(s)
	if s.Target.Output == nil {
		return nil, failure.Errorf("Not launched", "%s was not launched here: its input and output are its own", s.Target.Name())
	}
	return s, nil
}

// inputArgs holds the arguments of send_input.
type inputArgs struct {
	Text string `json:"text" doc:"Such as yes\n"`
	EOF  bool   `json:"eof,omitempty" doc:"Then end the input"`
	sessiontools.SessionArg
}

// sent is the answer of send_input.
type sent struct {
	Bytes int  `json:"bytes"`
	EOF   bool `json:"eof,omitempty"`
}

// Text says what was written.
func (s sent) Text() string {
	text := "Wrote " + plain.Count(s.Bytes, "byte")
	if s.EOF {
		text += " and ended the input"
	}
	return text
}

// sendInput writes to the standard input of a launched program, which may be
// running.
func (t *Group) sendInput(_ context.Context, call *mcp.Call, args inputArgs) (sent, error) {
	s, err := t.launchedSession(call, args.Session)
	if err != nil {
		return sent{}, err
	}
	if s.Target.Input == nil {
		return sent{}, failure.Errorf("No input", "the program was launched without an input; debugger/launch has the argument input")
	}
	if err := s.Target.Input.Send(args.Text, args.EOF); err != nil {
		return sent{}, err
	}
	return sent{len(args.Text), args.EOF}, nil
}
