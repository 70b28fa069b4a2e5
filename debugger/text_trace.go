package debugger

import (
	"fmt"
	"strings"
)

// A TraceSummary says what a trace is about.
type TraceSummary struct {
	File    string   `json:"file"`
	Program string   `json:"program,omitempty"`
	Process int      `json:"process"`
	Threads []int    `json:"threads"` // at the end
	First   uint64   `json:"first"`   // position
	Last    uint64   `json:"last"`
	Begins  string   `json:"begins"` // why there is nothing before
	Missing []string `json:"missing,omitempty"`
}

// Text is a line for each of these.
func (s TraceSummary) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Trace: %s\n  Program: %s\n  Process: %d with %s\n", plain(s.File), plain(s.Program), s.Process, count(len(s.Threads), "thread"))
	fmt.Fprintf(&b, "  Positions: %d to %d, %s steps\n  Begins: %s", s.First, s.Last, thousands(int64(s.Last-s.First)), plain(s.Begins))
	for _, each := range s.Missing {
		b.WriteString("\n  Missing: " + plain(each))
	}
	return b.String()
}

// A TraceMoment is the current thread at a position.
type TraceMoment struct {
	Position    uint64         `json:"position"`
	Thread      int            `json:"thread"`
	Address     string         `json:"address"`
	Function    string         `json:"function,omitempty"`
	File        string         `json:"file,omitempty"`
	Line        int            `json:"line,omitempty"`
	Instruction string         `json:"instruction,omitempty"` // the next one
	Registers   []registerItem `json:"registers"`
	Frames      []frameItem    `json:"frames,omitempty"`

	source string // the text of the line
}

// Text shows where the thread stands, its registers and its stack.
func (m TraceMoment) Text() string {
	text := fmt.Sprintf("Position %d, thread %d\n%s", m.Position, m.Thread, placeItem{m.Address, m.Function, m.File, m.Line}.where())
	if m.source != "" {
		text += fmt.Sprintf("\n%d\t%s", m.Line, m.source)
	}
	text += "\nInstruction: " + plain(m.Instruction) + "\n" + registers{Registers: m.Registers}.Text()
	if m.Frames != nil {
		text += "\n" + stack{Frames: m.Frames}.Text()
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

// Text says who has written what.
func (w TraceWrite) Text() string {
	where := placeItem{w.Address, w.Function, w.File, w.Line}
	return fmt.Sprintf("Position %d: thread %d has written at %s (%s)\n  before: %s\n  after:  %s\n%s\nInstruction: %s",
		w.Position, w.Thread, w.Written, plain(w.Kind), w.Before, w.After, where.where(), plain(w.Instruction))
}
