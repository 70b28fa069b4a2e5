package dap

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/go-dap"

	"github.com/triptych-mcp/triptych/debugger/internal/program/values"
	"github.com/triptych-mcp/triptych/debugger/internal/session/inspect"
	"github.com/triptych-mcp/triptych/mcp/plain"
)

// A handleKind tells which variables a reference stands for.
type handleKind uint8

const (
	ofArguments handleKind = iota
	ofLocals
	ofRegisters
	ofObject // the parts of an object
)

// A handle holds the variables that a variablesReference stands for.
type handle struct {
	kind   handleKind
	frame  frameID
	object values.Object
	expr   string // that means the object, "" if none does
}

// maxHandles bounds the handles of a stop. Editors read a few hundred.
const maxHandles = 100_000

// reference returns the number of a handle for the client: 0, which stands for
// nothing to open, when the client has read too much at this stop.
func (l *looks) reference(h handle) int {
	if len(l.now.handles) >= maxHandles {
		return 0
	}
	l.now.handles = append(l.now.handles, h)
	return len(l.now.handles)
}

func (l *looks) handleOf(reference int) (handle, error) {
	if reference < 1 || reference > len(l.now.handles) {
		return handle{}, errStale
	}
	return l.now.handles[reference-1], nil
}

// A part is a variable as the client can ask for it.
type part struct {
	name, expr string
	text, kind string // of a register
	isObject   bool
	object     values.Object
}

// Limits of values. A preview is a line; parts are one level of a container.
var (
	preview = values.Limits{Depth: 2, Pointers: 2, Elements: 32, String: 256, Nodes: 300}
	opened  = values.Limits{Depth: 2, Pointers: 2, Elements: 1000, String: 64, Nodes: 20000}
)

const (
	maxPage  = 10000 // variables in an answer
	maxValue = 1000  // bytes of a value's text
)

// variables answers with the variables that a reference stands for.
func (l *looks) variables(ctx context.Context, args dap.VariablesArguments) (any, error) {
	h, err := l.handleOf(args.VariablesReference)
	if err != nil {
		return nil, err
	}
	if args.Start < 0 || args.Count < 0 {
		return nil, errStale
	}
	parts, err := l.parts(h, args)
	if err != nil {
		return nil, err
	}
	body := dap.VariablesResponseBody{Variables: []dap.Variable{}}
	for _, p := range parts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		body.Variables = append(body.Variables, l.variable(h.frame, p))
	}
	return body, nil
}

// parts returns the variables that a handle stands for, as far as the client
// wants them.
func (l *looks) parts(h handle, args dap.VariablesArguments) ([]part, error) {
	switch h.kind {
	case ofArguments, ofLocals:
		frame, err := l.frame(h.frame)
		if err != nil {
			return nil, err
		}
		return page(locals(frame.Variables(), h.kind == ofArguments), args, "indexed"), nil
	case ofRegisters:
		parts, err := l.registers(h.frame)
		return page(parts, args, "indexed"), err
	}
	n, byIndex, counted := count(h.object)
	if !counted {
		return page(tree(h, opened), args, "indexed"), nil
	}
	if args.Filter == "named" {
		return nil, nil
	}
	first := min(int64(args.Start), n)
	last := min(first+maxPage, n)
	if args.Count > 0 {
		last = min(last, first+int64(args.Count))
	}
	if byIndex {
		return elements(h, first, last), nil
	}
	limits := opened
	limits.Elements = int(min(last, maxPage))
	limits.Nodes = max(limits.Nodes, 4*limits.Elements)
	all := tree(h, limits)
	return all[min(first, int64(len(all))):min(last, int64(len(all)))], nil
}

// page returns a part of a list without elements: those from start on, and none
// if the client wants the others.
func page(all []part, args dap.VariablesArguments, others string) []part {
	if args.Filter == others {
		return nil
	}
	all = all[min(args.Start, len(all)):]
	if args.Count > 0 {
		all = all[:min(args.Count, len(all))]
	}
	return all
}

