package looktools

import (
	"context"
	"fmt"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/inspect"
	"github.com/triptych-mcp/triptych/debugger/internal/plain"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/sessiontools"
	"github.com/triptych-mcp/triptych/mcp"
)

type registersArgs struct {
	Thread int `json:"thread,omitempty" min:"1" doc:"The thread, by its id; the current one if not given"`
	Frame  int `json:"frame,omitempty" min:"0" max:"10000" doc:"The frame, by its number in the stack trace"`
	sessiontools.SessionArg
}

// Registers is the answer of registers.
type Registers struct {
	State     session.State `json:"state"`
	Registers []Register    `json:"registers"`
}

// A Register is a register as answers have it.
type Register struct {
	Name  string `json:"name"`
	Value string `json:"value" doc:"In hexadecimal"`
	Place string `json:"place,omitempty" doc:"What the value is the address of"`
}

// Text is a line for each register.
func (r Registers) Text() string {
	var b strings.Builder
	b.WriteString("Registers:")
	for _, each := range r.Registers {
		fmt.Fprintf(&b, "\n  %-7s = %s", each.Name, each.Value)
		if each.Place != "" {
			fmt.Fprintf(&b, " <%s>", plain.Line(each.Place))
		}
	}
	return b.String()
}

func (t *Group) registers(_ context.Context, _ *mcp.Call, s *session.Session, args registersArgs) (Registers, error) {
	scope, err := s.Scope(args.Thread, args.Frame)
	if err != nil {
		return Registers{}, err
	}
	answer := Registers{State: s.ReportedState()}
	for _, row := range inspect.Registers {
		if row.Part {
			continue
		}
		value, _, err := scope.Register(row.Name)
		if err != nil {
			continue // it is not known in this frame
		}
		answer.Registers = append(answer.Registers, Register{row.Name, plain.Hex(value), s.Symbol(value)})
	}
	return answer, nil
}
