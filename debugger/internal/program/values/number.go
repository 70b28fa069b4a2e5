package values

import (
	"errors"
	"fmt"
	"math"
)

// Uint reads a number of up to eight bytes: integers, pointers, characters,
// booleans and enumerations, zero-extended.
func (o Object) Uint() (uint64, error) {
	if o.bits.size > 0 {
		return o.bitField()
	}
	size := o.Size()
	if size <= 0 || size > 8 {
		return 0, fmt.Errorf("%s is no number of up to 8 bytes", o.Type)
	}
	var p [8]byte
	err := o.read(0, p[:size])
	return word(p[:]), err
}

// Int is like Uint, but sign-extends.
func (o Object) Int() (int64, error) {
	v, err := o.Uint()
	size := o.Size() * 8
	if o.bits.size > 0 {
		size = o.bits.size
	}
	shift := 64 - min(max(size, 1), 64)
	return int64(v<<shift) >> shift, err
}

func (o Object) bitField() (uint64, error) {
	first, last := o.bits.start/8, (o.bits.start+o.bits.size+7)/8
	if o.bits.size > 64 || first < 0 || last-first > 9 {
		return 0, errors.New("bit-field is too wide")
	}
	var p [16]byte
	if err := o.read(uint64(first), p[:last-first]); err != nil {
		return 0, err
	}
	shift := uint(o.bits.start % 8)
	v := word(p[:])>>shift | word(p[8:])<<(64-shift)
	if o.bits.size < 64 {
		v &= 1<<o.bits.size - 1
	}
	return v, nil
}

func word(p []byte) uint64 {
	var v uint64
	for i := range 8 {
		v |= uint64(p[i]) << (8 * i)
	}
	return v
}

// Float reads a floating-point number of four, eight or sixteen bytes, rounded to
// float64.
func (o Object) Float() (float64, error) {
	b, err := o.Bytes()
	if err != nil {
		return 0, err
	}
	if len(b) == 16 {
		return longFloat(b, LongPrecision(o.Type))
	}
	return floatOf(b)
}

func floatOf(b []byte) (float64, error) {
	switch len(b) {
	case 4:
		return float64(math.Float32frombits(uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24)), nil
	case 8:
		return math.Float64frombits(word(b)), nil
	}
	return longFloat(b, extendedPrecision)
}

// extended converts an x87 number: a sign, a 15-bit exponent and a mantissa with
// an explicit leading bit.
func extended(mantissa uint64, head uint16) float64 {
	exp := int(head&0x7fff) - 16383 - 63
	f := math.Ldexp(float64(mantissa), exp)
	if head&0x7fff == 0x7fff {
		f = math.Inf(1)
		if mantissa<<1 != 0 {
			f = math.NaN()
		}
	}
	if head&0x8000 != 0 {
		return -f
	}
	return f
}
