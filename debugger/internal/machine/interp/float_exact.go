package interp

import "math"

// Floating-point operations are executed here only if their result is certain:
// MXCSR rounds to nearest and masks the exception for inexact results, and
// operands and result are ordinary numbers. Infinities, NaNs, denormal numbers,
// overflow and underflow are left to the processor, and with them all other
// exceptions and the denormal modes of MXCSR.
//
// The only remaining flag is the one for an inexact result. It is sticky: once it
// is set, it need not be computed. Until then the rounding error of the result is
// computed. That is exact for these operations (Dekker; see Muller et al.,
// Handbook of Floating-Point Arithmetic, chapter 4) unless a number is very
// small.

// Bits of MXCSR.
const (
	invalidFlag    = 1 << 0
	invalidMask    = 1 << 7
	inexactFlag    = 1 << 5
	inexactMask    = 1 << 12
	roundingBits   = 3 << 13
	mxcsrSupported = 0xffff
)

// ordinaryControl reports whether MXCSR permits executing floating-point
// operations here.
func ordinaryControl(mxcsr uint32) bool { return mxcsr&(inexactMask|roundingBits) == inexactMask }

// inexact records that a result was rounded.
func (o *operation) inexact(is bool) {
	if is {
		o.mxcsr |= inexactFlag
	}
}

// known reports whether the flag for inexact results is already set.
func (o *operation) known() bool { return o.mxcsr&inexactFlag != 0 }

const (
	smallestDouble = 0x1p-1022 // the smallest normal number
	smallestSingle = 0x1p-126
	roomyDouble    = 0x1p-900 // from here on rounding errors are normal numbers, too
)

// ordinary reports whether a number is zero or normal.
func ordinary(v float64) bool {
	e := math.Float64bits(v) >> 52 & 0x7ff
	return v == 0 || e != 0 && e != 0x7ff
}

// comparable64 reports whether a number is ordinary or infinite.
func comparable64(v float64) bool { return ordinary(v) || math.IsInf(v, 0) }

// normal reports whether a result is a normal number and was one before it was
// rounded.
func normal(v float64) bool {
	a := math.Abs(v)
	return a > smallestDouble && a <= math.MaxFloat64
}

// roomy reports whether the rounding error of an operation with result v is a
// normal number.
func roomy(v float64) bool { return math.Abs(v) >= roomyDouble && math.Abs(v) < 1/roomyDouble }

// addError returns the rounding error of r = a + b.
func addError(a, b, r float64) float64 {
	t := r - a
	return (a - (r - t)) + (b - t)
}

func addDouble(o *operation, a, b float64) (float64, bool) {
	r := a + b
	if !ordinary(a) || !ordinary(b) || r != 0 && !normal(r) {
		return 0, false
	}
	if o.known() {
		return r, true
	}
	if math.Abs(a) >= 0x1p1000 || math.Abs(b) >= 0x1p1000 {
		return 0, false
	}
	o.inexact(addError(a, b, r) != 0)
	return r, true
}

func subDouble(o *operation, a, b float64) (float64, bool) { return addDouble(o, a, -b) }

func mulDouble(o *operation, a, b float64) (float64, bool) {
	r := a * b
	switch {
	case !ordinary(a) || !ordinary(b):
		return 0, false
	case a == 0 || b == 0:
		return r, true
	case !normal(r) || !o.known() && !roomy(r):
		return 0, false
	}
	if !o.known() {
		o.inexact(math.FMA(a, b, -r) != 0)
	}
	return r, true
}

func divDouble(o *operation, a, b float64) (float64, bool) {
	r := a / b
	switch {
	case !ordinary(a) || !ordinary(b) || b == 0:
		return 0, false
	case a == 0:
		return r, true
	case !normal(r) || !o.known() && (!roomy(r) || !roomy(a) || !roomy(b)):
		return 0, false
	}
	if !o.known() {
		o.inexact(math.FMA(r, b, -a) != 0)
	}
	return r, true
}

// sqrtDouble has one operand, the last; the other is ignored.
func sqrtDouble(o *operation, _, b float64) (float64, bool) {
	r := math.Sqrt(b)
	switch {
	case !ordinary(b) || b < 0:
		return 0, false
	case b == 0:
		return b, true
	case !o.known() && !roomy(b):
		return 0, false
	}
	if !o.known() {
		o.inexact(math.FMA(r, r, -b) != 0)
	}
	return r, true
}

// fusedDouble returns a*b + c, rounded once. Its rounding error is not computed.
func fusedDouble(o *operation, a, b, c float64) (float64, bool) {
	r := math.FMA(a, b, c)
	if !o.known() || !ordinary(a) || !ordinary(b) || !ordinary(c) {
		return 0, false
	}
	vanishes := r == 0 && (a == 0 || b == 0 || roomy(c))
	return r, normal(r) || vanishes
}
