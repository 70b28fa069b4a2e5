package interp

import "math/bits"

// shaOps returns the steps of SHA-1 and SHA-256 (FIPS 180-4; Intel's manual,
// volume 2). Words are numbered from the lowest.
func shaOps() map[string]vectorOp {
	return map[string]vectorOp{
		"sha256rnds2": {run: sha256Rounds, lane: 4, sse: sha},
		"sha256msg1":  {run: sha256Message1, lane: 4, sse: sha},
		"sha256msg2":  {run: sha256Message2, lane: 4, sse: sha},
		"sha1rnds4":   {run: sha1Rounds, lane: 4, sse: sha},
		"sha1nexte":   {run: sha1NextE, lane: 4, sse: sha},
		"sha1msg1":    {run: sha1Message1, lane: 4, sse: sha},
		"sha1msg2":    {run: sha1Message2, lane: 4, sse: sha},
	}
}

// dwords returns the four doublewords of the low 128 bits.
func dwords(v *Vector) (w [4]uint32) {
	for i := range w {
		w[i] = at[uint32](v, i)
	}
	return w
}

// result sets the low 128 bits of the result.
func (o *operation) result(w [4]uint32) bool {
	for i, x := range w {
		put(&o.r, i, x)
	}
	return true
}

func rotateRight(v uint32, n int) uint32 { return bits.RotateLeft32(v, -n) }

// sha256Rounds executes two rounds. The first source holds the state c, d, g, h,
// the second a, b, e, f, and xmm0 the message words plus the constants.
func sha256Rounds(o *operation) bool {
	x, y, k := dwords(&o.a), dwords(&o.b), dwords(&o.c)
	a, b, c, d := y[3], y[2], x[3], x[2]
	e, f, g, h := y[1], y[0], x[1], x[0]
	for i := range 2 {
		s1 := rotateRight(e, 6) ^ rotateRight(e, 11) ^ rotateRight(e, 25)
		s0 := rotateRight(a, 2) ^ rotateRight(a, 13) ^ rotateRight(a, 22)
		t := h + s1 + (e&f ^ ^e&g) + k[i]
		a, b, c, d, e, f, g, h = t+s0+(a&b^a&c^b&c), a, b, c, d+t, e, f, g
	}
	return o.result([4]uint32{f, e, b, a})
}

func sha256Message1(o *operation) bool {
	w, next := dwords(&o.a), dwords(&o.b)
	all := [5]uint32{w[0], w[1], w[2], w[3], next[0]}
	for i := range w {
		v := all[i+1]
		w[i] += rotateRight(v, 7) ^ rotateRight(v, 18) ^ v>>3
	}
	return o.result(w)
}

func sha256Message2(o *operation) bool {
	w, last := dwords(&o.a), dwords(&o.b)
	before := [2]uint32{last[2], last[3]}
	for i := range w {
		v := before[i&1]
		w[i] += rotateRight(v, 17) ^ rotateRight(v, 19) ^ v>>10
		before[i&1] = w[i]
	}
	return o.result(w)
}

// sha1Functions holds the functions of the four stages of SHA-1, and
// sha1Constants their constants.
var (
	sha1Functions = [4]func(b, c, d uint32) uint32{
		func(b, c, d uint32) uint32 { return b&c ^ ^b&d },
		func(b, c, d uint32) uint32 { return b ^ c ^ d },
		func(b, c, d uint32) uint32 { return b&c ^ b&d ^ c&d },
		func(b, c, d uint32) uint32 { return b ^ c ^ d },
	}
	sha1Constants = [4]uint32{0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6}
)

// sha1Rounds executes four rounds. The first word of the message already includes
// e.
func sha1Rounds(o *operation) bool {
	s, w := dwords(&o.a), dwords(&o.b)
	f, k := sha1Functions[o.imm&3], sha1Constants[o.imm&3]
	a, b, c, d, e := s[3], s[2], s[1], s[0], uint32(0)
	for i := range 4 {
		t := bits.RotateLeft32(a, 5) + f(b, c, d) + w[3-i] + k + e
		a, b, c, d, e = t, a, bits.RotateLeft32(b, 30), c, d
	}
	return o.result([4]uint32{d, c, b, a})
}

func sha1NextE(o *operation) bool {
	s, w := dwords(&o.a), dwords(&o.b)
	w[3] += bits.RotateLeft32(s[3], 30)
	return o.result(w)
}

func sha1Message1(o *operation) bool {
	a, b := dwords(&o.a), dwords(&o.b)
	return o.result([4]uint32{a[0] ^ b[2], a[1] ^ b[3], a[2] ^ a[0], a[3] ^ a[1]})
}

func sha1Message2(o *operation) bool {
	a, b := dwords(&o.a), dwords(&o.b)
	w16 := bits.RotateLeft32(a[3]^b[2], 1)
	w17 := bits.RotateLeft32(a[2]^b[1], 1)
	w18 := bits.RotateLeft32(a[1]^b[0], 1)
	w19 := bits.RotateLeft32(a[0]^w16, 1)
	return o.result([4]uint32{w19, w18, w17, w16})
}
