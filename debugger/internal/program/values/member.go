package values

import (
	"debug/dwarf"
	"errors"
	"fmt"
	"slices"

	"github.com/triptych-mcp/triptych/debugger/internal/program/lang"
	"github.com/triptych-mcp/triptych/debugger/internal/program/location"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/program/types"
)

// Field returns a member of the object.
func (o Object) Field(f *types.Field) Object {
	p := o.part(f.Name, f.Type(), f.Offset)
	switch {
	case f.Static:
		p.err = fmt.Errorf("static member %s: %w", f.Name, symbols.ErrNotFound)
	case f.Virtual:
		p = o.virtualBase(f, p)
	case f.BitSize > 0:
		p = o.part(f.Name, f.Type(), f.BitStart>>3) // rounded down, also below 0
		p.bits = bitField{f.BitStart & 7, f.BitSize, o.Type, f.BitStart}
	}
	return p
}

// virtualBase locates a virtual base class by its expression, which computes
// its address from the object's.
func (o Object) virtualBase(f *types.Field, p Object) Object {
	addr, ok := o.Address()
	if !ok {
		p.err = ErrUnavailable
		return p
	}
	c := &location.Context{Memory: o.View.Memory, Source: memberSource{View: o.View}, Stack: []uint64{addr}, Object: &addr}
	base, err := location.Value(f.Expr, c)
	p.offset, p.pieces, p.err = 0, inMemory(base), err
	return p
}

// A memberSource provides the values that expressions for the location of members
// refer to.
type memberSource struct {
	location.None
	*View
}

func (s memberSource) Register(n uint64) (uint64, bool) { return s.Registers.Get(n) }

// MaxBases limits the depth of base classes that are searched for members.
const MaxBases = 16

// Member returns a member of a struct, class or union by name. It searches base
// classes and unnamed members, too, and follows pointers and references.
func (o Object) Member(name string) (Object, error) {
	switch o.Type.Strip().Kind {
	case types.KindPointer, types.KindReference, types.KindRvalueReference:
		to, err := o.Deref()
		if err != nil {
			return Object{}, err
		}
		o = to
	}
	if m, ok := o.FindMember(name, MaxBases, true); ok {
		return m, nil
	}
	return Object{}, fmt.Errorf("%s has no member %s: %w", o.Type, name, symbols.ErrNotFound)
}

// FindMember returns a member of the object itself, of its base classes or of
// unnamed members. Static members are found only if static is set; they are not
// located within the object.
func (o Object) FindMember(name string, depth int, static bool) (Object, bool) {
	fields := o.Type.Fields()
	for i := range fields {
		if f := &fields[i]; f.Name == name && !f.Base && (static || !f.Static) {
			return o.Field(f), true
		}
	}
	for i := range fields {
		f := &fields[i]
		if depth > 0 && (f.Base || f.Name == "") && !f.Static {
			if m, ok := o.Field(f).FindMember(name, depth-1, static); ok {
				return m, true
			}
		}
	}
	return Object{}, false
}

// Deref follows a pointer or reference.
func (o Object) Deref() (Object, error) {
	t := o.Type.Strip()
	switch t.Kind {
	case types.KindPointer, types.KindReference, types.KindRvalueReference:
	default:
		return Object{}, fmt.Errorf("%s is no pointer", o.Type)
	}
	if p, ok := o.impliedPointer(); ok {
		return o.implied(t, p)
	}
	addr, err := o.Uint()
	if err != nil {
		return Object{}, err
	}
	return o.At(t.Elem(), addr), nil
}

// impliedPointer returns the location of a pointer to an object that has no
// address (DW_OP_implicit_pointer).
func (o Object) impliedPointer() (location.Piece, bool) {
	if o.err != nil {
		return location.Piece{}, false
	}
	at := uint64(0)
	for _, p := range o.pieces {
		whole := p.Bits == 0 && o.offset == 0 || p.Bits == uint64(o.Size())*8 && at == o.offset*8
		if p.Kind == location.IsPointer && whole {
			return p, true
		}
		at += p.Bits
	}
	return location.Piece{}, false
}

