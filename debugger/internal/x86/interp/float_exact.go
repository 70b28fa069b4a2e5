package interp

import "math"

// Floating point is done here where the result is beyond doubt: MXCSR asks for
// rounding to nearest and masks the exception of inexact results, and operands
// and result are ordinary numbers. Everything else (infinities, not-a-numbers,
// denormal numbers, overflow, underflow) is the processor's, and with that all
// other exceptions, and what MXCSR says of denormal numbers.
//
// The only remaining flag is the one for an inexact result. It is sticky: once
// it is set it need not be computed. Until then the error of the result is
// computed, which is exact for these operations (Dekker; see Muller and others,
// Handbook of Floating-Point Arithmetic, chapter 4), if neither number is very
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

// ordinaryControl reports whether MXCSR is one that floating point is done with.
func ordinaryControl(mxcsr uint32) bool { return mxcsr&(inexactMask|roundingBits) == inexactMask }

// inexact notes whether a result was rounded.
func (o *operation) inexact(is bool) {
	if is {
		o.mxcsr |= inexactFlag
	}
}

// known reports whether the flag for inexact results is set already.
func (o *operation) known() bool { return o.mxcsr&inexactFlag != 0 }

const (
	smallestDouble = 0x1p-1022 // of normal numbers
	smallestSingle = 0x1p-126
	roomyDouble    = 0x1p-900 // from here up errors are normal numbers, too
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

func roomy(v float64) bool { return math.Abs(v) >= roomyDouble && math.Abs(v) < 1/roomyDouble }

// addError returns what rounding has taken from r = a + b.
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

// sqrtDouble has one operand, the last.
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

// fusedDouble is a*b + c, rounded once. Its error is not looked for.
func fusedDouble(o *operation, a, b, c float64) (float64, bool) {
	r := math.FMA(a, b, c)
	if !o.known() || !ordinary(a) || !ordinary(b) || !ordinary(c) {
		return 0, false
	}
	vanishes := r == 0 && (a == 0 || b == 0 || roomy(c))
	return r, normal(r) || vanishes
}