// locals returns arguments, or the other local variables. One that another of
// the same name hides has no expression.
func locals(all []values.Object, arguments bool) []part {
	var parts []part
	for _, o := range all {
		p := part{name: o.Name, expr: o.Name, isObject: true, object: o}
		if o.Hidden {
			p.name, p.expr = o.Name+" (hidden)", ""
		}
		if o.Argument == arguments {
			parts = append(parts, p)
		}
	}
	return parts
}

// registers returns the registers that are known in a frame.
func (l *looks) registers(id frameID) ([]part, error) {
	scope, err := l.client.s.Inspector.Scope(id.thread, id.number)
	if err != nil {
		return nil, err
	}
	var parts []part
	for _, row := range inspect.Registers {
		value, _, err := scope.Register(row.Name)
		if row.Kind == inspect.Part || err != nil {
			continue
		}
		text := plain.Hex(value)
		if symbol := l.client.s.Inspector.Symbol(value); symbol != "" && row.Kind == inspect.General {
			text += " <" + symbol + ">"
		}
		parts = append(parts, part{name: row.Name, expr: "$" + row.Name, text: text})
	}
	return parts, nil
}

// count returns the number of elements of an object that has any, and whether
// each can be had by its index. Pointers have none: their length is not known.
func count(o values.Object) (n int64, byIndex, ok bool) {
	if o.IsText() {
		return 0, false, false
	}
	n, err := o.Len()
	if err != nil {
		return 0, false, false
	}
	if o.IsMap() || n == 0 {
		return n, false, true
	}
	_, err = o.Index(0)
	return n, err == nil, true
}

// elements returns elements by their indices.
func elements(h handle, first, last int64) []part {
	var parts []part
	for i := first; i < last; i++ {
		o, err := h.object.Index(i)
		if err != nil {
			o = h.object.Unreadable(h.object.Type, err)
		}
		o.Name = fmt.Sprintf("[%d]", i)
		p := part{name: o.Name, isObject: true, object: o}
		if h.expr != "" {
			p.expr = h.expr + o.Name
		}
		parts = append(parts, p)
	}
	return parts
}

// tree returns the parts of an object as it is shown.
func tree(h handle, limits values.Limits) []part {
	var parts []part
	value := h.object.Tree(limits)
	for i := range value.Children {
		c := &value.Children[i]
		p := part{name: c.Name, expr: member(h.expr, c.Name), text: c.Text, kind: c.Type}
		p.object, p.isObject = c.Object()
		parts = append(parts, p)
	}
	return parts
}

// member returns the expression for a part of an object, "" if there is none.
func member(expr, name string) string {
	switch {
	case expr == "" || strings.HasPrefix(name, "<"):
		return ""
	case strings.HasPrefix(name, "*"):
		return "(*" + expr + ")"
	case strings.HasPrefix(name, "["):
		return expr + name
	}
	return expr + "." + name
}

// variable describes a variable, and gives the client a reference to its
// parts.
func (l *looks) variable(frame frameID, p part) dap.Variable {
	if !p.isObject {
		return dap.Variable{Name: p.name, Value: cut(p.text), Type: p.kind, EvaluateName: p.expr}
	}
	value := p.object.Tree(preview)
	out := dap.Variable{Name: p.name, Value: cut(value.Text), Type: value.Type, EvaluateName: p.expr}
	if value.Addr != 0 {
		out.MemoryReference = plain.Hex(value.Addr)
	}
	n, _, counted := count(p.object)
	switch {
	case counted && n > 0:
		out.IndexedVariables = int(n)
	case counted || len(value.Children) == 0:
		return out
	default:
		out.NamedVariables = len(value.Children)
	}
	out.VariablesReference = l.reference(handle{kind: ofObject, frame: frame, object: p.object, expr: p.expr})
	return out
}

// cut bounds the text of a value.
func cut(text string) string {
	if len(text) > maxValue {
		return strings.ToValidUTF8(text[:maxValue], "") + "…"
	}
	return text
}
