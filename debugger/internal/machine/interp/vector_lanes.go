package interp

import "github.com/triptych-mcp/triptych/debugger/internal/machine/x86"

// each applies f to each pair of lanes of the sources.
func each[T lane](f func(a, b T) T) vectorFunc {
	return func(o *operation) bool {
		for i := range o.p.length * 8 / width[T]() {
			put(&o.r, i, f(at[T](&o.a, i), at[T](&o.b, i)))
		}
		return true
	}
}

// eachOne applies f to each lane of the last source.
func eachOne[T lane](f func(b T) T) vectorFunc {
	return func(o *operation) bool {
		for i := range o.p.length * 8 / width[T]() {
			put(&o.r, i, f(at[T](&o.b, i)))
		}
		return true
	}
}

// words applies f to 64 bits at a time, for operations that do not depend on
// lanes.
func words(f func(a, b uint64) uint64) vectorFunc {
	return func(o *operation) bool {
		for i := range o.r {
			o.r[i] = f(o.a[i], o.b[i])
		}
		return true
	}
}

// comparing applies a predicate to each pair of lanes. The results become bits of
// a mask register, or lanes of ones and zeros.
func comparing[T lane](f func(a, b T) bool) vectorFunc {
	return func(o *operation) bool {
		for i := range o.p.length * 8 / width[T]() {
			if f(at[T](&o.a, i), at[T](&o.b, i)) {
				o.lanes |= 1 << i
			}
		}
		return o.answer(width[T]() / 8)
	}
}

// comparingBy applies the predicate that the immediate selects: equal, less, less
// or equal, false, or the negation of one of them.
func comparingBy[T lane]() vectorFunc {
	return func(o *operation) bool {
		for i := range o.p.length * 8 / width[T]() {
			a, b := at[T](&o.a, i), at[T](&o.b, i)
			holds := [4]bool{a == b, a < b, a <= b, false}[o.imm&3]
			if holds != (o.imm&4 != 0) {
				o.lanes |= 1 << i
			}
		}
		return o.answer(width[T]() / 8)
	}
}

// toMask reports whether the destination is a mask register.
func (o *operation) toMask() bool { return o.p.dst.Kind == x86.MaskReg }

// answer stores the result of a comparison of lanes of n bytes.
func (o *operation) answer(n int) bool {
	o.lanes &= lowBits(o.p.length / n)
	if o.toMask() {
		o.r = Vector{o.lanes & o.active}
		return true
	}
	bytes := spreadLanes(o.lanes, n)
	for i := range o.r {
		o.r[i] = spreadBits(uint8(bytes >> (8 * i)))
	}
	return true
}

// parts applies f to each 128-bit part. Most instructions that move lanes do not
// cross these parts.
func parts(f func(o *operation, a, b [2]uint64) [2]uint64) vectorFunc {
	return func(o *operation) bool {
		for i := 0; i < o.p.length/8; i += 2 {
			r := f(o, [2]uint64{o.a[i], o.a[i+1]}, [2]uint64{o.b[i], o.b[i+1]})
			o.r[i], o.r[i+1] = r[0], r[1]
		}
		return true
	}
}

// part is like at, for one part.
func part[T lane](v *[2]uint64, i int) T {
	n := i * width[T]()
	return T(v[n>>6&1] >> (n & 63))
}

// setPart is like put, for one part.
func setPart[T lane](v *[2]uint64, i int, value T) {
	w := width[T]()
	n := i * w
	word, mask := &v[n>>6&1], ^uint64(0)>>(64-w)
	*word = *word&^(mask<<(n&63)) | uint64(value)&mask<<(n&63)
}
