package expr

import (
	"errors"
	"fmt"
	"math"
	"math/big"
)

func (n *unaryNode) eval(e *evaluator) (Value, error) {
	v, err := n.of.eval(e)
	if err != nil {
		return Value{}, err
	}
	switch n.op {
	case "*":
		return e.deref(v)
	case "&":
		return e.address(v)
	}
	v, err = v.scalar()
	if err != nil {
		return Value{}, err
	}
	if n.op == "!" {
		yes, err := v.Bool()
		return e.truth(!yes), err
	}
	if !v.typ.isNumber() || n.op == "~" && !v.typ.isWhole() {
		return Value{}, fmt.Errorf("%s cannot be applied to a %s", n.op, v.Type())
	}
	v = v.convert(e.promoted(v.typ))
	switch n.op {
	case "-":
		v.float, v.bits = -v.float, cut(-v.bits, v.typ)
		if v.long != nil {
			v.long = new(big.Float).Neg(v.long)
		}
	case "~":
		v.bits = cut(^v.bits, v.typ)
	}
	return v, nil
}

// address returns a pointer to a place in memory.
func (e *evaluator) address(v Value) (Value, error) {
	v, err := v.referred()
	if err != nil {
		return Value{}, err
	}
	if v.object == nil {
		if v.typ.class == pointer && v.typ.elem() != nil && v.typ.elem().name == "code" {
			return v, nil // the name of a function is its address
		}
		return Value{}, errors.New("only what is in memory has an address")
	}
	if addr, ok := v.untyped(); ok {
		return Value{typ: pointerTo(nil), bits: addr}, nil
	}
	addr, ok := v.object.Address()
	if !ok {
		if err := v.object.Err(); err != nil {
			return Value{}, err
		}
		return Value{}, fmt.Errorf("%s is not in memory", v.object.Name)
	}
	return Value{typ: pointerTo(v.typ), bits: addr}, nil
}

// promoted returns the type to which integer promotion takes a number (C17,
// 6.3.1.1).
func (e *evaluator) promoted(t *typ) *typ {
	if t.quad {
		return quad(e.lang)
	}
	if t.class == floating {
		return computed(floating, t.size, e.lang)
	}
	if t.size < 4 || t.class == boolean {
		return computed(signed, 4, e.lang)
	}
	return computed(t.class, t.size, e.lang)
}

// common returns the common type of two numbers (C17, 6.3.1.8).
func (e *evaluator) common(a, b *typ) *typ {
	a, b = e.promoted(a), e.promoted(b)
	if a.quad || b.quad {
		return quad(e.lang)
	}
	if a.class == floating || b.class == floating {
		size := int64(4)
		for _, t := range []*typ{a, b} {
			if t.class == floating {
				size = max(size, t.size)
			}
		}
		return computed(floating, size, e.lang)
	}
	switch {
	case a.size > b.size:
		return a
	case b.size > a.size:
		return b
	case a.class == unsigned:
		return a
	}
	return b
}

func (n *binaryNode) eval(e *evaluator) (Value, error) {
	if n.op == "&&" || n.op == "||" {
		return n.logical(e)
	}
	left, right, err := e.both(n.left, n.right)
	if err != nil {
		return Value{}, err
	}
	if comparisons[n.op] != nil && (left.isText() || right.isText()) {
		return e.texts(n.op, left, right)
	}
	if left, err = left.scalar(); err != nil {
		return Value{}, err
	}
	if right, err = right.scalar(); err != nil {
		return Value{}, err
	}
	if left.typ.class == pointer || right.typ.class == pointer {
		return e.pointerArith(n.op, left, right)
	}
	return e.numbers(n.op, left, right)
}

// logical evaluates && and ||, the right side only if it matters.
func (n *binaryNode) logical(e *evaluator) (Value, error) {
	if e.checking {
		_, errA := n.left.eval(e)
		_, errB := n.right.eval(e)
		return e.truth(true), errors.Join(errA, errB)
	}
	for _, side := range []node{n.left, n.right} {
		v, err := side.eval(e)
		if err != nil {
			return Value{}, err
		}
		yes, err := v.Bool()
		if err != nil || yes == (n.op == "||") {
			return e.truth(yes), err
		}
	}
	return e.truth(n.op == "&&"), nil
}

