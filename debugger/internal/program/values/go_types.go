package values

import (
	"errors"
	"fmt"
	"slices"

	"github.com/triptych-mcp/triptych/debugger/internal/program/lang"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/program/types"
)

// A goPrinter shows one kind of type.
type goPrinter func(r *renderer, o Object, t *types.Type, depth, pointers int) (content, error)

// goPrinters holds the printers by kind.
var goPrinters = [32]goPrinter{
	types.GoString: showGoString, types.GoSlice: showGoSlice, types.GoMap: showGoMap,
	types.GoInterface: showGoInterface, types.GoChan: showGoChan, types.GoPointer: showGoPointer, types.GoFunc: showGoFunc,
}

// showGo shows Go types that are structs in the runtime: strings, slices,
// interfaces and others.
func showGo(r *renderer, o Object, depth, pointers int) (content, bool, error) {
	t := o.Type.GoType()
	show := r.goKinds[t.GoKind%32]
	if show == nil {
		return content{}, false, nil
	}
	c, err := show(r, o, t, depth, pointers)
	return c, err == nil, lastingError(err)
}

func showGoString(r *renderer, o Object, _ *types.Type, _, _ int) (content, error) {
	addr, err := o.number("str")
	n, err2 := o.number("len")
	if err := errors.Join(err, err2); err != nil {
		return content{}, err
	}
	return r.text(o.View.Memory, addr, int64(n))
}

func showGoSlice(r *renderer, o Object, _ *types.Type, depth, pointers int) (content, error) {
	s, ok, err := sequenceOf(o)
	if err != nil || !ok {
		return content{}, err
	}
	if s.start == 0 {
		return content{text: "nil"}, nil
	}
	return r.elements(s.length, styles[lang.Go], s.at, depth, pointers)
}

// showGoPointer shows the target of a pointer, as package fmt does.
func showGoPointer(r *renderer, o Object, _ *types.Type, depth, pointers int) (content, error) {
	t := o.Type.Strip()
	if t.Kind != types.KindPointer {
		return content{}, errors.New("pointer is not valid")
	}
	c, err := r.pointer(o, t, depth, pointers)
	if err != nil {
		return content{}, err
	}
	switch {
	case c.text == "0x0":
		c.text = "nil"
	case len(c.children) == 1:
		c.text = "&" + c.children[0].Text
	}
	return c, nil
}

// showGoFunc names the function that a closure runs.
func showGoFunc(_ *renderer, o Object, _ *types.Type, _, _ int) (content, error) {
	closure, err := o.Uint()
	if err != nil {
		return content{}, err
	}
	if closure == 0 {
		return content{text: "nil"}, nil
	}
	code, err := symbols.ReadWord(o.View.Memory, closure)
	if err != nil {
		return content{}, err
	}
	return content{text: fmt.Sprintf("%#x", code) + o.View.symbolText(code)}, nil
}

func showGoChan(_ *renderer, o Object, _ *types.Type, _, _ int) (content, error) {
	addr, err := o.Uint()
	if err != nil || addr == 0 {
		return content{text: "nil"}, err
	}
	n, err := o.number("qcount")
	size, err2 := o.number("dataqsiz")
	return content{text: fmt.Sprintf("%d of %d queued", n, size)}, errors.Join(err, err2)
}

// showGoInterface shows the value in an interface with its type.
func showGoInterface(r *renderer, o Object, _ *types.Type, depth, pointers int) (content, error) {
	desc, err := o.number("_type")
	if err != nil {
		tab, err := o.number("tab")
		if err != nil {
			return content{}, err
		}
		if tab == 0 {
			return content{text: "nil"}, nil
		}
		// An itab begins with the interface's type and the value's type.
		if desc, err = symbols.ReadWord(o.View.Memory, tab+8); err != nil {
			return content{}, err
		}
	}
	if desc == 0 {
		return content{text: "nil"}, nil
	}
	data, err := o.Member("data")
	if err != nil {
		return content{}, err
	}
	t := o.View.Image.GoTypeAt(desc)
	if t == nil {
		return content{text: fmt.Sprintf("<value of the type at %#x>", desc)}, nil
	}
	return r.boxed(data, t, depth, pointers)
}

// boxed shows the value in an interface. The interface's data word is the value
// itself if the type is pointer-shaped, and its address otherwise.
func (r *renderer) boxed(data Object, t *types.Type, depth, pointers int) (content, error) {
	value := data.part("", t, 0)
	if !pointerShaped(t, 8) {
		addr, err := data.Uint()
		if err != nil {
			return content{}, err
		}
		value = data.At(t, addr)
	}
	v := r.value(value, depth+1, pointers)
	v.Name = "data"
	text := t.String() + "(" + v.Text + ")"
	return content{text: text, children: []Value{v}, cut: v.Cut}, nil
}

// pointerShaped reports whether values of a type consist of a single pointer.
func pointerShaped(t *types.Type, depth int) bool {
	switch t.GoType().GoKind {
	case types.GoMap, types.GoChan, types.GoFunc, types.GoPointer:
		return true
	}
	s := t.Strip()
	switch {
	case s.Kind == types.KindPointer:
		return true
	case depth == 0:
		return false
	case s.Kind == types.KindStruct && len(s.Fields()) == 1:
		f := s.Fields()[0]
		return pointerShaped(f.Type(), depth-1)
	case s.Kind == types.KindArray && slices.Equal(s.Dimensions(), []int64{1}):
		return pointerShaped(s.Elem(), depth-1)
	}
	return false
}
