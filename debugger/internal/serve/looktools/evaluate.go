package looktools

import (
	"context"
	"fmt"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/program/types"
	"github.com/triptych-mcp/triptych/debugger/internal/program/values"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/sessiontools"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/expr"
	"github.com/triptych-mcp/triptych/debugger/internal/session/failure"
	"github.com/triptych-mcp/triptych/debugger/internal/session/inspect"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/plain"
)

// evaluateArgs holds the arguments of evaluate.
type evaluateArgs struct {
	Expression string `json:"expression" min:"1" max:"4096" doc:"Such as /x flags, p->next->value, numbers[64:128], *p@10, *(long *)$rsp, len(m), m[\"key\"]" bounds:"enforced"`
	Frame      int    `json:"frame,omitempty" min:"0" max:"10000" bounds:"enforced"`
	Thread     int    `json:"thread,omitempty" min:"1" bounds:"enforced"`
	shapeArgs
	Layout bool `json:"layout,omitempty" doc:"Its type instead"`
	goroutineArg
	sessiontools.SessionArg
}

// shapeArgs say how much of a value is shown.
type shapeArgs struct {
	Depth    int   `json:"depth,omitempty"`
	Elements int   `json:"elements,omitempty"`
	From     int64 `json:"from,omitempty"`
}

// limits returns the limits of the values that are shown.
func (a shapeArgs) limits() values.Limits {
	l := values.DefaultLimits
	l.First = a.From
	if a.Depth > 0 {
		l.Depth = min(a.Depth, maxDepth)
		l.Pointers = max(l.Pointers, l.Depth/2)
		l.Nodes = 10 * l.Nodes
	}
	if a.Elements > 0 {
		l.Elements = min(a.Elements, maxElements)
		l.String = l.Elements
		l.Nodes = max(l.Nodes, 20*l.Elements)
		l.Text = maxValueText
	}
	return l
}

// The most that is shown of a value: levels, elements of an array or characters of a
// string, and bytes of its text.
const (
	maxDepth     = 20
	maxElements  = 10_000
	maxValueText = 64 << 10
)

// evaluated is the answer of evaluate.
type evaluated struct {
	State      *session.State `json:"state,omitempty" doc:"Where the process is, if an answer has not told so already"`
	Expression string         `json:"expression"`
	Type       string         `json:"type"`
	Value      string         `json:"value,omitempty"`
	Address    string         `json:"address,omitempty" doc:"Where it is in memory"`
	Layout     *typeLayout    `json:"layout,omitempty"`
}

// Text returns the value in the form of a variable.
func (e evaluated) Text() string {
	if e.Layout != nil {
		return e.Layout.Text()
	}
	return fmt.Sprintf("%s: %s = %s", plain.Line(e.Expression), plain.Line(e.Type), plain.Line(e.Value))
}

// formats maps the letters of formats, as GDB has them.
var formats = map[string]values.Format{
	"x": values.Hex, "d": values.Decimal, "u": values.Unsigned, "o": values.Octal, "t": values.Binary, "c": values.Char, "f": values.Float,
}

// formatOf splits a format such as /x from the expression behind it.
func formatOf(text string) (values.Format, string, error) {
	rest, ok := strings.CutPrefix(text, "/")
	if !ok {
		return "", text, nil
	}
	letter, expression, _ := strings.Cut(rest, " ")
	format, ok := formats[letter]
	if !ok {
		return "", "", failure.Argumentf("there is no format /%s; /x is hexadecimal, /d decimal, /u without a sign, /o octal, /t binary, /c a character, /f a floating-point number", letter)
	}
	return format, expression, nil
}

// evaluate returns the value of an expression in a frame.
func (t *Group) evaluate(ctx context.Context, call *mcp.Call, s *session.Session, args evaluateArgs) (evaluated, error) {
	thread := args.threadOr(args.Thread)
	answer := evaluated{Expression: args.Expression}
	if args.Layout {
		if named, ok, err := typeNamed(ctx, s, args.Expression, thread, args.Frame); ok || err != nil {
			answer.State = s.ChangedState()
			return answer.withLayout(named), err
		}
	}
	format, expression, err := formatOf(args.Expression)
	if err != nil {
		return evaluated{}, err
	}
	value, err := t.valueOf(ctx, call, s, expression, thread, args.Frame)
	if err != nil {
		return evaluated{}, inspect.WrapError(err)
	}
	answer.State = s.ChangedState()
	if args.Layout {
		t, ok := value.ProgramType()
		if !ok {
			return evaluated{}, failure.Argumentf("a %s is computed; only types of the program have a layout", value.Type())
		}
		return answer.withLayout(t), nil
	}
	limits := args.limits()
	limits.Format = format
	if run, isRun := value.Run(); isRun && args.Elements == 0 { // all that was asked for
		limits.Elements, limits.String = max(limits.Elements, run), max(limits.String, run)
		limits.Nodes, limits.Text = limits.Nodes+20*run, maxValueText
	}
	answer.Type, answer.Value = value.Type(), value.Text(limits)
	if o, ok := value.Object(); ok && !value.Returned() {
		if addr, ok := o.Address(); ok {
			answer.Address = plain.Hex(addr)
		}
	}
	return answer, nil
}

// valueOf evaluates an expression. Only with --allow-calls, and for callers that may
// change the process, may it call functions.
func (t *Group) valueOf(ctx context.Context, call *mcp.Call, s *session.Session, text string, thread, frame int) (expr.Value, error) {
	e, err := expr.ParseCalls(text)
	if err != nil {
		return expr.Value{}, err
	}
	switch {
	case !e.Calls():
		return s.Inspector.Evaluate(ctx, text, thread, frame)
	case s.Target.Process == nil:
		return expr.Value{}, failure.Errorf("No process", "functions can be called in a live process only, and this session is a %s", s.Target.Kind)
	case !t.AllowCalls:
		_, err := expr.Parse(text)
		return expr.Value{}, fmt.Errorf("%w, unless the server is started with --allow-calls", err)
	case !call.Caller().Principal.Allows(sessiontools.WriteScope):
		return expr.Value{}, failure.Denied(fmt.Sprintf("a call of a function needs the scope %s", sessiontools.WriteScope))
	}
	return s.EvaluateCalls(ctx, text, thread, frame)
}

// withLayout adds the layout of a type.
func (e evaluated) withLayout(t *types.Type) evaluated {
	if t != nil {
		e.Type, e.Layout = t.String(), new(layoutOf(t))
	}
	return e
}
