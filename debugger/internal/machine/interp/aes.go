package interp

import (
	"math/bits"
	"sync"
)

// aesOps returns the rounds of AES, which hash functions use, too, and the
// carry-less multiplication that checksums and GCM use (FIPS 197; Intel's manual,
// volume 2).
func aesOps() map[string]vectorOp {
	return map[string]vectorOp{
		"aesenc":     {run: parts(aesRound(encrypting, true)), lane: 1, sse: aesni, vex: aesni | avx, evex: vaes, kinds: allLanes | wideVAES},
		"aesenclast": {run: parts(aesRound(encrypting, false)), lane: 1, sse: aesni, vex: aesni | avx, evex: vaes, kinds: allLanes | wideVAES},
		"aesdec":     {run: parts(aesRound(decrypting, true)), lane: 1, sse: aesni, vex: aesni | avx, evex: vaes, kinds: allLanes | wideVAES},
		"aesdeclast": {run: parts(aesRound(decrypting, false)), lane: 1, sse: aesni, vex: aesni | avx, evex: vaes, kinds: allLanes | wideVAES},
		"aesimc": {
			run:  parts(func(_ *operation, _, b [2]uint64) [2]uint64 { return mixColumns(b, decrypting().mix) }),
			lane: 1, sse: aesni, vex: aesni | avx,
		},
		"pclmulqdq": {run: parts(carryless), lane: 1, sse: pclmul, vex: pclmul | avx, evex: vpclmul, kinds: allLanes | wideVAES},
	}
}

// An aesTable is one direction of AES: the substitution of bytes (S-box), the
// rotation of rows, and the factors that mix a column.
type aesTable struct {
	box   [256]uint8
	shift int // of row n, in steps of n
	mix   [4]uint8
}

var encrypting = sync.OnceValue(func() *aesTable {
	t := &aesTable{shift: 1, mix: [4]uint8{2, 3, 1, 1}}
	for v := range t.box {
		inverse := fieldInverse(uint8(v))
		for n := range 5 {
			t.box[v] ^= bits.RotateLeft8(inverse, n)
		}
		t.box[v] ^= 0x63
	}
	return t
})

var decrypting = sync.OnceValue(func() *aesTable {
	t := &aesTable{shift: -1, mix: [4]uint8{14, 11, 13, 9}}
	for v, w := range encrypting().box {
		t.box[w] = uint8(v)
	}
	return t
})

// fieldProduct multiplies in the field of AES, GF(2^8) modulo x^8+x^4+x^3+x+1.
func fieldProduct(a, b uint8) uint8 {
	r := uint8(0)
	for ; b != 0; b >>= 1 {
		r ^= a * (b & 1)
		a = a<<1 ^ 0x1b*(a>>7)
	}
	return r
}

// fieldInverse returns the multiplicative inverse, which is the 254th power, and
// 0 for 0.
func fieldInverse(a uint8) uint8 {
	r := uint8(1)
	for range 254 {
		r = fieldProduct(r, a)
	}
	return r
}

// aesRound returns one round of AES. The last round does not mix columns.
func aesRound(direction func() *aesTable, mixes bool) func(o *operation, a, b [2]uint64) [2]uint64 {
	return func(_ *operation, a, b [2]uint64) (r [2]uint64) {
		t := direction()
		for i := range 16 {
			row, column := i%4, i/4
			from := row + 4*((column+4+t.shift*row)%4)
			setPart(&r, i, t.box[part[uint8](&a, from)])
		}
		if mixes {
			r = mixColumns(r, t.mix)
		}
		return [2]uint64{r[0] ^ b[0], r[1] ^ b[1]}
	}
}

// mixColumns multiplies each column by the circulant matrix of factors.
func mixColumns(v [2]uint64, factors [4]uint8) (r [2]uint64) {
	for i := range 16 {
		sum := uint8(0)
		for k := range 4 {
			sum ^= fieldProduct(part[uint8](&v, i&^3+k), factors[(k-i%4+4)%4])
		}
		setPart(&r, i, sum)
	}
	return r
}

// carryless multiplies two quadwords as polynomials over GF(2). The immediate
// selects the quadwords.
func carryless(o *operation, a, b [2]uint64) (r [2]uint64) {
	x, y := a[o.imm&1], b[o.imm>>4&1]
	for n := range 64 {
		if y>>n&1 != 0 {
			r[0] ^= x << n
			r[1] ^= x >> (64 - n)
		}
	}
	return r
}
