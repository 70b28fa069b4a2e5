package interp

// shuffleOps returns the instructions that permute lanes.
func shuffleOps() map[string]vectorOp {
	return map[string]vectorOp{
		"punpcklbw": {run: parts(interleave[uint8](false)), lane: 1}, "punpcklwd": {run: parts(interleave[uint16](false)), lane: 2},
		"punpckldq": {run: parts(interleave[uint32](false)), lane: 4}, "punpcklqdq": {run: parts(interleave[uint64](false)), lane: 8},
		"punpckhbw": {run: parts(interleave[uint8](true)), lane: 1}, "punpckhwd": {run: parts(interleave[uint16](true)), lane: 2},
		"punpckhdq": {run: parts(interleave[uint32](true)), lane: 4}, "punpckhqdq": {run: parts(interleave[uint64](true)), lane: 8},
		"unpcklps": {run: parts(interleave[uint32](false)), lane: 4, kinds: lanes256}, "unpcklpd": {run: parts(interleave[uint64](false)), lane: 8, kinds: lanes256},
		"unpckhps": {run: parts(interleave[uint32](true)), lane: 4, kinds: lanes256}, "unpckhpd": {run: parts(interleave[uint64](true)), lane: 8, kinds: lanes256},

		"packsswb": {run: parts(packed[int16](signed8)), lane: 1}, "packuswb": {run: parts(packed[int16](unsigned8)), lane: 1},
		"packssdw": {run: parts(packed[int32](signed16)), lane: 2, kinds: w0}, "packusdw": {run: parts(packed[int32](unsigned16)), lane: 2, kinds: w0, sse: sse41},

		"pshufb": {run: parts(shuffleBytes), lane: 1, sse: ssse3},
		"pshufd": {run: parts(shuffleSame), lane: 4}, "pshuflw": {run: parts(shuffleWords(0)), lane: 2}, "pshufhw": {run: parts(shuffleWords(1)), lane: 2},
		"shufps": {run: parts(shuffleTwo), lane: 4, kinds: lanes256}, "shufpd": {run: choosePairs(true), lane: 8, kinds: lanes256},
		"permilps": {run: permuteInPart, lane: 4, kinds: lanes256}, "permilpd": {run: permutePairs, lane: 8, kinds: lanes256},

		"permq": {run: permuteBy4, least: 32, lane: 8, vex: avx2, kinds: w1}, "permpd": {run: permuteBy4, least: 32, lane: 8, vex: avx2, kinds: w1},
		"permd": {run: permute[uint32], least: 32, lane: 4, vex: avx2}, "permps": {run: permute[uint32], least: 32, lane: 4, vex: avx2},
		"permb": {run: permute[uint8], lane: 1, evex: avx512vbmi}, "permw": {run: permute[uint16], lane: 2},
		"permt2b": {run: permuteTwo[uint8], lane: 1, evex: avx512vbmi}, "permt2w": {run: permuteTwo[uint16], lane: 2},
		"permt2d": {run: permuteTwo[uint32], lane: 4}, "permt2q": {run: permuteTwo[uint64], lane: 8},
		"permt2ps": {run: permuteTwo[uint32], lane: 4}, "permt2pd": {run: permuteTwo[uint64], lane: 8},
		"permi2b": {run: permuteIndex[uint8], lane: 1, evex: avx512vbmi}, "permi2w": {run: permuteIndex[uint16], lane: 2},
		"permi2d": {run: permuteIndex[uint32], lane: 4}, "permi2q": {run: permuteIndex[uint64], lane: 8},
		"permi2ps": {run: permuteIndex[uint32], lane: 4}, "permi2pd": {run: permuteIndex[uint64], lane: 8},
		"perm2f128": {run: permuteParts, least: 32, lane: 8, kinds: lanes256}, "perm2i128": {run: permuteParts, least: 32, lane: 8, vex: avx2},
		"alignd": {run: alignLanes[uint32], lane: 4}, "alignq": {run: alignLanes[uint64], lane: 8},
		"shufi32x4": {run: shuffleParts, least: 32, lane: 4}, "shufi64x2": {run: shuffleParts, least: 32, lane: 8},
		"shuff32x4": {run: shuffleParts, least: 32, lane: 4}, "shuff64x2": {run: shuffleParts, least: 32, lane: 8},

		"pblendw": {run: blendBy[uint16], lane: 2, sse: sse41}, "pblendd": {run: blendBy[uint32], lane: 4, vex: avx2},
		"blendps": {run: blendBy[uint32], lane: 4, sse: sse41, kinds: lanes256}, "blendpd": {run: blendBy[uint64], lane: 8, sse: sse41, kinds: lanes256},
		"pblendvb": {run: blendSigns[uint8], lane: 1, sse: sse41}, "blendvps": {run: blendSigns[uint32], lane: 4, sse: sse41, kinds: lanes256},
		"blendvpd": {run: blendSigns[uint64], lane: 8, sse: sse41, kinds: lanes256},
		"pblendmb": {run: blendMask, lane: 1}, "pblendmw": {run: blendMask, lane: 2}, "pblendmd": {run: blendMask, lane: 4}, "pblendmq": {run: blendMask, lane: 8},
		"blendmps": {run: blendMask, lane: 4}, "blendmpd": {run: blendMask, lane: 8},
	}
}

