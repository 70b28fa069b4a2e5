package interp

// logicOps returns the bitwise operations and tests.
func logicOps() map[string]vectorOp {
	return map[string]vectorOp{
		"pand": {run: words(both), lane: 8}, "pandd": {run: words(both), lane: 4}, "pandq": {run: words(both), lane: 8},
		"pandn": {run: words(second), lane: 8}, "pandnd": {run: words(second), lane: 4}, "pandnq": {run: words(second), lane: 8},
		"por": {run: words(either), lane: 8}, "pord": {run: words(either), lane: 4}, "porq": {run: words(either), lane: 8},
		"pxor": {run: words(different), lane: 8}, "pxord": {run: words(different), lane: 4}, "pxorq": {run: words(different), lane: 8},

		"andps": {run: words(both), lane: 4, evex: avx512dq, kinds: lanes256}, "andpd": {run: words(both), lane: 8, evex: avx512dq, kinds: lanes256},
		"andnps": {run: words(second), lane: 4, evex: avx512dq, kinds: lanes256}, "andnpd": {run: words(second), lane: 8, evex: avx512dq, kinds: lanes256},
		"orps": {run: words(either), lane: 4, evex: avx512dq, kinds: lanes256}, "orpd": {run: words(either), lane: 8, evex: avx512dq, kinds: lanes256},
		"xorps": {run: words(different), lane: 4, evex: avx512dq, kinds: lanes256}, "xorpd": {run: words(different), lane: 8, evex: avx512dq, kinds: lanes256},

		"pternlogd": {run: ternary, lane: 4}, "pternlogq": {run: ternary, lane: 8},

		"ptest":  {run: testAll, lane: 8, sse: sse41, vex: avx, kinds: anyW},
		"testps": {run: testSigns(0x8000000080000000), lane: 4, vex: avx}, "testpd": {run: testSigns(1 << 63), lane: 8, vex: avx},

		"ptestmb": {run: comparing(meets[uint8]), lane: 1}, "ptestmw": {run: comparing(meets[uint16]), lane: 2},
		"ptestmd": {run: comparing(meets[uint32]), lane: 4}, "ptestmq": {run: comparing(meets[uint64]), lane: 8},
		"ptestnmb": {run: comparing(misses[uint8]), lane: 1}, "ptestnmw": {run: comparing(misses[uint16]), lane: 2},
		"ptestnmd": {run: comparing(misses[uint32]), lane: 4}, "ptestnmq": {run: comparing(misses[uint64]), lane: 8},

		"pmovmskb": {run: signs[uint8](), lane: 1},
		"movmskps": {run: signs[uint32](), lane: 4, kinds: lanes256}, "movmskpd": {run: signs[uint64](), lane: 8, kinds: lanes256},
	}
}

func both(a, b uint64) uint64      { return a & b }
func second(a, b uint64) uint64    { return ^a & b }
func either(a, b uint64) uint64    { return a | b }
func different(a, b uint64) uint64 { return a ^ b }

func meets[T lane](a, b T) bool  { return a&b != 0 }
func misses[T lane](a, b T) bool { return a&b == 0 }

// ternary executes vpternlog: the three bits of destination and sources are an
// index into the immediate.
func ternary(o *operation) bool {
	for i := range o.r {
		x, y, z, r := o.r[i], o.a[i], o.b[i], uint64(0)
		for n := range 8 {
			if o.imm>>n&1 != 0 {
				r |= when(x, n>>2) & when(y, n>>1) & when(z, n)
			}
		}
		o.r[i] = r
	}
	return true
}

// when returns v if the lowest bit of n is set, and its complement otherwise.
func when(v uint64, n int) uint64 {
	if n&1 != 0 {
		return v
	}
	return ^v
}

// testAll sets ZF if the sources have no set bit in common, and CF if the second
// source has no set bit outside the first.
func testAll(o *operation) bool { return testSigns(^uint64(0))(o) }

// testSigns is testAll for the bits in which.
func testSigns(which uint64) vectorFunc {
	return func(o *operation) bool {
		common, beyond := uint64(0), uint64(0)
		for i := range o.p.length / 8 {
			common |= o.a[i] & o.b[i] & which
			beyond |= ^o.a[i] & o.b[i] & which
		}
		o.flagged, o.flags = true, flagIf(common == 0, zero)|flagIf(beyond == 0, carry)
		return true
	}
}

// signs collects the sign bits of the lanes in a general register.
func signs[T lane]() vectorFunc {
	return func(o *operation) bool {
		n, r := width[T](), uint64(0)
		for i := range o.p.length * 8 / n {
			r |= uint64(at[T](&o.b, i)) >> (n - 1) & 1 << i
		}
		o.r = Vector{r}
		return true
	}
}
