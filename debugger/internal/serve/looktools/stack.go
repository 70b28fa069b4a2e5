package looktools

import (
	"context"
	"fmt"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/plain"
	"github.com/triptych-mcp/triptych/debugger/internal/program/callstack"
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
	State  *session.State `json:"state,omitempty" doc:"Where the process is, if an answer has not told so already"`
	Thread int            `json:"thread" doc:"0 of a goroutine"`
	Frames []Frame        `json:"frames" doc:"Innermost first; the first is number 0"`
	More   bool           `json:"more,omitempty" doc:"Whether the stack goes on"`
}

// A Frame is a frame in an answer.
type Frame struct {
	Number   int    `json:"-"` // index in the list
	Address  string `json:"address"`
	Function string `json:"function,omitempty"`
	Offset   int64  `json:"offset,omitempty" doc:"Of the address from the function's beginning"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Module   string `json:"module,omitempty" doc:"The file that the code is in; absent: that of the frame before"`
	Inlined  bool   `json:"inlined,omitempty"`
	Guessed  bool   `json:"guessed,omitempty" doc:"Whether it was found without frame information"`
	TailCall bool   `json:"tail_call,omitempty" doc:"Whether it ended by jumping to the function of the frame before"`
	Gap      bool   `json:"gap,omitempty" doc:"Whether callers that ended by jumps are missing behind it"`

	text string
}

// NewFrames returns the descriptions of a stack's frames, innermost first. The
// path of a module is given only where it differs from that of the frame before.
func NewFrames(stack []callstack.Frame) []Frame {
	frames := make([]Frame, len(stack))
	for i := range stack {
		frames[i] = newFrame(i, &stack[i])
		if i > 0 && stack[i].Image == stack[i-1].Image {
			frames[i].Module = ""
		}
	}
	return frames
}

func newFrame(n int, f *callstack.Frame) Frame {
	return Frame{
		Number: n, Address: plain.Hex(f.PC), Function: f.Function, Offset: f.Offset, File: f.File, Line: f.Line,
		Module: f.Image, Inlined: f.Inlined, Guessed: f.Guessed,
		TailCall: f.TailCall, Gap: f.Gap, text: plain.Line(f.String()),
	}
}

// Text returns the documented text form.
func (s Stack) Text() string {
	var b strings.Builder
	b.WriteString("Stack trace:")
	for _, f := range s.Frames {
		fmt.Fprintf(&b, "\n#%-2d %s", f.Number, f.text)
	}
	if s.More {
		b.WriteString("\n(more frames follow)")
	}
	return b.String()
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
	answer.Frames = NewFrames(frames)
	return answer, nil
}
