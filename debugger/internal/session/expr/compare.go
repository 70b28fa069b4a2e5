package expr

import (
	"errors"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/program/lang"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
)

// truth returns a boolean in the language's type.
func (e *evaluator) truth(yes bool) Value {
	v := Value{typ: computed(boolean, 1, e.lang)}
	if e.lang == lang.C {
		v.typ = computed(signed, 4, e.lang)
	}
	if yes {
		v.bits = 1
	}
	return v
}

// comparisons tell for each operator whether an ordering satisfies it.
var comparisons = map[string]func(order int) bool{
	"==": func(o int) bool { return o == 0 }, "!=": func(o int) bool { return o != 0 },
	"<": func(o int) bool { return o == -1 }, "<=": func(o int) bool { return o == -1 || o == 0 },
	">": func(o int) bool { return o == 1 }, ">=": func(o int) bool { return o == 1 || o == 0 },
}

// unordered is the ordering of NaN.
const unordered = 2

func order[T float64 | int64 | uint64](a, b T) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	case a == b:
		return 0
	}
	return unordered
}

// orderOf compares two values of one type.
func orderOf(t *typ, a, b Value) int {
	switch t.class {
	case floating:
		if a.long != nil && b.long != nil {
			return a.long.Cmp(b.long)
		}
		return order(a.float, b.float)
	case signed:
		return order(int64(a.bits), int64(b.bits))
	}
	return order(a.bits, b.bits)
}

// both evaluates two operands. An unknown name may be an enumerator of the
// other operand's type, and of several enumerators of a name that one is meant.
func (e *evaluator) both(left, right node) (Value, Value, error) {
	a, errA := left.eval(e)
	b, errB := right.eval(e)
	if errB == nil && mayBeEnumerator(left, a, errA) {
		a, errA = enumerator(left, a, errA, b)
	}
	if errA == nil && mayBeEnumerator(right, b, errB) {
		b, errB = enumerator(right, b, errB, a)
	}
	if e.checking {
		errA, errB = excused(left, right, errA, errB)
	}
	return a, b, errors.Join(errA, errB)
}

// mayBeEnumerator reports whether an operand is an unknown name, or an enumerator.
func mayBeEnumerator(n node, v Value, err error) bool {
	if err != nil {
		return errors.Is(err, symbols.ErrNotFound)
	}
	if v.object == nil {
		return false
	}
	if _, placed := v.object.Address(); placed {
		return false
	}
	_, known := enumeratorOf(n, v.typ)
	return known
}

// enumerator returns the enumerator of a name in the type of a value, else what the name
// was evaluated to.
func enumerator(n node, v Value, err error, like Value) (Value, error) {
	if value, ok := enumeratorOf(n, like.typ); ok {
		return Value{typ: like.typ, bits: uint64(value)}, nil
	}
	return v, err
}

// enumeratorOf returns the value of the enumerator of a type that a name means.
func enumeratorOf(n node, t *typ) (int64, bool) {
	name, ok := n.(*nameNode)
	if !ok || t == nil || t.sym == nil {
		return 0, false
	}
	last := name.name[strings.LastIndex(name.name, ":")+1:]
	for _, each := range t.sym.Strip().Enumerators() {
		if each.Name == last {
			return each.Value, true
		}
	}
	return 0, false
}