// numbers applies an operator to two numbers.
func (e *evaluator) numbers(op string, a, b Value) (Value, error) {
	t := e.common(a.typ, b.typ)
	if op == "<<" || op == ">>" {
		return e.shift(op, a, b)
	}
	hex := a.hex || b.hex
	a, b = a.convert(t), b.convert(t)
	if compare := comparisons[op]; compare != nil {
		return e.truth(compare(orderOf(t, a, b))), nil
	}
	if t.class == floating {
		if a.long != nil && b.long != nil {
			if v, ok := longs(op, t, a, b); ok {
				return v, nil
			}
		}
		return e.floats(op, t, a.float, b.float)
	}
	bits, err := wholes(op, t, a.bits, b.bits)
	return Value{typ: t, bits: cut(bits, t), hex: hex}, err
}

func (e *evaluator) floats(op string, t *typ, a, b float64) (Value, error) {
	v := Value{typ: t}
	switch op {
	case "+":
		v.float = a + b
	case "-":
		v.float = a - b
	case "*":
		v.float = a * b
	case "/":
		v.float = a / b
	default:
		return Value{}, fmt.Errorf("%s cannot be applied to a %s", op, t)
	}
	return v.convert(t), nil
}

var errZero = errors.New("division by zero")

// wholes applies an operator to two integers.
func wholes(op string, t *typ, a, b uint64) (uint64, error) {
	switch op {
	case "+":
		return a + b, nil
	case "-":
		return a - b, nil
	case "*":
		return a * b, nil
	case "&":
		return a & b, nil
	case "|":
		return a | b, nil
	case "^":
		return a ^ b, nil
	}
	if b == 0 {
		return 0, errZero
	}
	return divide(op == "%", t, a, b), nil
}

// divide divides by a number that is not zero. The one quotient that does not
// fit wraps around.
func divide(rest bool, t *typ, a, b uint64) uint64 {
	switch {
	case t.class == signed && int64(a) == math.MinInt64 && int64(b) == -1:
		if rest {
			return 0
		}
		return a
	case t.class == signed && rest:
		return uint64(int64(a) % int64(b))
	case t.class == signed:
		return uint64(int64(a) / int64(b))
	case rest:
		return a % b
	}
	return a / b
}

// shift shifts by any number of bits. The result has the type of the left
// operand.
func (e *evaluator) shift(op string, a, b Value) (Value, error) {
	if !a.typ.isWhole() || !b.typ.isWhole() {
		return Value{}, fmt.Errorf("%s needs whole numbers", op)
	}
	if b.typ.class == signed && int64(b.bits) < 0 {
		return Value{}, fmt.Errorf("a shift by %d bits", int64(b.bits))
	}
	v := a.convert(e.promoted(a.typ))
	v.hex = a.hex
	switch {
	case op == "<<":
		v.bits <<= b.bits
	case v.typ.class == signed:
		v.bits = uint64(int64(v.bits) >> b.bits)
	default:
		v.bits >>= b.bits
	}
	v.bits = cut(v.bits, v.typ)
	return v, nil
}

// pointerArith applies an operator to two operands of which at least one is a
// pointer.
func (e *evaluator) pointerArith(op string, a, b Value) (Value, error) {
	if compare := comparisons[op]; compare != nil && a.typ.class != floating && b.typ.class != floating {
		return e.truth(compare(order(a.bits, b.bits))), nil
	}
	switch {
	case op == "-" && a.typ.class == pointer && b.typ.class == pointer:
		distance := int64(a.bits-b.bits) / a.typ.elem().width()
		return Value{typ: computed(signed, 8, e.lang), bits: uint64(distance)}, nil
	case op == "+" && a.typ.isWhole():
		a, b = b, a
		fallthrough
	case (op == "+" || op == "-") && b.typ.isWhole():
		step := b.bits * uint64(a.typ.elem().width())
		if op == "-" {
			step = -step
		}
		return Value{typ: a.typ, bits: a.bits + step}, nil
	}
	return Value{}, fmt.Errorf("%s cannot be applied to a %s and a %s", op, a.Type(), b.Type())
}

// eval evaluates one side only and keeps its type; the common type of both is
// not computed, as the other side may have no value.
func (n *conditionalNode) eval(e *evaluator) (Value, error) {
	if e.checking {
		_, errA := n.condition.eval(e)
		yes, errB := n.yes.eval(e)
		_, errC := n.no.eval(e)
		return yes, errors.Join(errA, errB, errC)
	}
	condition, err := n.condition.eval(e)
	if err != nil {
		return Value{}, err
	}
	holds, err := condition.Bool()
	switch {
	case err != nil:
		return Value{}, err
	case holds:
		return n.yes.eval(e)
	}
	return n.no.eval(e)
}
