package interp

import "github.com/triptych-mcp/triptych/debugger/internal/machine/x86"

// moveOps returns the moves of vectors or lanes between registers, memory and
// general registers.
func moveOps() map[string]vectorOp {
	return map[string]vectorOp{
		"movaps": {run: whole, lane: 4, kinds: lanes256}, "movapd": {run: whole, lane: 8, kinds: lanes256},
		"movups": {run: whole, lane: 4, kinds: lanes256 | unaligned}, "movupd": {run: whole, lane: 8, kinds: lanes256 | unaligned},
		"movdqa": {run: whole, lane: 8, kinds: lanes256}, "movdqu": {run: whole, lane: 8, kinds: lanes256 | unaligned},
		"movdqa32": {run: whole, lane: 4}, "movdqa64": {run: whole, lane: 8},
		"movdqu8": {run: whole, lane: 1}, "movdqu16": {run: whole, lane: 2}, "movdqu32": {run: whole, lane: 4}, "movdqu64": {run: whole, lane: 8},
		"movntps": {run: whole, lane: 4, kinds: lanes256 | allLanes}, "movntpd": {run: whole, lane: 8, kinds: lanes256 | allLanes},
		"movntdq": {run: whole, lane: 4, kinds: lanes256 | allLanes}, "movntdqa": {run: whole, lane: 4, sse: sse41, kinds: allLanes},
		"lddqu": {run: whole, lane: 8, sse: sse3, kinds: lanes256 | unaligned},

		"movd": {run: low(4), lane: 4, kinds: allLanes}, "movq": {run: low(8), lane: 8, kinds: allLanes},
		"movss": {run: moveLow(4), lane: 4, kinds: scalar}, "movsd": {run: moveLow(8), lane: 8, kinds: scalar},
		"movlps": {run: moveHalf(0), lane: 4, kinds: allLanes}, "movlpd": {run: moveHalf(0), lane: 8, kinds: allLanes},
		"movhps": {run: moveHalf(1), lane: 4, kinds: allLanes}, "movhpd": {run: moveHalf(1), lane: 8, kinds: allLanes},
		"movhlps":  {run: func(o *operation) bool { o.r = Vector{o.b[1], o.a[1]}; return true }, lane: 4, kinds: allLanes},
		"movlhps":  {run: func(o *operation) bool { o.r = Vector{o.a[0], o.b[0]}; return true }, lane: 4, kinds: allLanes},
		"movddup":  {run: parts(func(_ *operation, _, b [2]uint64) [2]uint64 { return [2]uint64{b[0], b[0]} }), lane: 8, sse: sse3, kinds: lanes256 | unaligned},
		"movsldup": {run: words(func(_, b uint64) uint64 { return b&0xffffffff | b<<32 }), lane: 4, sse: sse3, kinds: lanes256},
		"movshdup": {run: words(func(_, b uint64) uint64 { return b>>32 | b&^0xffffffff }), lane: 4, sse: sse3, kinds: lanes256},

		"pinsrb": {run: insert[uint8], lane: 1, sse: sse41, kinds: allLanes}, "pinsrw": {run: insert[uint16], lane: 2, kinds: allLanes},
		"pinsrd": {run: insert[uint32], lane: 4, sse: sse41, evex: avx512dq, kinds: anyW | allLanes}, "pinsrq": {run: insert[uint64], lane: 8, sse: sse41, evex: avx512dq, kinds: anyW | allLanes},
		"pextrb": {run: extract[uint8], lane: 1, sse: sse41, kinds: allLanes}, "pextrw": {run: extract[uint16], lane: 2, kinds: allLanes},
		"pextrd": {run: extract[uint32], lane: 4, sse: sse41, evex: avx512dq, kinds: anyW | allLanes}, "pextrq": {run: extract[uint64], lane: 8, sse: sse41, evex: avx512dq, kinds: anyW | allLanes},
		"extractps": {run: extract[uint32], lane: 4, sse: sse41, kinds: anyW | allLanes}, "insertps": {run: insertSingle, lane: 4, sse: sse41, kinds: allLanes},

		"pbroadcastb": {run: fill(1), lane: 1, vex: avx2, kinds: w0}, "pbroadcastw": {run: fill(2), lane: 2, vex: avx2, kinds: w0},
		"pbroadcastd": {run: fill(4), lane: 4, vex: avx2}, "pbroadcastq": {run: fill(8), lane: 8, vex: avx2},
		"broadcastss": {run: fill(4), lane: 4, kinds: lanes256}, "broadcastsd": {run: fill(8), least: 32, lane: 8, kinds: lanes256},
		"broadcastf128": {run: fill(16), least: 32, lane: 8, kinds: lanes256}, "broadcasti128": {run: fill(16), least: 32, lane: 8, vex: avx2},
		"broadcastf32x2": {run: fill(8), least: 32, lane: 4, evex: avx512dq}, "broadcasti32x2": {run: fill(8), lane: 4, evex: avx512dq},
		"broadcastf32x4": {run: fill(16), least: 32, lane: 4}, "broadcasti32x4": {run: fill(16), least: 32, lane: 4},
		"broadcastf64x2": {run: fill(16), least: 32, lane: 8, evex: avx512dq}, "broadcasti64x2": {run: fill(16), least: 32, lane: 8, evex: avx512dq},
		"broadcastf32x8": {run: fill(32), least: 64, lane: 4, evex: avx512dq}, "broadcasti32x8": {run: fill(32), least: 64, lane: 4, evex: avx512dq},
		"broadcastf64x4": {run: fill(32), least: 64, lane: 8}, "broadcasti64x4": {run: fill(32), least: 64, lane: 8},

		"insertf128": {run: insertPart(16), least: 32, lane: 8, kinds: lanes256}, "inserti128": {run: insertPart(16), least: 32, lane: 8, vex: avx2},
		"insertf32x4": {run: insertPart(16), least: 32, lane: 4}, "inserti32x4": {run: insertPart(16), least: 32, lane: 4},
		"insertf64x2": {run: insertPart(16), least: 32, lane: 8, evex: avx512dq}, "inserti64x2": {run: insertPart(16), least: 32, lane: 8, evex: avx512dq},
		"insertf32x8": {run: insertPart(32), least: 64, lane: 4, evex: avx512dq}, "inserti32x8": {run: insertPart(32), least: 64, lane: 4, evex: avx512dq},
		"insertf64x4": {run: insertPart(32), least: 64, lane: 8}, "inserti64x4": {run: insertPart(32), least: 64, lane: 8},
		"extractf128": {run: extractPart(16), least: 32, lane: 8, kinds: lanes256}, "extracti128": {run: extractPart(16), least: 32, lane: 8, vex: avx2},
		"extractf32x4": {run: extractPart(16), least: 32, lane: 4}, "extracti32x4": {run: extractPart(16), least: 32, lane: 4},
		"extractf64x2": {run: extractPart(16), least: 32, lane: 8, evex: avx512dq}, "extracti64x2": {run: extractPart(16), least: 32, lane: 8, evex: avx512dq},
		"extractf32x8": {run: extractPart(32), least: 64, lane: 4, evex: avx512dq}, "extracti32x8": {run: extractPart(32), least: 64, lane: 4, evex: avx512dq},
		"extractf64x4": {run: extractPart(32), least: 64, lane: 8}, "extracti64x4": {run: extractPart(32), least: 64, lane: 8},

		"pmovzxbw": {run: extending[uint8, uint16], lane: 2, sse: sse41, kinds: anyW | unaligned}, "pmovzxbd": {run: extending[uint8, uint32], lane: 4, sse: sse41, kinds: anyW | unaligned},
		"pmovzxbq": {run: extending[uint8, uint64], lane: 8, sse: sse41, kinds: anyW | unaligned}, "pmovzxwd": {run: extending[uint16, uint32], lane: 4, sse: sse41, kinds: anyW | unaligned},
		"pmovzxwq": {run: extending[uint16, uint64], lane: 8, sse: sse41, kinds: anyW | unaligned}, "pmovzxdq": {run: extending[uint32, uint64], lane: 8, sse: sse41, kinds: unaligned | w0},
		"pmovsxbw": {run: extending[int8, int16], lane: 2, sse: sse41, kinds: anyW | unaligned}, "pmovsxbd": {run: extending[int8, int32], lane: 4, sse: sse41, kinds: anyW | unaligned},
		"pmovsxbq": {run: extending[int8, int64], lane: 8, sse: sse41, kinds: anyW | unaligned}, "pmovsxwd": {run: extending[int16, int32], lane: 4, sse: sse41, kinds: anyW | unaligned},
		"pmovsxwq": {run: extending[int16, int64], lane: 8, sse: sse41, kinds: anyW | unaligned}, "pmovsxdq": {run: extending[int32, int64], lane: 8, sse: sse41, kinds: unaligned | w0},

		"pmaskmovd": {run: maskedMove[uint32], lane: 4, vex: avx2, kinds: anyW}, "pmaskmovq": {run: maskedMove[uint64], lane: 8, vex: avx2, kinds: anyW},
		"maskmovps": {run: maskedMove[uint32], lane: 4, kinds: lanes256}, "maskmovpd": {run: maskedMove[uint64], lane: 8, kinds: lanes256},
	}
}

