package values

import (
	"fmt"
	"math"

	"github.com/triptych-mcp/triptych/debugger/internal/program/lang"
	"github.com/triptych-mcp/triptych/debugger/internal/program/types"
)

// Extent returns the size of the object in bytes, as sizeof does in C: the size
// of the target for a reference, and 1 for void and functions.
func (o Object) Extent() (int64, error) {
	t := o.Type.Strip()
	for range types.MaxRenames {
		if t.Kind != types.KindReference && t.Kind != types.KindRvalueReference {
			break
		}
		t = t.Elem().Strip()
	}
	switch {
	case t.Kind == types.KindVoid || t.Kind == types.KindFunc:
		return 1, nil
	case t.Incomplete:
		return 0, fmt.Errorf("the size of %s is not known: it is only declared", t)
	case t.Kind == types.KindArray && t.Size == 0:
		return o.arrayExtent(t)
	}
	return t.ByteSize(), nil
}

// arrayExtent returns the size of an array, including arrays of computed
// length.
func (o Object) arrayExtent(t *types.Type) (int64, error) {
	n := t.Elem().ByteSize()
	for _, length := range o.dimensions(t) {
		if length < 0 {
			return 0, fmt.Errorf("the length of %s is not known", t)
		}
		if length > 0 && n > math.MaxInt64/length {
			return 0, fmt.Errorf("%s is too large", t)
		}
		n *= length
	}
	return n, nil
}

// Len returns the number of elements of an array, slice, vector, string, map
// or channel, as len in Go does.
func (o Object) Len() (int64, error) {
	if n, ok, err := goLength(o, "qcount"); ok {
		return n, err
	}
	o, err := o.countable()
	if err != nil {
		return 0, err
	}
	if s, ok, err := textOf(o); ok {
		return s.length, err
	}
	t := o.Type.Strip()
	if t.Kind == types.KindPointer && t.Elem().Strip().Kind == types.KindArray { // as len in Go
		return o.At(t.Elem(), 0).Len()
	}
	if t.Kind == types.KindArray {
		if dims := o.dimensions(t); len(dims) > 0 && dims[0] >= 0 {
			return dims[0], nil
		}
		return 0, fmt.Errorf("the length of %s is not known", o.Type)
	}
	if c := containerOf(o.Type); c != nil {
		return c.length(o)
	}
	s, ok, err := sequenceOf(o)
	if err == nil && !ok {
		err = fmt.Errorf("%s has no length", o.Type)
	}
	return s.length, err
}

// countable returns the object whose elements are counted. References, and smart
// pointers in Rust, are followed.
func (o Object) countable() (Object, error) {
	o, err := o.referred()
	for i := 0; i < types.MaxReferences && err == nil && o.Type.Lang == lang.Rust && !isText(o.Type); i++ {
		to, ok, followErr := o.Pointee()
		if !ok {
			break
		}
		o, err = to, followErr
	}
	return o, err
}

// Cap returns the capacity of a slice or channel of Go, or the length of an
// array.
func (o Object) Cap() (int64, error) {
	if o.Type.Lang != lang.Go {
		return 0, fmt.Errorf("%s has no capacity; slices and channels of Go have", o.Type)
	}
	switch o.Type.GoType().GoKind {
	case types.GoSlice:
		n, err := o.number("cap")
		return int64(n), err
	case types.GoMap, types.GoString:
		return 0, fmt.Errorf("%s has no capacity", o.Type)
	}
	if n, ok, err := goLength(o, "dataqsiz"); ok {
		return n, err
	}
	return o.Len()
}

// goLength returns the length of a Go map, or the given member of a channel. It
// returns false for other types.
func goLength(o Object, ofChannel string) (int64, bool, error) {
	if o.Type.Lang != lang.Go {
		return 0, false, nil
	}
	switch o.Type.GoType().GoKind {
	case types.GoMap:
		_, n, err := goMapOf(o)
		return int64(n), true, err
	case types.GoChan:
		if addr, err := o.Uint(); err != nil || addr == 0 {
			return 0, true, err
		}
		n, err := o.number(ofChannel)
		return int64(n), true, err
	}
	return 0, false, nil
}
