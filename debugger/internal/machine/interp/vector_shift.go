package interp

import "math/bits"

// shiftOps returns the shifts and rotations of lanes, by a common count or by one
// count for each lane, and shifts of 128-bit parts.
func shiftOps() map[string]vectorOp {
	return map[string]vectorOp{
		"psllw": {run: shifting(left[uint16]), kinds: counts, lane: 2}, "pslld": {run: shifting(left[uint32]), kinds: counts, lane: 4}, "psllq": {run: shifting(left[uint64]), kinds: counts, lane: 8},
		"psrlw": {run: shifting(right[uint16]), kinds: counts, lane: 2}, "psrld": {run: shifting(right[uint32]), kinds: counts, lane: 4}, "psrlq": {run: shifting(right[uint64]), kinds: counts, lane: 8},
		"psraw": {run: shifting(signedRight[int16]), kinds: counts, lane: 2}, "psrad": {run: shifting(signedRight[int32]), kinds: counts, lane: 4}, "psraq": {run: shifting(signedRight[int64]), kinds: counts, lane: 8},

		"psllvw": {run: each(left[uint16]), lane: 2, kinds: w1}, "psllvd": {run: each(left[uint32]), lane: 4, vex: avx2, kinds: anyW}, "psllvq": {run: each(left[uint64]), lane: 8, vex: avx2, kinds: anyW},
		"psrlvw": {run: each(right[uint16]), lane: 2, kinds: w1}, "psrlvd": {run: each(right[uint32]), lane: 4, vex: avx2, kinds: anyW}, "psrlvq": {run: each(right[uint64]), lane: 8, vex: avx2, kinds: anyW},
		"psravw": {run: each(signedRightBy[int16]), lane: 2, kinds: w1}, "psravd": {run: each(signedRightBy[int32]), lane: 4, vex: avx2}, "psravq": {run: each(signedRightBy[int64]), lane: 8},

		"pslldq": {run: parts(bytesLeft), lane: 1, kinds: allLanes | counts}, "psrldq": {run: parts(bytesRight), lane: 1, kinds: allLanes | counts},
		"palignr": {run: parts(alignRight), lane: 1, sse: ssse3},

		"prold": {run: shifting(rolled32(1)), lane: 4}, "prolq": {run: shifting(rolled64(1)), lane: 8},
		"prord": {run: shifting(rolled32(-1)), lane: 4}, "prorq": {run: shifting(rolled64(-1)), lane: 8},
		"prolvd": {run: each(rolled32(1)), lane: 4}, "prolvq": {run: each(rolled64(1)), lane: 8},
		"prorvd": {run: each(rolled32(-1)), lane: 4}, "prorvq": {run: each(rolled64(-1)), lane: 8},
	}
}

func left[T lane](a, count T) T        { return a << uint64(count) }
func right[T lane](a, count T) T       { return a >> uint64(count) }
func signedRight[T lane](a, count T) T { return a >> uint64(count) }

// signedRightBy takes unsigned counts, though the lanes are signed.
func signedRightBy[T lane](a, count T) T {
	return a >> (uint64(count) & (^uint64(0) >> (64 - width[T]())))
}

func rolled32(direction int) func(a, count uint32) uint32 {
	return func(a, count uint32) uint32 { return bits.RotateLeft32(a, direction*int(count&31)) }
}

func rolled64(direction int) func(a, count uint64) uint64 {
	return func(a, count uint64) uint64 { return bits.RotateLeft64(a, direction*int(count&63)) }
}

// shifting shifts all lanes by the immediate, or without one by the low quadword
// of the last source.
func shifting[T lane](f func(a, count T) T) vectorFunc {
	return func(o *operation) bool {
		from, count := &o.b, T(o.imm)
		if !o.p.immediate {
			from, count = &o.a, T(min(o.b[0], 64))
		}
		for i := range o.p.length * 8 / width[T]() {
			put(&o.r, i, f(at[T](from, i), count))
		}
		return true
	}
}

func bytesLeft(o *operation, _, b [2]uint64) [2]uint64 {
	return window([2]uint64{}, b, 16-int(min(o.imm, 16)))
}

func bytesRight(o *operation, _, b [2]uint64) [2]uint64 {
	return window(b, [2]uint64{}, int(o.imm))
}

// alignRight returns 16 of 32 consecutive bytes, of which b holds the lower half.
func alignRight(o *operation, a, b [2]uint64) [2]uint64 { return window(b, a, int(o.imm)) }

// window returns the 16 bytes at offset n of 32, padded with zeros.
func window(low, high [2]uint64, n int) (r [2]uint64) {
	if n >= 32 {
		return r
	}
	all := [...]uint64{low[0], low[1], high[0], high[1], 0, 0}
	word, shift := n/8, n%8*8
	for i := range r {
		r[i] = all[word+i]>>shift | all[word+i+1]<<(64-shift)
	}
	return r
}
