package expr

import (
	"errors"

	"github.com/triptych-mcp/triptych/debugger/internal/program/values"
)

// eval returns the elements as an array.
func (n *sliceNode) eval(e *evaluator) (Value, error) {
	of, err := n.of.eval(e)
	if err != nil {
		return Value{}, err
	}
	from, err := e.bound(n.from, 0)
	if err != nil {
		return Value{}, err
	}
	to, err := e.bound(n.to, -1)
	if err != nil {
		return Value{}, err
	}
	if n.to != nil && to < 0 {
		return Value{}, errors.New("a slice ends at no index below 0")
	}
	if of.object == nil || of.typ.sym == nil {
		return e.sliceOfPointer(of, from, to)
	}
	return runOf(of.object.Slice(from, to))
}

// sliceOfPointer returns the elements behind a computed pointer.
func (e *evaluator) sliceOfPointer(p Value, from, to int64) (Value, error) {
	at, err := e.deref(p)
	if err != nil {
		return Value{}, err
	}
	first, ok := at.Object()
	addr, inMemory := first.Address()
	switch {
	case !ok || !inMemory:
		return Value{}, errRepeat
	case to <= from:
		return Value{}, errors.New("a pointer has no end; say up to which element, such as [0:10]")
	}
	return runOf(e.scope.At(first.Type, addr+uint64(from*first.Size())).Repeated(to - from))
}

// bound evaluates a bound of a slice, which may be missing.
func (e *evaluator) bound(n node, missing int64) (int64, error) {
	if n == nil {
		return missing, nil
	}
	v, err := e.whole(n)
	return int64(v.bits), err
}

// eval returns the objects as an array.
func (n *repeatNode) eval(e *evaluator) (Value, error) {
	v, err := n.first.eval(e)
	if err == nil {
		v, err = v.referred()
	}
	if err != nil {
		return Value{}, err
	}
	first, ok := v.Object()
	if !ok || v.typ == untypedData {
		return Value{}, errRepeat
	}
	count, err := e.whole(n.count)
	if err != nil {
		return Value{}, err
	}
	return runOf(first.Repeated(int64(count.bits)))
}

// errRepeat is returned for values that nothing can follow.
var errRepeat = errors.New("only what is in memory is followed by more of its kind, such as *p@10")

// runOf is placed for an array that an expression has chosen.
func runOf(o values.Object, err error) (Value, error) {
	v, err := placed(o, err)
	if err == nil {
		v.run = int(o.Type.Dimensions()[0])
	}
	return v, err
}
