package values

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/program/lang"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/program/types"
)

// Limits limit the part of a value that is read.
type Limits struct {
	Depth    int // of nested values
	Pointers int // length of chains of pointers
	Elements int // of an array; the characters of a string do not count
	String   int // bytes of a string
	Nodes    int // total number of values

	First  int64  // of the elements of the value itself
	Text   int    // bytes of the text of a value with children; 0 means 4 KiB
	Format Format // of scalars
}

// DefaultLimits are suitable for showing the variables of a frame.
var DefaultLimits = Limits{Depth: 5, Pointers: 1, Elements: 64, String: 256, Nodes: 1000}

// A Value is the readable form of an object.
type Value struct {
	Name     string
	Type     string // as written in the language
	Text     string // the whole value on one line
	Addr     uint64 // 0 if the value is not in memory
	Mask     []byte // the bits of a bit-field, from Addr; nil for all bits
	Children []Value
	Cut      bool // part of the value was omitted because of the limits

	object *Object // that was read; only in values of Tree
}

// Object returns the object that the value was read from; false unless it
// comes from [Object.Tree].
func (v *Value) Object() (Object, bool) {
	if v.object == nil {
		return Object{}, false
	}
	return *v.object, true
}

// String returns "name: type = text".
func (v Value) String() string { return v.Name + ": " + v.Type + " = " + v.Text }

// Value reads the object. If the object cannot be read, Text is the reason in
// angle brackets; it is never empty.
func (o Object) Value(l Limits) Value { return newRenderer(l).value(o.displayed(), 0, 0) }

// Tree is Value for callers that go into its parts: each has the object that it
// was read from, see [Value.Object].
func (o Object) Tree(l Limits) Value {
	r := newRenderer(l)
	r.objects = true
	return r.value(o.displayed(), 0, 0)
}

// displayed returns the object with the memory from which it is shown.
func (o Object) displayed() Object {
	if o.View == nil {
		return o
	}
	if m, ok := symbols.Displayed(o.View.Memory); ok {
		view := *o.View
		view.Memory = m
		o.View = &view
	}
	return o
}

func newRenderer(l Limits) *renderer {
	return &renderer{limits: l, left: max(l.Nodes, 1), cpp: cppRecipes, rust: rustRecipes, goKinds: &goPrinters}
}

// A renderer renders values within limits. The tables are fields because their
// functions call the renderer for nested values.
type renderer struct {
	limits  Limits
	left    int  // number of values that may still be rendered
	objects bool // values get the objects that they were read from
	cpp     []recipe
	rust    []recipe
	goKinds *[32]goPrinter
}

// maxText limits the text of a value with children, in bytes, if [Limits.Text] does not.
const maxText = 4 << 10

// maxText returns the limit of the text of a value with children.
func (l Limits) maxText() int { return cmp.Or(l.Text, maxText) }

// content is the part of a Value that depends on the kind of object.
type content struct {
	text     string
	children []Value
	cut      bool
}

// value renders an object at a nesting depth, reached through a number of
// pointers.
func (r *renderer) value(o Object, depth, pointers int) Value {
	r.left--
	v := Value{Name: o.Name, Type: o.Type.String()}
	if addr, ok := o.Address(); ok {
		v.Addr, v.Mask = addr, o.bits.mask()
	}
	if r.objects {
		v.object = new(o)
	}
	if depth > r.limits.Depth || r.left < 0 {
		v.Text, v.Cut = "…", true
		return v
	}
	c, err := r.content(o, depth, pointers)
	if err != nil {
		v.Text = errorText(err)
		return v
	}
	v.Text, v.Children, v.Cut = c.text, c.children, c.cut
	if limit := r.limits.maxText(); len(v.Text) > limit {
		v.Text, v.Cut = strings.ToValidUTF8(v.Text[:limit], "")+"…", true
	}
	return v
}

// errorText returns the text of a value that cannot be read.
func errorText(err error) string {
	switch {
	case errors.Is(err, ErrOptimizedOut):
		return "<optimized out>"
	case errors.Is(err, ErrUnavailable):
		return "<not available>"
	}
	return "<" + err.Error() + ">"
}

// A printer shows types that a language shows differently from C. It returns
// false for all other types.
type printer func(r *renderer, o Object, depth, pointers int) (content, bool, error)

// content shows an object with the printer for its type.
func (r *renderer) content(o Object, depth, pointers int) (content, error) {
	if o.err != nil {
		return content{}, o.err
	}
	if _, ok := o.impliedPointer(); ok {
		return r.synthetic(o, depth, pointers)
	}
	if p := printerOf(o.Type.Lang); p != nil {
		if c, ok, err := p(r, o, depth, pointers); ok || err != nil {
			return c, err
		}
	}
	return r.plain(o, depth, pointers)
}

// printerOf returns the printer of a language. It is a function, not a table, to
// avoid an initialization cycle.
func printerOf(l lang.Lang) printer {
	switch l {
	case lang.CPlusPlus:
		return showCPP
	case lang.Rust:
		return showRust
	case lang.Go:
		return showGo
	}
	return nil
}

// synthetic shows a pointer to an object without an address.
func (r *renderer) synthetic(o Object, depth, pointers int) (content, error) {
	to, err := o.Deref()
	if err != nil {
		return content{}, err
	}
	v := r.value(to, depth+1, pointers+1)
	return content{text: "<synthetic pointer> → " + v.Text, children: []Value{v}}, nil
}

