package session

import (
	"strings"

	"github.com/triptych-mcp/triptych/mcp/plain"
)

// Outcome is the answer of the tools that let the process run.
type Outcome struct {
	State  State    `json:"state"`
	Output string   `json:"output,omitempty" doc:"What a launched program has written since the last answer"`
	Logged []string `json:"logged,omitempty" doc:"What logpoints have logged since the last answer"`
}

// Text is the documented form. Stops without a documented form have one in the
// same style.
func (m Outcome) Text() string { return m.StateText() + m.State.When() }

// StateText is Text without the position in the history.
func (m Outcome) StateText() string {
	var b strings.Builder
	b.WriteString(m.State.Text())
	if m.State.Note != "" {
		b.WriteString("\nNote: " + plain.Line(m.State.Note))
	}
	if len(m.Logged) > 0 {
		b.WriteString("\nLogged:\n" + plain.Lines(strings.Join(m.Logged, "\n")))
	}
	if m.Output != "" {
		b.WriteString("\nOutput:\n" + plain.Lines(m.Output))
	}
	return b.String()
}
