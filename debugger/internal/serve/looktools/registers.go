package looktools

import (
	"context"
	"fmt"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/serve/sessiontools"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/inspect"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/plain"
)

// registersArgs holds the arguments of registers.
type registersArgs struct {
	Thread int    `json:"thread,omitempty" min:"1" bounds:"enforced"`
	Frame  int    `json:"frame,omitempty" min:"0" max:"10000" bounds:"enforced"`
	Set    string `json:"set,omitempty" enum:"general|vector|x87|all" default:"general"`
	sessiontools.SessionArg
}

// Registers is the answer of registers.
type Registers struct {
	State     *session.State `json:"state,omitempty" doc:"Where the process is, if an answer has not told so already"`
	Registers []Register     `json:"registers"`
}

// A Register is a register in an answer.
type Register struct {
	Name   string `json:"name"`
	Value  string `json:"value" doc:"In hexadecimal"`
	Number string `json:"number,omitempty" doc:"The floating-point number in it, or empty"`
	Place  string `json:"place,omitempty" doc:"What the value is the address of"`
}

// Text returns a line for each register.
func (r Registers) Text() string {
	var b strings.Builder
	b.WriteString("Registers:")
	for _, each := range r.Registers {
		fmt.Fprintf(&b, "\n  %-7s = %s", each.Name, each.Value)
		if each.Number != "" {
			fmt.Fprintf(&b, " (%s)", each.Number)
		}
		if each.Place != "" {
			fmt.Fprintf(&b, " <%s>", plain.Line(each.Place))
		}
	}
	return b.String()
}

// Values of the argument set, besides the default general.
const (
	setVector = "vector"
	setX87    = "x87"
	setAll    = "all"
)

// registers returns the registers of a frame.
func (t *Group) registers(_ context.Context, _ *mcp.Call, s *session.Session, args registersArgs) (Registers, error) {
	scope, err := s.Inspector.Scope(args.Thread, args.Frame)
	if err != nil {
		return Registers{}, err
	}
	answer := Registers{State: s.ChangedState()}
	s.Target.LearnSecrets(args.Thread)
	if args.Set != setVector && args.Set != setX87 {
		answer.Registers = generalRegisters(s, scope)
	}
	if args.Set == "" || args.Set == "general" {
		return answer, nil
	}
	extended, err := extendedRegisters(s, scope, args)
	if err != nil && args.Set != setAll {
		return Registers{}, err
	}
	answer.Registers = append(answer.Registers, extended...)
	return answer, nil
}

// generalRegisters returns the general and segment registers whose values in a
// frame are known.
func generalRegisters(s *session.Session, scope *inspect.FrameScope) []Register {
	var all []Register
	for _, row := range inspect.Registers {
		value, _, err := scope.Register(row.Name)
		if row.Kind == inspect.Part || err != nil {
			continue
		}
		item := Register{Name: row.Name, Value: s.Target.ShownWord(value)}
		if row.Kind == inspect.General {
			item.Place = s.Inspector.Symbol(value)
		}
		all = append(all, item)
	}
	return all
}