func whole(o *operation) bool {
	o.r = o.b
	return true
}

// low moves the lowest n bytes and clears the others.
func low(n uint8) vectorFunc {
	return func(o *operation) bool {
		o.r = Vector{o.b[0] & mask(n)}
		return true
	}
}

// moveLow moves the lowest n bytes. The others are copied from the first source,
// or cleared if the second is in memory.
func moveLow(n uint8) vectorFunc {
	return func(o *operation) bool {
		if o.p.b.Kind == x86.InMemory || o.p.dst.Kind == x86.InMemory {
			o.r = Vector{o.b[0] & mask(n)}
			return true
		}
		o.r = o.a
		o.r[0] = o.a[0]&^mask(n) | o.b[0]&mask(n)
		return true
	}
}

// moveHalf moves a half of a 128-bit part from or to memory.
func moveHalf(half int) vectorFunc {
	return func(o *operation) bool {
		if o.p.dst.Kind == x86.InMemory {
			o.r = Vector{o.b[half]}
			return true
		}
		o.r = o.a
		o.r[half] = o.b[0]
		return true
	}
}

func insert[T lane](o *operation) bool {
	o.r = o.a
	put(&o.r, int(o.imm)&(128/width[T]()-1), T(o.b[0]))
	return true
}

func extract[T lane](o *operation) bool {
	o.r = Vector{uint64(at[T](&o.b, int(o.imm)&(128/width[T]()-1)))}
	return true
}

