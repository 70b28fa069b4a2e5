package looktools

import (
	"context"

	"github.com/triptych-mcp/triptych/debugger/internal/serve/sessiontools"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/inspect"
	"github.com/triptych-mcp/triptych/mcp"
)

// stackArgs holds the arguments of get_stack_trace.
type stackArgs struct {
	MaxFrames int `json:"max_frames,omitempty" default:"20" min:"1" max:"1000" bounds:"enforced"`
	Thread    int `json:"thread,omitempty" min:"1" bounds:"enforced"`
	goroutineArg
	sessiontools.SessionArg
}

// A goroutineArg is the argument of tools that look at a stack.
type goroutineArg struct {
	Goroutine int `json:"goroutine,omitempty" min:"1" bounds:"enforced"`
}

// threadOr returns what stands for the goroutine, or the thread if none was given.
func (a goroutineArg) threadOr(thread int) int {
	if a.Goroutine != 0 {
		return inspect.OfGoroutine(a.Goroutine)
	}
	return thread
}

// Stack is the answer of get_stack_trace.
type Stack struct {
	State  *session.State       `json:"state,omitempty" doc:"Where the process is, if an answer has not told so already"`
	Thread int                  `json:"thread" doc:"0 of a goroutine"`
	Frames []inspect.StackFrame `json:"frames" doc:"Innermost first; the first is number 0"`
	More   bool                 `json:"more,omitempty" doc:"Whether the stack goes on"`
}

// Text returns the documented text form.
func (s Stack) Text() string {
	text := inspect.StackText(s.Frames)
	if s.More {
		text += "\n(more frames follow)"
	}
	return text
}

// stackTrace returns the call stack of a thread.
func (t *Group) stackTrace(_ context.Context, _ *mcp.Call, s *session.Session, args stackArgs) (Stack, error) {
	frames, err := s.Inspector.Frames(args.threadOr(args.Thread), args.MaxFrames+1)
	if err != nil {
		return Stack{}, err
	}
	answer := Stack{State: s.ChangedState(), Thread: args.Thread}
	if args.Thread == 0 && args.Goroutine == 0 {
		answer.Thread = s.State().Thread
	}
	if len(frames) > args.MaxFrames {
		frames, answer.More = frames[:args.MaxFrames], true
	}
	answer.Frames = inspect.StackFrames(frames)
	return answer, nil
}
