package inspect

import (
	"fmt"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/program/callstack"
	"github.com/triptych-mcp/triptych/mcp/plain"
)

// A StackFrame is a frame in an answer.
type StackFrame struct {
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

// StackFrames returns the descriptions of a stack's frames, innermost first. The
// path of a module is given only where it differs from that of the frame before.
func StackFrames(stack []callstack.Frame) []StackFrame {
	frames := make([]StackFrame, len(stack))
	for i := range stack {
		frames[i] = newStackFrame(i, &stack[i])
		if i > 0 && stack[i].Image == stack[i-1].Image {
			frames[i].Module = ""
		}
	}
	return frames
}

func newStackFrame(n int, f *callstack.Frame) StackFrame {
	return StackFrame{
		Number: n, Address: plain.Hex(f.PC), Function: f.Function, Offset: f.Offset, File: f.File, Line: f.Line,
		Module: f.Image, Inlined: f.Inlined, Guessed: f.Guessed,
		TailCall: f.TailCall, Gap: f.Gap, text: plain.Line(f.String()),
	}
}

// StackText returns the documented text form of a stack.
func StackText(frames []StackFrame) string {
	var b strings.Builder
	b.WriteString("Stack trace:")
	for _, f := range frames {
		fmt.Fprintf(&b, "\n#%-2d %s", f.Number, f.text)
	}
	return b.String()
}