// implied follows a pointer to an object without an address. The pointer refers
// to the debug entry of a variable.
func (o Object) implied(t *types.Type, pc location.Piece) (Object, error) {
	d := o.View.Image.DebugInfo()
	if d == nil {
		return Object{}, ErrOptimizedOut
	}
	v, err := d.VariableAt(dwarf.Offset(pc.DIE))
	if err != nil || v == nil {
		return Object{}, errors.Join(err, ErrOptimizedOut)
	}
	to := o.View.Object(v)
	to.Type, to.offset = t.Elem(), uint64(pc.Offset)
	return to, to.err
}

// Index returns an element of an array, of a container, or of the array that a
// pointer points to, or the element of a map with an integer key.
func (o Object) Index(n int64) (Object, error) {
	if o.IsMap() { // a pointer may be a map, too
		return o.Element(WholeKey(uint64(n)))
	}
	if p, ok, err := o.Pointer(); ok {
		if err != nil {
			return Object{}, err
		}
		return p.Index(n)
	}
	o, err := o.indexable()
	if err != nil {
		return Object{}, err
	}
	t := o.Type.Strip()
	switch t.Kind {
	case types.KindPointer:
		to, err := o.Deref()
		if err != nil {
			return Object{}, err
		}
		return to.part("", to.Type, n*to.Size()), nil
	case types.KindArray:
		return o.element(t, o.dimensions(t), n), nil
	}
	if c := containerOf(o.Type); c != nil {
		return c.index(o, n)
	}
	s, ok, err := sequenceOf(o)
	switch {
	case err != nil:
		return Object{}, err
	case !ok:
		return Object{}, fmt.Errorf("%s has no elements", o.Type)
	}
	if err := outOfRange(n, s.length); err != nil {
		return Object{}, err
	}
	return s.at(n), nil
}

// indexable follows references to containers. A reference of Rust to anything
// else is indexed as a pointer.
func (o Object) indexable() (Object, error) {
	switch o.Type.Referred().Strip().Kind {
	case types.KindStruct, types.KindClass, types.KindArray:
		return o.referred()
	}
	if o.Type.Lang == lang.CPlusPlus {
		return o.referred()
	}
	return o, nil
}

// dimensions returns the lengths of an array, including computed ones; -1 stands
// for an unknown length.
func (o Object) dimensions(t *types.Type) []int64 {
	dims := slices.Clone(t.Dimensions())
	for i, bound := range t.ComputedBounds() {
		if n, err := o.View.bound(t, bound); bound != nil && err == nil {
			dims[i] = n + 1
		}
	}
	return dims
}

// bound evaluates the highest index of an array: an expression or an
// artificial variable.
func (w *View) bound(t *types.Type, bound any) (int64, error) {
	u := t.Unit()
	switch b := bound.(type) {
	case []byte:
		if u == nil {
			break
		}
		pieces, err := location.Evaluate(b, w.Context(u))
		if err != nil {
			return 0, err
		}
		// The result of the expression is the number itself, not a location.
		if p := pieces[0]; p.Kind == location.InMemory || p.Kind == location.IsValue {
			return int64(p.Addr | p.Value), nil
		}
	case dwarf.Offset:
		v, err := t.Set.Info.VariableAt(b)
		if err != nil || v == nil {
			return 0, errors.Join(err, ErrUnavailable)
		}
		return w.Object(v).Int()
	}
	return 0, ErrUnavailable
}

// element returns an element of an array. An element of a multidimensional array
// is an array.
func (o Object) element(t *types.Type, dims []int64, n int64) Object {
	elem := t.Elem()
	if len(dims) > 1 {
		elem = t.Row(dims[1:])
	}
	size := elem.ByteSize()
	if t.Stride > 0 && len(dims) < 2 {
		size = t.Stride
	}
	return o.part("", elem, n*size)
}
