package interp

// integerOps returns the arithmetic and comparisons of integers.
func integerOps() map[string]vectorOp {
	return map[string]vectorOp{
		"paddb": {run: each(sum[uint8]), lane: 1}, "paddw": {run: each(sum[uint16]), lane: 2},
		"paddd": {run: each(sum[uint32]), lane: 4}, "paddq": {run: words(sum[uint64]), lane: 8},
		"psubb": {run: each(difference[uint8]), lane: 1}, "psubw": {run: each(difference[uint16]), lane: 2},
		"psubd": {run: each(difference[uint32]), lane: 4}, "psubq": {run: words(difference[uint64]), lane: 8},

		"paddsb": {run: each(saturated(sum[int64], signed8)), lane: 1}, "paddsw": {run: each(saturated(sum[int64], signed16)), lane: 2},
		"psubsb": {run: each(saturated(difference[int64], signed8)), lane: 1}, "psubsw": {run: each(saturated(difference[int64], signed16)), lane: 2},
		"paddusb": {run: each(saturated(sum[int64], unsigned8)), lane: 1}, "paddusw": {run: each(saturated(sum[int64], unsigned16)), lane: 2},
		"psubusb": {run: each(saturated(difference[int64], unsigned8)), lane: 1}, "psubusw": {run: each(saturated(difference[int64], unsigned16)), lane: 2},

		"pmullw": {run: each(product[uint16]), lane: 2}, "pmulld": {run: each(product[uint32]), lane: 4, sse: sse41},
		"pmullq":  {run: each(product[uint64]), lane: 8, evex: avx512dq},
		"pmulhw":  {run: each(func(a, b int16) int16 { return int16(int32(a) * int32(b) >> 16) }), lane: 2},
		"pmulhuw": {run: each(func(a, b uint16) uint16 { return uint16(uint32(a) * uint32(b) >> 16) }), lane: 2},
		"pmulhrsw": {
			run:  each(func(a, b int16) int16 { return int16((int32(a)*int32(b)>>14 + 1) >> 1) }),
			lane: 2, sse: ssse3,
		},
		"pmuludq": {run: words(func(a, b uint64) uint64 { return a & 0xffffffff * (b & 0xffffffff) }), lane: 8},
		"pmuldq":  {run: words(func(a, b uint64) uint64 { return uint64(int64(int32(a)) * int64(int32(b))) }), lane: 8, sse: sse41},
		"pmaddwd": {run: each(multiplyAddWords), lane: 4, kinds: anyW, evex: avx512bw},
		"pmaddubsw": {
			run:  each(multiplyAddBytes),
			lane: 2, sse: ssse3,
		},
		"psadbw": {run: words(sumOfDifferences), lane: 1, kinds: allLanes},

		"pavgb": {run: each(func(a, b uint8) uint8 { return uint8((uint(a) + uint(b) + 1) >> 1) }), lane: 1},
		"pavgw": {run: each(func(a, b uint16) uint16 { return uint16((uint(a) + uint(b) + 1) >> 1) }), lane: 2},

		"pminub": {run: each(least[uint8]), lane: 1}, "pminsw": {run: each(least[int16]), lane: 2},
		"pminsb": {run: each(least[int8]), lane: 1, sse: sse41}, "pminuw": {run: each(least[uint16]), lane: 2, sse: sse41},
		"pminud": {run: each(least[uint32]), lane: 4, sse: sse41}, "pminsd": {run: each(least[int32]), lane: 4, sse: sse41},
		"pminuq": {run: each(least[uint64]), lane: 8}, "pminsq": {run: each(least[int64]), lane: 8},
		"pmaxub": {run: each(most[uint8]), lane: 1}, "pmaxsw": {run: each(most[int16]), lane: 2},
		"pmaxsb": {run: each(most[int8]), lane: 1, sse: sse41}, "pmaxuw": {run: each(most[uint16]), lane: 2, sse: sse41},
		"pmaxud": {run: each(most[uint32]), lane: 4, sse: sse41}, "pmaxsd": {run: each(most[int32]), lane: 4, sse: sse41},
		"pmaxuq": {run: each(most[uint64]), lane: 8}, "pmaxsq": {run: each(most[int64]), lane: 8},

		"pabsb": {run: eachOne(absolute[int8]), lane: 1, sse: ssse3}, "pabsw": {run: eachOne(absolute[int16]), lane: 2, sse: ssse3},
		"pabsd": {run: eachOne(absolute[int32]), lane: 4, sse: ssse3}, "pabsq": {run: eachOne(absolute[int64]), lane: 8},
		"psignb": {run: each(signed[int8]), lane: 1, sse: ssse3}, "psignw": {run: each(signed[int16]), lane: 2, sse: ssse3},
		"psignd": {run: each(signed[int32]), lane: 4, sse: ssse3},

		"phaddw": {run: parts(across(sum[int16])), lane: 2, sse: ssse3}, "phaddd": {run: parts(across(sum[int32])), lane: 4, sse: ssse3},
		"phsubw": {run: parts(across(difference[int16])), lane: 2, sse: ssse3}, "phsubd": {run: parts(across(difference[int32])), lane: 4, sse: ssse3},

		"pcmpeqb": {run: comparing(equal[uint8]), lane: 1}, "pcmpeqw": {run: comparing(equal[uint16]), lane: 2},
		"pcmpeqd": {run: comparing(equal[uint32]), lane: 4}, "pcmpeqq": {run: comparing(equal[uint64]), lane: 8, sse: sse41},
		"pcmpgtb": {run: comparing(greater[int8]), lane: 1}, "pcmpgtw": {run: comparing(greater[int16]), lane: 2},
		"pcmpgtd": {run: comparing(greater[int32]), lane: 4}, "pcmpgtq": {run: comparing(greater[int64]), lane: 8, sse: sse42},

		"pcmpb": {run: comparingBy[int8](), lane: 1}, "pcmpub": {run: comparingBy[uint8](), lane: 1},
		"pcmpw": {run: comparingBy[int16](), lane: 2}, "pcmpuw": {run: comparingBy[uint16](), lane: 2},
		"pcmpd": {run: comparingBy[int32](), lane: 4}, "pcmpud": {run: comparingBy[uint32](), lane: 4},
		"pcmpq": {run: comparingBy[int64](), lane: 8}, "pcmpuq": {run: comparingBy[uint64](), lane: 8},
	}
}

