package interp

import "math/bits"

// countOps returns the instructions that count bits or look them up.
func countOps() map[string]vectorOp {
	return map[string]vectorOp{
		"plzcntd": {run: eachOne(func(b uint32) uint32 { return uint32(bits.LeadingZeros32(b)) }), lane: 4, evex: avx512cd},
		"plzcntq": {run: eachOne(func(b uint64) uint64 { return uint64(bits.LeadingZeros64(b)) }), lane: 8, evex: avx512cd},
		"popcntb": {run: eachOne(ones[uint8]), lane: 1, evex: avx512bitalg, kinds: w0},
		"popcntw": {run: eachOne(ones[uint16]), lane: 2, evex: avx512bitalg, kinds: w1},
		"popcntd": {run: eachOne(ones[uint32]), lane: 4, evex: avx512popcnt},
		"popcntq": {run: eachOne(ones[uint64]), lane: 8, evex: avx512popcnt},

		"gf2p8affineqb": {run: words2(affine), lane: 1, sse: gfni, vex: gfni | avx, evex: gfni, kinds: w1 | quadBroadcast},
	}
}

// ones returns the number of set bits.
func ones[T lane](b T) T { return T(bits.OnesCount64(uint64(b) & lowBits(width[T]()))) }

// affine multiplies each byte of a by the 8×8 bit matrix b and adds the
// immediate, over GF(2).
func affine(o *operation, a, b uint64) uint64 {
	r := uint64(0)
	for i := range 8 {
		v := uint8(a >> (8 * i))
		for bit := range 8 {
			row := uint8(b >> (8 * (7 - bit)))
			r |= uint64(bits.OnesCount8(v&row)&1) << (8*i + bit)
		}
	}
	return r ^ uint64(o.imm)*0x0101010101010101
}

// words2 is like words, for functions that need the immediate.
func words2(f func(o *operation, a, b uint64) uint64) vectorFunc {
	return func(o *operation) bool {
		for i := range o.r {
			o.r[i] = f(o, o.a[i], o.b[i])
		}
		return true
	}
}

// packOps returns the instructions that move the selected lanes to the lowest
// positions (compress), or from there (expand).
func packOps() map[string]vectorOp {
	return map[string]vectorOp{
		"pcompressb": {run: compressed[uint8], lane: 1, evex: avx512vbmi2, kinds: w0 | registers}, "pcompressw": {run: compressed[uint16], lane: 2, evex: avx512vbmi2, kinds: w1 | registers},
		"pcompressd": {run: compressed[uint32], lane: 4, kinds: registers}, "pcompressq": {run: compressed[uint64], lane: 8, kinds: registers},
		"compressps": {run: compressed[uint32], lane: 4, kinds: registers}, "compresspd": {run: compressed[uint64], lane: 8, kinds: registers},
		"pexpandb": {run: expanded[uint8], lane: 1, evex: avx512vbmi2, kinds: w0 | registers}, "pexpandw": {run: expanded[uint16], lane: 2, evex: avx512vbmi2, kinds: w1 | registers},
		"pexpandd": {run: expanded[uint32], lane: 4, kinds: registers}, "pexpandq": {run: expanded[uint64], lane: 8, kinds: registers},
		"expandps": {run: expanded[uint32], lane: 4, kinds: registers}, "expandpd": {run: expanded[uint64], lane: 8, kinds: registers},
	}
}

// compressed fills the remaining lanes from the destination, or with zeros.
func compressed[T lane](o *operation) bool {
	n, to := o.p.length*8/width[T](), 0
	for i := range n {
		if o.active>>i&1 != 0 {
			put(&o.r, to, at[T](&o.b, i))
			to++
		}
	}
	for ; to < n && o.p.zeroing; to++ {
		put(&o.r, to, T(0))
	}
	o.active = ^uint64(0)
	return true
}

func expanded[T lane](o *operation) bool {
	from := 0
	for i := range o.p.length * 8 / width[T]() {
		if o.active>>i&1 != 0 {
			put(&o.r, i, at[T](&o.b, from))
			from++
		}
	}
	return true
}
