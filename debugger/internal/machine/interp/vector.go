package interp

import "math/bits"

// A Vector is a 512-bit vector register in little-endian quadwords: the low 128
// bits are its xmm part, the low 256 bits its ymm part.
type Vector [8]uint64

// Vectors holds the vector registers, the mask registers, and the registers that
// control floating-point operations and report their exceptions.
type Vectors struct {
	Reg     [32]Vector
	Mask    [8]uint64
	MXCSR   uint32
	Control uint16 // x87 control word
}

// vectorBytes is the size of a Vector in bytes.
const vectorBytes = 64

// A lane is an element of a vector.
type lane interface {
	uint8 | uint16 | uint32 | uint64 | int8 | int16 | int32 | int64
}

// width returns the number of bits of a lane. It compiles to a constant.
func width[T lane]() int {
	w8, w16, w32 := 8, 16, 32
	switch one := T(1); {
	case one<<w8 == 0:
		return w8
	case one<<w16 == 0:
		return w16
	case one<<w32 == 0:
		return w32
	}
	return 64
}

// at returns lane i.
func at[T lane](v *Vector, i int) T {
	n := i * width[T]()
	return T(v[n>>6&7] >> (n & 63))
}

// put replaces lane i.
func put[T lane](v *Vector, i int, value T) {
	w := width[T]()
	n := i * w
	word, mask := &v[n>>6&7], ^uint64(0)>>(64-w)
	*word = *word&^(mask<<(n&63)) | uint64(value)&mask<<(n&63)
}

// keep clears all but the first n bytes.
func (v *Vector) keep(n int) {
	for i := range v {
		switch rest := n - 8*i; {
		case rest <= 0:
			v[i] = 0
		case rest < 8:
			v[i] &= mask(uint8(rest))
		}
	}
}

// merge copies those bytes of w to v for which which has a bit, the lowest bit
// for the first byte.
func (v *Vector) merge(w *Vector, which uint64) {
	for i := range v {
		m := spreadBits(uint8(which >> (8 * i)))
		v[i] = v[i]&^m | w[i]&m
	}
}

// spreadBits turns each bit of b into a byte of ones or zeros.
func spreadBits(b uint8) uint64 {
	r := uint64(0)
	for ; b != 0; b &= b - 1 {
		r |= 0xff << (8 * bits.TrailingZeros8(b))
	}
	return r
}

// spreadLanes turns each of the lowest 64/n bits into n equal bits, which
// converts a mask of lanes into a mask of bytes.
func spreadLanes(lanes uint64, n int) uint64 {
	if n <= 1 {
		return lanes
	}
	r := uint64(0)
	ones := uint64(1)<<n - 1
	for i := 0; i*n < vectorBytes; i++ {
		r |= (lanes >> i & 1 * ones) << (i * n)
	}
	return r
}

// lowBits returns a mask of the n lowest bits.
func lowBits(n int) uint64 {
	if n >= 64 {
		return ^uint64(0)
	}
	return 1<<n - 1
}
