package expr

import (
	"math"
	"math/big"
)

// Bits of the mantissas of long double and _Float128.
const (
	longPrecision = 64
	quadPrecision = 113
)

// precision returns the bits of the mantissa of a floating-point type of 16 bytes.
func (t *typ) precision() uint {
	if t.quad {
		return quadPrecision
	}
	return longPrecision
}

// maxLongExponent is the exponent that no finite number of 16 bytes has, as big.Float
// counts.
const maxLongExponent = 16385

// longs applies an operator to two finite numbers of a type of 16 bytes, rounded as the
// processor does. ok is false if the result is not finite, or for other operators.
func longs(op string, t *typ, a, b Value) (v Value, ok bool) {
	z := new(big.Float).SetPrec(t.precision())
	switch op {
	case "+":
		z.Add(a.long, b.long)
	case "-":
		z.Sub(a.long, b.long)
	case "*":
		z.Mul(a.long, b.long)
	case "/":
		if b.long.Sign() == 0 {
			return v, false
		}
		z.Quo(a.long, b.long)
	default:
		return v, false
	}
	f, _ := z.Float64()
	if z.MantExp(nil) >= maxLongExponent {
		return Value{typ: t, float: math.Copysign(math.Inf(1), f)}, true
	}
	return Value{typ: t, float: f, long: z}, true
}

// toLong converts a number to a type of 16 bytes; nil if it is not finite.
func (v Value) toLong(to *typ) *big.Float {
	f := new(big.Float).SetPrec(to.precision())
	switch {
	case v.long != nil:
		return f.Set(v.long)
	case v.typ.class == signed:
		return f.SetInt64(int64(v.bits))
	case v.typ.class != floating:
		return f.SetUint64(v.bits)
	case math.IsNaN(v.float) || math.IsInf(v.float, 0):
		return nil
	}
	return f.SetFloat64(v.float)
}

// wholeLong truncates to an integer, as whole does.
func (v Value) wholeLong(c class) uint64 {
	if c == signed || v.long.Sign() < 0 {
		n, _ := v.long.Int64()
		return uint64(n)
	}
	n, _ := v.long.Uint64()
	return n
}
