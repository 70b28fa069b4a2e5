package expr

import (
	"errors"
	"fmt"

	"github.com/triptych-mcp/triptych/debugger/internal/program/lang"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/program/values"
)

// lengths are the functions that count elements.
var lengths = map[string]func(values.Object) (int64, error){
	"len": values.Object.Len, "cap": values.Object.Cap,
}

func (n *sizeofNode) eval(e *evaluator) (Value, error) {
	size, err := n.byteSize(e)
	return Value{typ: computed(unsigned, 8, e.lang), bits: uint64(size)}, err
}

func (n *sizeofNode) byteSize(e *evaluator) (int64, error) {
	if n.of == nil {
		return e.sizeOfType(*n.to)
	}
	v, err := n.of.eval(e)
	if n.to != nil && errors.Is(err, symbols.ErrNotFound) {
		if size, err := e.sizeOfType(*n.to); err == nil {
			return size, nil
		}
	}
	switch {
	case err != nil:
		return 0, err
	case v.typ == untypedData:
		return 0, errUntyped
	case v.text != nil && (e.lang == lang.Go || e.lang == lang.Rust):
		return 16, nil // a pointer and a length
	case v.text != nil:
		return int64(len(*v.text)) + 1, nil
	case v.object != nil && v.typ.sym != nil:
		return v.object.Extent()
	}
	return v.typ.size, nil
}

func (e *evaluator) sizeOfType(name typeName) (int64, error) {
	if name.tagged && name.pointers > 0 {
		return pointerTo(nil).size, nil // also to what is only declared
	}
	t, err := e.findType(name)
	switch {
	case err != nil:
		return 0, err
	case t.sym != nil:
		return e.scope.At(t.sym, 0).Extent()
	}
	return t.width(), nil
}

func (n *lengthNode) eval(e *evaluator) (Value, error) {
	v, err := n.of.eval(e)
	if err != nil {
		return Value{}, err
	}
	var length int64
	switch {
	case v.text != nil && n.name == "len":
		length = int64(len(*v.text))
	case v.object != nil && v.typ.sym != nil:
		length, err = lengths[n.name](*v.object)
	default:
		err = fmt.Errorf("a %s has no elements", v.Type())
	}
	return Value{typ: computed(signed, 8, e.lang), bits: uint64(length)}, err
}