// insertSingle executes insertps. The immediate selects the source lane, the
// destination lane, and lanes to clear.
func insertSingle(o *operation) bool {
	from := int(o.imm >> 6)
	if o.p.b.Kind == x86.InMemory {
		from = 0
	}
	o.r = o.a
	put(&o.r, int(o.imm>>4&3), at[uint32](&o.b, from))
	for i := range 4 {
		if o.imm>>i&1 != 0 {
			put(&o.r, i, uint32(0))
		}
	}
	return true
}

// fill repeats the lowest n bytes.
func fill(n int) vectorFunc {
	return func(o *operation) bool {
		o.r = o.b
		if n < 8 {
			o.r[0] &= mask(uint8(n))
			o.r.repeat(n, o.p.length)
			return true
		}
		for i := range o.p.length / 8 {
			o.r[i] = o.b[i%(n/8)]
		}
		return true
	}
}

// insertPart replaces the n bytes at the position that the immediate selects.
func insertPart(n int) vectorFunc {
	return func(o *operation) bool {
		o.r = o.a
		i := int(o.imm) & (o.p.length/n - 1)
		copy(o.r[i*n/8:][:n/8], o.b[:])
		return true
	}
}

// extractPart copies the n bytes at the position that the immediate selects.
func extractPart(n int) vectorFunc {
	return func(o *operation) bool {
		i := int(o.imm) & (o.p.length/n - 1)
		o.r = Vector{}
		copy(o.r[:], o.b[i*n/8:][:n/8])
		return true
	}
}

// extending widens lanes, with zeros or the sign.
func extending[From, To lane](o *operation) bool {
	for i := range o.p.length * 8 / width[To]() {
		put(&o.r, i, To(at[From](&o.b, i)))
	}
	return true
}

// maskedMove moves the lanes whose sign bit is set in the first source. The other
// lanes are cleared in a register and unchanged in memory.
func maskedMove[T lane](o *operation) bool {
	o.active = 0
	for i := range o.p.length * 8 / width[T]() {
		chosen := uint64(at[T](&o.a, i)) >> (width[T]() - 1) & 1
		o.active |= chosen << i
		put(&o.r, i, at[T](&o.b, i)*T(chosen))
	}
	return true
}
