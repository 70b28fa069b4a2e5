package sessiontools

import (
	"fmt"

	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/inspect"
	"github.com/triptych-mcp/triptych/mcp/plain"
)

// A Place is an address of the program with its function and line.
type Place struct {
	Address  string `json:"address"`
	Function string `json:"function,omitempty"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
}

func NewPlace(l symbols.Location) Place {
	return Place{plain.Hex(l.Addr), l.Function, l.File, l.Line}
}

// String returns the place in one line.
func (p Place) String() string {
	text := p.Address
	if p.Function != "" {
		text += " " + p.Function
	}
	if p.File != "" {
		text += fmt.Sprintf(" %s:%d", p.File, p.Line)
	}
	return plain.Line(text)
}

// NextInstruction returns the text of the instruction where a session is
// stopped.
func NextInstruction(s *session.Session, now session.State) string {
	at, err := inspect.ParseAddress(now.Address)
	if err != nil || now.Status != session.Stopped {
		return ""
	}
	in := s.Inspector.Instruction(at)
	return in.Text(s.Inspector.Symbolize)
}
