package interp

import "math"

// The rounding error of single-precision operations is computed in double
// precision, which has more than twice as many bits.

// ordinarySingle reports whether a number is zero or normal.
func ordinarySingle(v float32) bool {
	e := math.Float32bits(v) >> 23 & 0xff
	return v == 0 || e != 0 && e != 0xff
}

// normalSingle reports whether a result is a normal number and was one before it
// was rounded.
func normalSingle(v float32) bool {
	a := math.Abs(float64(v))
	return a > smallestSingle && a <= math.MaxFloat32
}

// roundedSingle records whether r, the single-precision result, was rounded. The
// exact result is exact plus rest, where rest is the error of exact itself.
func (o *operation) roundedSingle(r float32, exact, rest float64) (float32, bool) {
	if r == 0 && exact == 0 && rest == 0 {
		return r, true
	}
	o.inexact(float64(r) != exact || rest != 0)
	return r, normalSingle(r)
}

func addSingle(o *operation, a, b float32) (float32, bool) {
	if !ordinarySingle(a) || !ordinarySingle(b) {
		return 0, false
	}
	x, y := float64(a), float64(b)
	return o.roundedSingle(a+b, x+y, addError(x, y, x+y))
}

func subSingle(o *operation, a, b float32) (float32, bool) { return addSingle(o, a, -b) }

func mulSingle(o *operation, a, b float32) (float32, bool) {
	if !ordinarySingle(a) || !ordinarySingle(b) {
		return 0, false
	}
	return o.roundedSingle(a*b, float64(float64(a)*float64(b)), 0)
}

func divSingle(o *operation, a, b float32) (float32, bool) {
	if !ordinarySingle(a) || !ordinarySingle(b) || b == 0 {
		return 0, false
	}
	r := a / b
	if a == 0 {
		return r, true
	}
	o.inexact(float64(float64(r)*float64(b)) != float64(a))
	return r, normalSingle(r)
}

// sqrtSingle has one operand, the last; the other is ignored.
func sqrtSingle(o *operation, _, b float32) (float32, bool) {
	if !ordinarySingle(b) || b < 0 {
		return 0, false
	}
	r := float32(math.Sqrt(float64(b)))
	o.inexact(float64(float64(r)*float64(r)) != float64(b))
	return r, true
}

// fusedSingle returns a*b + c, rounded once. The product is exact in double
// precision, and the sum is rounded to odd, so that rounding it again is
// harmless.
func fusedSingle(o *operation, a, b, c float32) (float32, bool) {
	if !ordinarySingle(a) || !ordinarySingle(b) || !ordinarySingle(c) {
		return 0, false
	}
	product := float64(float64(a) * float64(b))
	exact := product + float64(c)
	rest := addError(product, float64(c), exact)
	return o.roundedSingle(float32(toOdd(exact, rest)), exact, rest)
}

// toOdd rounds to odd: if a number was rounded, it sets the last bit, in the
// direction of rest.
func toOdd(v, rest float64) float64 {
	bits := math.Float64bits(v)
	if rest == 0 || bits&1 != 0 {
		return v
	}
	if rest > 0 == (v > 0) {
		return math.Float64frombits(bits + 1)
	}
	return math.Float64frombits(bits - 1)
}