// plain shows an object as C does.
func (r *renderer) plain(o Object, depth, pointers int) (content, error) {
	t := o.Type.Strip()
	if r.limits.formats(t) {
		return r.formatted(o, t)
	}
	switch t.Kind {
	case types.KindPointer:
		return r.pointer(o, t, depth, pointers)
	case types.KindReference, types.KindRvalueReference:
		to, err := o.Deref()
		if err != nil {
			return content{}, err
		}
		v := r.value(dynamic(to), depth, pointers)
		return content{text: v.Text, children: v.Children, cut: v.Cut}, nil
	case types.KindStruct, types.KindClass, types.KindUnion:
		return r.members(o, t, depth, pointers)
	case types.KindArray:
		return r.array(o, t, depth, pointers)
	case types.KindVoid:
		return content{text: "<void>"}, nil
	}
	text, err := scalar(o, t)
	return content{text: text}, err
}

// pointer shows an address with its symbol and, as a child, its target.
func (r *renderer) pointer(o Object, t *types.Type, depth, pointers int) (content, error) {
	addr, err := o.Uint()
	if err != nil {
		return content{}, err
	}
	c := content{text: fmt.Sprintf("%#x", addr)}
	to := t.Elem()
	switch s := to.Strip(); {
	case addr == 0, s.Kind == types.KindVoid:
	case s.Kind == types.KindFunc:
		c.text += o.View.symbolText(addr)
	case s.Kind == types.KindChar && s.ByteSize() == 1:
		if text, err := r.cstring(o.View.Memory, addr); err == nil {
			c.text += " " + text
		}
	case pointers < r.limits.Pointers && depth < r.limits.Depth:
		target := dynamic(o.At(to, addr))
		if target.Type != to {
			c.text += " (" + target.Type.String() + ")"
		}
		v := r.value(target, depth+1, pointers+1)
		v.Name = "*" + o.Name
		c.children = []Value{v}
	}
	return c, nil
}

// symbolText returns the name of the function at an address in angle brackets, or
// "".
func (w *View) symbolText(addr uint64) string {
	f, ok := w.Image.Program.Function(addr)
	switch {
	case !ok:
		return ""
	case f.Offset == 0:
		return " <" + f.Name + ">"
	}
	return fmt.Sprintf(" <%s+%d>", f.Name, addr-f.Start)
}

// members shows a struct without its static members.
func (r *renderer) members(o Object, t *types.Type, depth, pointers int) (content, error) {
	if t.Incomplete {
		return content{text: "<incomplete type>"}, nil
	}
	style := styleOf(t)
	var c content
	fields := t.Fields()
	for i := range fields {
		f := &fields[i]
		if f.Static || f.Base && isEmpty(f) {
			continue
		}
		if len(c.children) >= r.limits.Elements || r.left <= 0 {
			c.cut = true
			break
		}
		v := r.value(o.Field(f), depth+1, pointers)
		if f.Base {
			v.Name = "<" + f.Type().String() + ">"
		}
		c.children = append(c.children, v)
	}
	if err := readError(o, c.children); err != nil {
		return content{}, err
	}
	c.text = style.name(t) + style.join(c.children, c.cut, r.limits.maxText())
	return c, nil
}

// isEmpty reports whether a base class has no members to show.
func isEmpty(f *types.Field) bool {
	t := f.Type()
	return len(t.Fields()) == 0 && !t.Strip().Incomplete
}

// readError returns an error if none of the object can be read.
func readError(o Object, children []Value) error {
	addr, ok := o.Address()
	if !ok || len(children) == 0 {
		return nil
	}
	var p [1]byte
	if err := o.View.Memory.ReadMemory(addr, p[:]); err != nil {
		return fmt.Errorf("cannot read memory at %#x", addr)
	}
	return nil
}

// array shows the elements of an array. A char array is shown as a string.
func (r *renderer) array(o Object, t *types.Type, depth, pointers int) (content, error) {
	dims := o.dimensions(t)
	if len(dims) == 0 || dims[0] < 0 {
		return content{text: "<array of unknown length>"}, nil
	}
	if e := t.Elem().Strip(); len(dims) == 1 && e.Kind == types.KindChar && e.ByteSize() == 1 && e.Name() == "char" && r.limits.Format == "" {
		return r.charArray(o, dims[0])
	}
	return r.elements(dims[0], styleOf(t), func(i int64) Object { return o.element(t, dims, i) }, depth, pointers)
}

// elements shows the first elements of a sequence.
func (r *renderer) elements(n int64, s style, at func(int64) Object, depth, pointers int) (content, error) {
	var c content
	first := int64(0)
	if depth == 0 {
		first = min(max(r.limits.First, 0), n)
	}
	for i := first; i < n; i++ {
		if i-first >= int64(r.limits.Elements) || r.left <= 0 {
			c.cut = true
			break
		}
		e := at(i)
		e.Name = fmt.Sprintf("[%d]", i)
		v := r.value(e, depth+1, pointers)
		if i == first && strings.HasPrefix(v.Text, "<cannot read") {
			return content{}, errors.New(strings.Trim(v.Text, "<>"))
		}
		c.children = append(c.children, v)
	}
	c.text = s.list(c.children, c.cut, r.limits.maxText())
	return c, nil
}
