package values

import (
	"fmt"
	"math"
	"math/big"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/program/types"
)

// Bits of the mantissas of the floating-point numbers that have 16 bytes of memory.
const (
	extendedPrecision  = 64  // long double, of the x87
	quadruplePrecision = 113 // _Float128 (IEEE 754 binary128)
)

// LongPrecision returns the bits of the mantissa of a floating-point type of 16 bytes.
func LongPrecision(t *types.Type) uint {
	switch strings.TrimPrefix(t.Strip().Name(), "__") {
	case "_Float128", "float128", "f128":
		return quadruplePrecision
	}
	return extendedPrecision
}

// Long reads a floating-point number of 16 bytes, whose mantissa has so many bits. It is
// nil if the number is infinite or is none (NaN), or if the object has another size.
func (o Object) Long(precision uint) (*big.Float, error) {
	b, err := o.Bytes()
	if err != nil || len(b) != 16 {
		return nil, err
	}
	if precision == quadruplePrecision {
		return quadruple(word(b), word(b[8:])), nil
	}
	return extendedLong(word(b), uint16(b[8])|uint16(b[9])<<8), nil
}

// extendedLong converts a finite x87 number, as extended does.
func extendedLong(mantissa uint64, head uint16) *big.Float {
	if head&0x7fff == 0x7fff {
		return nil
	}
	f := new(big.Float).SetPrec(extendedPrecision).SetUint64(mantissa)
	f.SetMantExp(f, int(max(head&0x7fff, 1))-16383-63)
	if head&0x8000 != 0 {
		f.Neg(f)
	}
	return f
}

// quadruple converts a finite number of IEEE 754 binary128: a sign, a 15-bit exponent
// and a mantissa of 112 bits behind a leading bit that is not stored.
func quadruple(low, high uint64) *big.Float {
	exponent := int(high >> 48 & 0x7fff)
	if exponent == 0x7fff {
		return nil
	}
	top := high & (1<<48 - 1)
	if exponent != 0 {
		top |= 1 << 48
	}
	n := new(big.Int).SetUint64(top)
	n.Lsh(n, 64).Or(n, new(big.Int).SetUint64(low))
	f := new(big.Float).SetPrec(quadruplePrecision).SetInt(n)
	f.SetMantExp(f, max(exponent, 1)-16383-112)
	if high>>63 != 0 {
		f.Neg(f)
	}
	return f
}

// LongText returns the shortest decimal that parses to the same number.
func LongText(f *big.Float) string { return f.Text('g', -1) }

// longText is LongText of what may be nil.
func longText(f *big.Float) string {
	if f == nil {
		return ""
	}
	return LongText(f)
}

// longFloat rounds a number of 16 bytes to float64.
func longFloat(b []byte, precision uint) (float64, error) {
	if len(b) != 16 {
		return 0, fmt.Errorf("floating-point number of %d bytes", len(b))
	}
	if precision == extendedPrecision {
		return extended(word(b), uint16(b[8])|uint16(b[9])<<8), nil
	}
	low, high := word(b), word(b[8:])
	if f := quadruple(low, high); f != nil {
		v, _ := f.Float64()
		return v, nil
	}
	if low|high<<16 != 0 {
		return math.NaN(), nil
	}
	return math.Copysign(math.Inf(1), float64(int64(high))), nil
}