func sum[T lane](a, b T) T        { return a + b }
func difference[T lane](a, b T) T { return a - b }
func product[T lane](a, b T) T    { return a * b }
func least[T lane](a, b T) T      { return min(a, b) }
func most[T lane](a, b T) T       { return max(a, b) }
func equal[T lane](a, b T) bool   { return a == b }
func greater[T lane](a, b T) bool { return a > b }

func absolute[T int8 | int16 | int32 | int64](b T) T {
	if b < 0 {
		return -b
	}
	return b
}

// signed returns a with the sign of b applied: a, -a, or 0 for 0.
func signed[T int8 | int16 | int32](a, b T) T {
	switch {
	case b < 0:
		return -a
	case b == 0:
		return 0
	}
	return a
}

// These functions saturate: they limit a number to the range of a lane.
func signed8(v int64) int8      { return int8(max(-1<<7, min(v, 1<<7-1))) }
func signed16(v int64) int16    { return int16(max(-1<<15, min(v, 1<<15-1))) }
func unsigned8(v int64) uint8   { return uint8(max(0, min(v, 1<<8-1))) }
func unsigned16(v int64) uint16 { return uint16(max(0, min(v, 1<<16-1))) }

// saturated computes in 64 bits and limits the result with cut.
func saturated[T lane](f func(a, b int64) int64, cut func(int64) T) func(a, b T) T {
	return func(a, b T) T { return cut(f(int64(a), int64(b))) }
}

// multiplyAddWords returns the sum of the products of two pairs of signed words.
func multiplyAddWords(a, b uint32) uint32 {
	low := int32(int16(a)) * int32(int16(b))
	high := int32(int16(a>>16)) * int32(int16(b>>16))
	return uint32(low + high)
}

// multiplyAddBytes returns the saturated sum of the products of two pairs of
// bytes; the bytes of a are unsigned.
func multiplyAddBytes(a, b uint16) uint16 {
	low := int64(uint8(a)) * int64(int8(b))
	high := int64(a>>8) * int64(int8(b>>8))
	return uint16(signed16(low + high))
}

// sumOfDifferences returns the sum of the absolute differences of eight pairs of
// bytes.
func sumOfDifferences(a, b uint64) uint64 {
	r := uint64(0)
	for ; a|b != 0; a, b = a>>8, b>>8 {
		x, y := a&0xff, b&0xff
		r += max(x, y) - min(x, y)
	}
	return r
}

// across applies f to adjacent lanes of a, then to those of b.
func across[T lane](f func(a, b T) T) func(o *operation, a, b [2]uint64) [2]uint64 {
	return func(_ *operation, a, b [2]uint64) (r [2]uint64) {
		n := 128 / width[T]()
		for i := range n / 2 {
			setPart(&r, i, f(part[T](&a, 2*i), part[T](&a, 2*i+1)))
			setPart(&r, i+n/2, f(part[T](&b, 2*i), part[T](&b, 2*i+1)))
		}
		return r
	}
}
