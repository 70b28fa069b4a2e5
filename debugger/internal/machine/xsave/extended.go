package xsave

import (
	"encoding/binary"
	"math"
	"math/big"
)

// Extended is a number of the x87 unit: 64 bits of significand, 15 of exponent
// and the sign (Intel SDM volume 1, 4.2.2).
type Extended [10]byte

const (
	exponentBias = 16383
	exponentMost = 1<<15 - 1
	integerBit   = 1 << 63 // the significand has the bit before the point, too
)

func (e Extended) parts() (negative bool, exponent int, significand uint64) {
	high := binary.LittleEndian.Uint16(e[8:])
	return high>>15 != 0, int(high & exponentMost), binary.LittleEndian.Uint64(e[:])
}

// Float returns the nearest float64. It returns a NaN for what is no number, and
// for encodings that the processor rejects.
func (e Extended) Float() float64 {
	if f := e.finite(); f != nil {
		v, _ := f.Float64()
		return v
	}
	negative, _, significand := e.parts()
	if significand == integerBit {
		sign := 1
		if negative {
			sign = -1
		}
		return math.Inf(sign)
	}
	return math.NaN()
}

// String formats the number with the 18 decimal digits that it can hold, and what
// is no finite number as inf, -inf or nan.
func (e Extended) String() string {
	if f := e.finite(); f != nil {
		return f.Text('g', 18)
	}
	switch f := e.Float(); {
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	}
	return "nan"
}

// finite returns the exact value, nil if it is no finite number.
func (e Extended) finite() *big.Float {
	negative, exponent, significand := e.parts()
	if exponent == exponentMost || exponent != 0 && significand&integerBit == 0 {
		return nil
	}
	f := new(big.Float).SetPrec(64).SetUint64(significand)
	f.SetMantExp(f, max(exponent, 1)-exponentBias-63)
	if negative {
		f.Neg(f)
	}
	return f
}

// tag classifies the number as the tag word does.
func (e Extended) tag() uint16 {
	_, exponent, significand := e.parts()
	switch {
	case exponent == 0 && significand == 0:
		return 1
	case exponent == 0 || exponent == exponentMost || significand&integerBit == 0:
		return 2
	}
	return 0
}
