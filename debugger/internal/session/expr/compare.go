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
// other operand's type.
func (e *evaluator) both(left, right node) (Value, Value, error) {
	a, errA := left.eval(e)
	b, errB := right.eval(e)
	if errA != nil && errB == nil {
		a, errA = enumerator(left, b, errA)
	}
	if errB != nil && errA == nil {
		b, errB = enumerator(right, a, errB)
	}
	if e.checking {
		errA, errB = excused(left, right, errA, errB)
	}
	return a, b, errors.Join(errA, errB)
}

// enumerator returns the enumerator of a name in the type of a value.
func enumerator(n node, like Value, err error) (Value, error) {
	name, ok := n.(*nameNode)
	if !ok || !errors.Is(err, symbols.ErrNotFound) || like.typ.sym == nil {
		return Value{}, err
	}
	t := like.typ.sym.Strip()
	last := name.name[strings.LastIndex(name.name, ":")+1:]
	for _, each := range t.Enumerators() {
		if each.Name == last {
			return Value{typ: like.typ, bits: uint64(each.Value)}, nil
		}
	}
	return Value{}, err
}
