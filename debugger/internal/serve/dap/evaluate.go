package dap

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/go-dap"

	"github.com/triptych-mcp/triptych/debugger/internal/program/values"
	"github.com/triptych-mcp/triptych/debugger/internal/session/inspect"
)

// value evaluates an expression.
func (l *looks) value(ctx context.Context, text string, frame int) (dap.EvaluateResponseBody, error) {
	id, err := l.frameOf(frame)
	if err != nil {
		return dap.EvaluateResponseBody{}, err
	}
	value, err := l.client.s.Inspector.Evaluate(ctx, text, id.thread, id.number)
	if err != nil {
		return dap.EvaluateResponseBody{}, inspect.WrapError(err)
	}
	if o, ok := value.Object(); ok && value.Type() == o.Type.String() {
		w := l.variable(id, part{name: text, expr: group(text), isObject: true, object: o})
		return dap.EvaluateResponseBody{
			Result: w.Value, Type: w.Type, VariablesReference: w.VariablesReference,
			NamedVariables: w.NamedVariables, IndexedVariables: w.IndexedVariables, MemoryReference: w.MemoryReference,
		}, nil
	}
	body := dap.EvaluateResponseBody{Result: cut(value.Text(values.DefaultLimits)), Type: value.Type()}
	if addr, err := value.Address(); err == nil && strings.HasPrefix(body.Result, "0x") {
		body.MemoryReference = fmt.Sprintf("%#x", addr)
	}
	return body, nil
}

// group puts an expression in parentheses unless it is a name.
func group(text string) string {
	for _, c := range text {
		if !(c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z') {
			return "(" + text + ")"
		}
	}
	return text
}

// target returns a variable: a part of a reference by its name, or what an
// expression means.
func (l *looks) target(ctx context.Context, reference int, name string, frame int) (part, error) {
	if reference != 0 {
		h, err := l.handleOf(reference)
		if err != nil {
			return part{}, err
		}
		return l.partNamed(h, name)
	}
	id, err := l.frameOf(frame)
	if err != nil {
		return part{}, err
	}
	value, err := l.client.s.Inspector.Evaluate(ctx, name, id.thread, id.number)
	if err != nil {
		return part{}, inspect.WrapError(err)
	}
	o, ok := value.Object()
	return part{name: name, expr: name, isObject: ok, object: o}, nil
}

// partNamed returns a part of a handle by its name.
func (l *looks) partNamed(h handle, name string) (part, error) {
	var index int
	if n, _ := fmt.Sscanf(name, "[%d]", &index); n == 1 && h.kind == ofObject && index >= 0 {
		if _, byIndex, ok := count(h.object); ok && byIndex {
			return elements(h, int64(index), int64(index)+1)[0], nil
		}
	}
	all, err := l.parts(h, dap.VariablesArguments{})
	if err != nil {
		return part{}, err
	}
	for _, p := range all {
		if p.name == name {
			return p, nil
		}
	}
	return part{}, fmt.Errorf("there is no variable %s", name)
}
