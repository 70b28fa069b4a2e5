package traveltools

import (
	"fmt"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/serve/looktools"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/sessiontools"
	"github.com/triptych-mcp/triptych/debugger/internal/session/inspect"
	"github.com/triptych-mcp/triptych/mcp/plain"
)

// A TraceSummary describes a trace.
type TraceSummary struct {
	File    string   `json:"file"`
	Program string   `json:"program,omitempty"`
	Process int      `json:"process"`
	Threads []int    `json:"threads"` // at the end of the trace
	First   uint64   `json:"first"`   // position
	Last    uint64   `json:"last"`
	Begins  string   `json:"begins"` // reason why there are no earlier positions
	Missing []string `json:"missing,omitempty"`
}

// Text returns a line for each member.
func (s TraceSummary) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Trace: %s\n  Program: %s\n  Process: %d with %s\n", plain.Line(s.File), plain.Line(s.Program), s.Process, plain.Count(len(s.Threads), "thread"))
	fmt.Fprintf(&b, "  Positions: %d to %d, %s steps\n  Begins: %s", s.First, s.Last, plain.Thousands(int64(s.Last-s.First)), plain.Line(s.Begins))
	for _, each := range s.Missing {
		b.WriteString("\n  Missing: " + plain.Line(each))
	}
	return b.String()
}

// A TraceMoment is the state of the current thread at a position.
type TraceMoment struct {
	Position    uint64               `json:"position"`
	Thread      int                  `json:"thread"`
	Address     string               `json:"address"`
	Function    string               `json:"function,omitempty"`
	File        string               `json:"file,omitempty"`
	Line        int                  `json:"line,omitempty"`
	Instruction string               `json:"instruction,omitempty"` // the next instruction
	Registers   []looktools.Register `json:"registers"`
	Frames      []inspect.StackFrame `json:"frames,omitempty"`

	source string // text of the source line
}

// Text returns the thread's location, registers and stack.
func (m TraceMoment) Text() string {
	text := fmt.Sprintf("Position %d, thread %d\n%s", m.Position, m.Thread, sessiontools.Place{Address: m.Address, Function: m.Function, File: m.File, Line: m.Line}.String())
	if m.source != "" {
		text += fmt.Sprintf("\n%d\t%s", m.Line, m.source)
	}
	text += "\nInstruction: " + plain.Line(m.Instruction) + "\n" + looktools.Registers{Registers: m.Registers}.Text()
	if m.Frames != nil {
		text += "\n" + inspect.StackText(m.Frames)
	}
	return text
}

// A TraceWrite is a step that has written memory.
type TraceWrite struct {
	Position    uint64 `json:"position"` // before it
	Thread      int    `json:"thread"`
	Kind        string `json:"kind"`
	Written     string `json:"written"` // address
	Size        int    `json:"size"`
	Before      string `json:"before"` // the bytes, in hexadecimal
	After       string `json:"after"`
	Address     string `json:"address"` // of the instruction
	Function    string `json:"function,omitempty"`
	File        string `json:"file,omitempty"`
	Line        int    `json:"line,omitempty"`
	Instruction string `json:"instruction,omitempty"`
}

// Text tells which thread has written what.
func (w TraceWrite) Text() string {
	where := sessiontools.Place{Address: w.Address, Function: w.Function, File: w.File, Line: w.Line}
	return fmt.Sprintf("Position %d: thread %d has written at %s (%s)\n  before: %s\n  after:  %s\n%s\nInstruction: %s",
		w.Position, w.Thread, w.Written, plain.Line(w.Kind), w.Before, w.After, where.String(), plain.Line(w.Instruction))
}
