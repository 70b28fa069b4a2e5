package valuetrace

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/triptych-mcp/triptych/mcp/plain"
)

// A Place is code that a value passed through.
type Place struct {
	Position uint64 `json:"position"`
	Function string `json:"function,omitempty"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Source   string `json:"source,omitempty"`
}

// A Hop is the last write of a value, or its origin.
type Hop struct {
	Place
	Name        string   `json:"name" doc:"What was written"`
	Before      string   `json:"before,omitempty"`
	Value       string   `json:"value,omitempty"`
	Instruction string   `json:"instruction,omitempty"`
	Stack       []string `json:"stack,omitempty" doc:"Callers, innermost first"`
	Repeats     int      `json:"repeats,omitempty" doc:"Earlier writes by the same instruction, which were skipped"`
	Through     []Place  `json:"through,omitempty" doc:"Lines that computed the value in registers, last first"`
	From        []int    `json:"from,omitempty" doc:"Numbers of the hops of its sources, from 1"`
	Pointers    []int    `json:"pointers,omitempty" doc:"Numbers of the hops of pointers and indexes that the sources were read through"`
	Origins     []string `json:"origins,omitempty" doc:"Sources that are followed no further: inputs, constants"`
}

// A Result is the hops of a value, the value's own last write first.
type Result struct {
	Expression string `json:"expression"`
	Hops       []Hop  `json:"hops"`
	More       int    `json:"more,omitempty" doc:"Sources beyond the number of hops"`
}

// Text shows the hops, the value's own last write first.
func (r *Result) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s comes from:", plain.Line(r.Expression))
	for i := range r.Hops {
		b.WriteString(r.Hops[i].text(i + 1))
	}
	if r.More > 0 {
		fmt.Fprintf(&b, "\n(%s not followed; a larger hops follows more)", plain.Count(r.More, "source"))
	}
	return b.String()
}

func (h *Hop) text(n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n#%d %s", n, plain.Line(h.Name))
	if h.Value != "" {
		fmt.Fprintf(&b, ": %s -> %s", plain.Line(h.Before), plain.Line(h.Value))
	}
	if h.Function != "" || h.File != "" {
		b.WriteString("\n   " + h.Place.text())
	}
	if h.Instruction != "" {
		b.WriteString("\n   instruction " + plain.Line(h.Instruction))
	}
	if len(h.Stack) > 0 {
		b.WriteString(", called from " + plain.Line(strings.Join(h.Stack, ", ")))
	}
	if h.Repeats > 0 {
		fmt.Fprintf(&b, "\n   after %s earlier writes by the same instruction", plain.Thousands(int64(h.Repeats)))
	}
	for i := range h.Through {
		b.WriteString("\n   through " + h.Through[i].text())
	}
	for _, origin := range h.Origins {
		b.WriteString("\n   from " + plain.Line(origin))
	}
	for _, from := range h.From {
		fmt.Fprintf(&b, "\n   from #%d", from)
	}
	for _, pointer := range h.Pointers {
		fmt.Fprintf(&b, "\n   read through the address of #%d", pointer)
	}
	return b.String()
}

func (p *Place) text() string {
	text := fmt.Sprintf("@%d %s", p.Position, plain.Line(p.Function))
	if p.File != "" {
		text += fmt.Sprintf(" %s:%d  %s", plain.Line(filepath.Base(p.File)), p.Line, plain.Line(p.Source))
	}
	return text
}
