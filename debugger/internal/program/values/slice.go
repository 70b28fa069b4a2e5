package values

import (
	"errors"
	"fmt"

	"github.com/triptych-mcp/triptych/debugger/internal/program/types"
)

// maxSlice limits the number of elements of a slice.
const maxSlice = 1 << 16

// errScattered is returned for slices of containers whose elements are not contiguous.
var errScattered = errors.New("its elements are not next to each other, so it has no slices; index them")

// Slice returns the elements from one index up to another, as an array. A to of -1 stands
// for the end, which pointers do not have.
func (o Object) Slice(from, to int64) (Object, error) {
	length, err := o.sliceable()
	if err != nil {
		return Object{}, err
	}
	if to < 0 && length < 0 {
		return Object{}, fmt.Errorf("a %s has no end; say up to which element, such as [0:10]", o.Type)
	}
	if to < 0 {
		to = length
	}
	if from > to || length >= 0 && to > length || length >= 0 && from < 0 {
		return Object{}, fmt.Errorf("[%d:%d] is out of range: there are %d elements", from, to, max(length, 0))
	}
	if from == to { // of an empty slice there is nothing to see
		return Object{}, fmt.Errorf("[%d:%d] has no elements", from, to)
	}
	if s, ok, err := textOf(o); ok && err == nil {
		return o.At(types.Character, s.start+uint64(from)).Repeated(to - from)
	}
	first, err := o.Index(from)
	if err != nil {
		return Object{}, err
	}
	return first.Repeated(to - from)
}

// Repeated returns n objects of the same type, of which the object is the first, as an
// array.
func (o Object) Repeated(n int64) (Object, error) {
	size := o.Type.ByteSize()
	if n < 1 || n > maxSlice || size < 1 || n > maxObject/size {
		return Object{}, fmt.Errorf("%d elements of %d bytes are no array; 1 to %d elements of together %d bytes are", n, size, maxSlice, maxObject)
	}
	if _, ok := o.Address(); !ok {
		return Object{}, errors.New("the elements are not in memory")
	}
	o.Type = types.ArrayOf(o.Type, n)
	return o, nil
}

// sliceable returns the number of the object's elements, -1 if it is a pointer, and an
// error if they are not contiguous.
func (o Object) sliceable() (int64, error) {
	if o.IsMap() {
		return 0, errScattered
	}
	if p, ok, err := o.Pointer(); ok {
		if err != nil {
			return 0, err
		}
		return p.sliceable()
	}
	o, err := o.indexable()
	if err != nil {
		return 0, err
	}
	switch t := o.Type.Strip(); t.Kind {
	case types.KindPointer:
		return -1, nil
	case types.KindArray:
		if dims := o.dimensions(t); len(dims) > 0 {
			return dims[0], nil
		}
		return -1, nil
	}
	s, ok, err := sequenceOf(o)
	if !ok && err == nil {
		s, ok, err = textOf(o)
	}
	switch {
	case err != nil:
		return 0, err
	case ok:
		return s.length, nil
	case containerOf(o.Type) != nil:
		return 0, errScattered
	}
	return 0, fmt.Errorf("%s has no elements", o.Type)
}