// interleave alternates lanes of a and b, taken from their lower or upper halves.
func interleave[T lane](upper bool) func(o *operation, a, b [2]uint64) [2]uint64 {
	return func(_ *operation, a, b [2]uint64) (r [2]uint64) {
		n, from := 64/width[T](), 0
		if upper {
			from = n
		}
		for i := range n {
			setPart(&r, 2*i, part[T](&a, from+i))
			setPart(&r, 2*i+1, part[T](&b, from+i))
		}
		return r
	}
}

// packed narrows lanes to half of their width: those of a, then those of b.
func packed[From, To lane](cut func(int64) To) func(o *operation, a, b [2]uint64) [2]uint64 {
	return func(_ *operation, a, b [2]uint64) (r [2]uint64) {
		n := 128 / width[From]()
		for i := range n {
			setPart(&r, i, cut(int64(part[From](&a, i))))
			setPart(&r, i+n, cut(int64(part[From](&b, i))))
		}
		return r
	}
}

func shuffleBytes(_ *operation, a, b [2]uint64) (r [2]uint64) {
	for i := range 16 {
		if n := part[uint8](&b, i); n < 0x80 {
			setPart(&r, i, part[uint8](&a, int(n&15)))
		}
	}
	return r
}

func shuffleSame(o *operation, _, b [2]uint64) (r [2]uint64) {
	for i := range 4 {
		setPart(&r, i, part[uint32](&b, int(o.imm>>(2*i)&3)))
	}
	return r
}

// shuffleWords permutes the words of one half.
func shuffleWords(half int) func(o *operation, a, b [2]uint64) [2]uint64 {
	return func(o *operation, _, b [2]uint64) [2]uint64 {
		r := b
		for i := range 4 {
			setPart(&r, 4*half+i, part[uint16](&b, 4*half+int(o.imm>>(2*i)&3)))
		}
		return r
	}
}

// shuffleTwo selects two lanes of a and two of b.
func shuffleTwo(o *operation, a, b [2]uint64) (r [2]uint64) {
	for i := range 2 {
		setPart(&r, i, part[uint32](&a, int(o.imm>>(2*i)&3)))
		setPart(&r, i+2, part[uint32](&b, int(o.imm>>(2*i+4)&3)))
	}
	return r
}

// choosePairs selects a quadword of each pair by a bit of the immediate,
// alternating between the sources if both is true, or else from the second.
func choosePairs(both bool) vectorFunc {
	return func(o *operation) bool {
		for i := range o.p.length / 8 {
			from := &o.b
			if both && i%2 == 0 {
				from = &o.a
			}
			o.r[i] = from[i&^1+int(o.imm>>i&1)]
		}
		return true
	}
}

// permutePairs is choosePairs controlled by the immediate or the second source.
func permutePairs(o *operation) bool {
	if o.p.immediate {
		return choosePairs(false)(o)
	}
	for i := range o.p.length / 8 {
		o.r[i] = o.a[i&^1+int(o.b[i]>>1&1)]
	}
	return true
}

