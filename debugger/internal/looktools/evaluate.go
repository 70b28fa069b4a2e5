package looktools

import (
	"context"
	"fmt"

	"github.com/triptych-mcp/triptych/debugger/internal/inspect"
	"github.com/triptych-mcp/triptych/debugger/internal/plain"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/sessiontools"
	"github.com/triptych-mcp/triptych/debugger/internal/symbols/values"
	"github.com/triptych-mcp/triptych/mcp"
)

// evaluateArgs holds the arguments of evaluate.
type evaluateArgs struct {
	Expression string `json:"expression" min:"1" max:"4096" doc:"Such as count, p->next->value, numbers[2] + 1, *(long *)$rsp, name == \"bob\" && len(items) > 3, m[\"key\"], sizeof(x)" bounds:"enforced"`
	Frame      int    `json:"frame,omitempty" min:"0" max:"10000" doc:"Number in the stack trace" bounds:"enforced"`
	Thread     int    `json:"thread,omitempty" min:"1" doc:"Default: the current one" bounds:"enforced"`
	goroutineArg
	sessiontools.SessionArg
}

// evaluated is the answer of evaluate.
type evaluated struct {
	State      *session.State `json:"state,omitempty" doc:"Where the process is, if an answer has not told so already"`
	Expression string         `json:"expression"`
	Type       string         `json:"type"`
	Value      string         `json:"value"`
	Address    string         `json:"address,omitempty" doc:"Where it is in memory"`
}

// Text returns the value in the form of a variable.
func (e evaluated) Text() string {
	return fmt.Sprintf("%s: %s = %s", plain.Line(e.Expression), plain.Line(e.Type), plain.Line(e.Value))
}

// evaluate returns the value of an expression in a frame.
func (t *Group) evaluate(ctx context.Context, _ *mcp.Call, s *session.Session, args evaluateArgs) (evaluated, error) {
	value, err := s.Evaluate(ctx, args.Expression, args.threadOr(args.Thread), args.Frame)
	if err != nil {
		return evaluated{}, inspect.WrapError(err)
	}
	answer := evaluated{
		State: s.ChangedState(), Expression: args.Expression, Type: value.Type(), Value: value.Text(values.DefaultLimits),
	}
	if o, ok := value.Object(); ok {
		if addr, ok := o.Address(); ok {
			answer.Address = plain.Hex(addr)
		}
	}
	return answer, nil
}
