package location

import (
	"errors"
	"math"
)

// A Class is the interpretation of a base type's bits.
type Class uint8

// Classes of types. Generic is the untyped address-sized number of DWARF 4.
const (
	Generic Class = iota
	Signed
	Unsigned
	Float
)

// A Type is a base type of an expression.
type Type struct {
	Class Class
	Size  int // bytes; 8 for Generic
}

var (
	generic   = Type{Generic, 8}
	errType   = errors.New("location expression uses a type of no supported size")
	errDivide = errors.New("location expression divides by zero")
)

func (t Type) check() error {
	ok := t.Size >= 1 && t.Size <= 8
	if t.Class == Float {
		ok = t.Size == 4 || t.Size == 8
	}
	if !ok {
		return errType
	}
	return nil
}

// A number is an entry of the stack. Its bits are truncated to its type's size
// and sign-extended where the type is signed.
type number struct {
	bits uint64
	typ  Type
}

func plain(v uint64) number { return number{v, generic} }

// cut truncates and extends bits as a number of the type requires.
func (t Type) cut(v uint64) number {
	if t.Size < 8 && t.Class != Generic {
		shift := 64 - 8*t.Size
		v <<= shift
		if t.Class == Signed {
			v = uint64(int64(v) >> shift)
		} else {
			v >>= shift
		}
	}
	return number{v, t}
}

func (n number) float() float64 {
	switch {
	case n.typ.Class == Float && n.typ.Size == 4:
		return float64(math.Float32frombits(uint32(n.bits)))
	case n.typ.Class == Float:
		return math.Float64frombits(n.bits)
	case n.typ.Class == Signed:
		return float64(int64(n.bits))
	}
	return float64(n.bits)
}

func (t Type) fromFloat(f float64) number {
	switch {
	case t.Class == Float && t.Size == 4:
		return number{uint64(math.Float32bits(float32(f))), t}
	case t.Class == Float:
		return number{math.Float64bits(f), t}
	}
	return t.cut(uint64(int64(f)))
}

// convert changes the type and keeps the number.
func (n number) convert(t Type) number {
	if n.typ.Class == Float || t.Class == Float {
		return t.fromFloat(n.float())
	}
	return t.cut(n.bits)
}

// reinterpret changes the type and keeps the bits.
func (n number) reinterpret(t Type) number { return t.cut(n.bits) }

func truth(b bool) number {
	if b {
		return plain(1)
	}
	return plain(0)
}

// compare returns -1, 0 or 1. Untyped numbers compare as signed ones (DWARF 5
// section 2.5.1.5).
func compare(a, b number) int {
	less := int64(a.bits) < int64(b.bits)
	switch a.typ.Class {
	case Float:
		less = a.float() < b.float()
		if a.float() == b.float() {
			return 0
		}
	case Unsigned:
		less = a.bits < b.bits
	}
	switch {
	case a.bits == b.bits:
		return 0
	case less:
		return -1
	}
	return 1
}

// binaryOps are the operations on two numbers that give a third of the same type.
var binaryOps = [256]func(a, b number) (uint64, error){
	opAnd:   func(a, b number) (uint64, error) { return a.bits & b.bits, nil },
	opOr:    func(a, b number) (uint64, error) { return a.bits | b.bits, nil },
	opXor:   func(a, b number) (uint64, error) { return a.bits ^ b.bits, nil },
	opMinus: func(a, b number) (uint64, error) { return a.bits - b.bits, nil },
	opPlus:  func(a, b number) (uint64, error) { return a.bits + b.bits, nil },
	opMul:   func(a, b number) (uint64, error) { return a.bits * b.bits, nil },
	opShl:   func(a, b number) (uint64, error) { return a.bits << b.bits, nil },
	opShr:   shiftRight,
	opShra:  func(a, b number) (uint64, error) { return uint64(int64(a.bits) >> min(b.bits, 63)), nil },
	opDiv:   divide,
	opMod:   modulo,
}

// shiftRight fills with zeroes, so an extended sign must be removed first.
func shiftRight(a, b number) (uint64, error) {
	return Type{Unsigned, a.typ.Size}.cut(a.bits).bits >> b.bits, nil
}

func divide(a, b number) (uint64, error) {
	switch {
	case b.bits == 0:
		return 0, errDivide
	case a.typ.Class == Unsigned:
		return a.bits / b.bits, nil
	case int64(b.bits) == -1: // the smallest number has no opposite
		return -a.bits, nil
	}
	return uint64(int64(a.bits) / int64(b.bits)), nil
}

func modulo(a, b number) (uint64, error) {
	switch {
	case b.bits == 0:
		return 0, errDivide
	case a.typ.Class == Signed && int64(b.bits) == -1:
		return 0, nil
	case a.typ.Class == Signed:
		return uint64(int64(a.bits) % int64(b.bits)), nil
	}
	return a.bits % b.bits, nil
}

// floatOps are the operations that floating-point numbers have.
var floatOps = [256]func(a, b float64) float64{
	opMinus: func(a, b float64) float64 { return a - b },
	opPlus:  func(a, b float64) float64 { return a + b },
	opMul:   func(a, b float64) float64 { return a * b },
	opDiv:   func(a, b float64) float64 { return a / b },
}

// combine applies a binary operation.
func combine(op byte, a, b number) (number, error) {
	if a.typ.Class == Float {
		f := floatOps[op]
		if f == nil || b.typ.Class != Float {
			return number{}, errType
		}
		return a.typ.fromFloat(f(a.float(), b.float())), nil
	}
	v, err := binaryOps[op](a, b)
	if err != nil {
		return number{}, err
	}
	return a.typ.cut(v), nil
}

// relations are the comparisons.
var relations = [256]func(order int) bool{
	opEq: func(o int) bool { return o == 0 },
	opNe: func(o int) bool { return o != 0 },
	opGe: func(o int) bool { return o >= 0 },
	opGt: func(o int) bool { return o > 0 },
	opLe: func(o int) bool { return o <= 0 },
	opLt: func(o int) bool { return o < 0 },
}