// permuteInPart permutes within 128-bit parts, controlled by the immediate or the
// second source.
func permuteInPart(o *operation) bool {
	if o.p.immediate {
		return parts(shuffleSame)(o)
	}
	return parts(func(_ *operation, a, b [2]uint64) (r [2]uint64) {
		for i := range 4 {
			setPart(&r, i, part[uint32](&a, int(part[uint32](&b, i)&3)))
		}
		return r
	})(o)
}

// permuteBy4 permutes four quadwords, controlled by the immediate or the first
// source.
func permuteBy4(o *operation) bool {
	if !o.p.immediate {
		return permute[uint64](o)
	}
	for i := range o.p.length / 8 {
		o.r[i] = o.b[i&^3+int(o.imm>>(2*(i&3))&3)]
	}
	return true
}

// permute selects lanes of the second source by the indices in the first.
func permute[T lane](o *operation) bool {
	n := o.p.length * 8 / width[T]()
	for i := range n {
		put(&o.r, i, at[T](&o.b, int(uint64(at[T](&o.a, i))&uint64(n-1))))
	}
	return true
}

// permuteTwo selects lanes of destination and second source by the indices in the
// first.
func permuteTwo[T lane](o *operation) bool {
	choose[T](o, o.a, o.r)
	return true
}

// permuteIndex selects lanes of both sources by the indices in the destination.
func permuteIndex[T lane](o *operation) bool {
	choose[T](o, o.r, o.a)
	return true
}

// choose selects lanes by index from low or, above its last lane, from the second
// source.
func choose[T lane](o *operation, index, low Vector) {
	n := o.p.length * 8 / width[T]()
	for i := range n {
		k := int(uint64(at[T](&index, i)) & uint64(2*n-1))
		if k < n {
			put(&o.r, i, at[T](&low, k))
		} else {
			put(&o.r, i, at[T](&o.b, k-n))
		}
	}
}

// permuteParts selects for each half of the result one of the four halves of the
// sources, or clears it.
func permuteParts(o *operation) bool {
	all := [...]uint64{o.a[0], o.a[1], o.a[2], o.a[3], o.b[0], o.b[1], o.b[2], o.b[3]}
	for half := range 2 {
		control := o.imm >> (4 * half)
		from := all[2*(control&3):]
		o.r[2*half], o.r[2*half+1] = from[0], from[1]
		if control&8 != 0 {
			o.r[2*half], o.r[2*half+1] = 0, 0
		}
	}
	return true
}

// shuffleParts selects half of its parts from each source.
func shuffleParts(o *operation) bool {
	n := o.p.length / 16
	for i := range n {
		from, bits := &o.a, n/2
		if i >= n/2 {
			from = &o.b
		}
		k := int(o.imm) >> (i * bits) & (n - 1)
		o.r[2*i], o.r[2*i+1] = from[2*k], from[2*k+1]
	}
	return true
}

// alignLanes returns one vector of the two sources, which are concatenated with
// the second source as the lower.
func alignLanes[T lane](o *operation) bool {
	n := o.p.length * 8 / width[T]()
	for i := range n {
		k := i + int(o.imm)&(n-1)
		if k < n {
			put(&o.r, i, at[T](&o.b, k))
		} else {
			put(&o.r, i, at[T](&o.a, k-n))
		}
	}
	return true
}

// blendBy selects the lanes of the second source for which the immediate has a
// bit.
func blendBy[T lane](o *operation) bool {
	o.r = o.a
	for i := range o.p.length * 8 / width[T]() {
		if o.imm>>(i&7)&1 != 0 {
			put(&o.r, i, at[T](&o.b, i))
		}
	}
	return true
}

// blendSigns selects the lanes of the second source for which the third has a
// sign bit.
func blendSigns[T lane](o *operation) bool {
	o.r = o.a
	for i := range o.p.length * 8 / width[T]() {
		if uint64(at[T](&o.c, i))>>(width[T]()-1)&1 != 0 {
			put(&o.r, i, at[T](&o.b, i))
		}
	}
	return true
}

// blendMask selects the lanes of the second source for which the mask has a bit.
// The others come from the first source, or are cleared.
func blendMask(o *operation) bool {
	written := spreadLanes(o.active, int(o.p.lane))
	o.r = Vector{}
	if !o.p.zeroing {
		o.r = o.a
	}
	o.r.merge(&o.b, written)
	o.active = ^uint64(0)
	return true
}
