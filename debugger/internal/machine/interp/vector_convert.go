package interp

import (
	"math"
	"math/bits"
)

// convertOps returns the instructions that convert or round numbers.
func convertOps() map[string]vectorOp {
	return map[string]vectorOp{
		"cvtsi2sd": {run: fromGeneral[float64], lane: 8, kinds: floats | scalar | anyW | allLanes}, "cvtsi2ss": {run: fromGeneral[float32], lane: 4, kinds: floats | scalar | anyW | allLanes},
		"cvttsd2si": {run: toGeneral(lowDouble, math.Trunc), lane: 8, kinds: floats | scalar | anyW | allLanes}, "cvttss2si": {run: toGeneral(exactSingle, math.Trunc), lane: 4, kinds: floats | scalar | anyW | allLanes},
		"cvtsd2si": {run: toGeneral(lowDouble, math.RoundToEven), lane: 8, kinds: floats | scalar | anyW | allLanes}, "cvtss2si": {run: toGeneral(exactSingle, math.RoundToEven), lane: 4, kinds: floats | scalar | anyW | allLanes},

		"cvtss2sd": {run: scalarDouble(func(o *operation, _, _ float64) (float64, bool) { return widened(o, 0) }), lane: 8, kinds: floats | scalar | w0},
		"cvtsd2ss": {run: scalarSingle(func(o *operation, _, _ float32) (float32, bool) { return narrowed(o, 0) }), lane: 4, kinds: floats | scalar | w1},
		"cvtps2pd": {run: convertEach(8, widenLane), lane: 8, kinds: floats | w0}, "cvtpd2ps": {run: convertEach(8, narrowLane), lane: 4, kinds: floats | w1},
		"cvtdq2pd": {run: convertEach(8, integerToDouble), lane: 8, kinds: floats | w0}, "cvtdq2ps": {run: convertEach(4, integerToSingle), lane: 4, kinds: floats},
		"cvttps2dq": {run: convertEach(4, singleToInteger(math.Trunc)), lane: 4, kinds: floats}, "cvtps2dq": {run: convertEach(4, singleToInteger(math.RoundToEven)), lane: 4, kinds: floats},
		"cvttpd2dq": {run: convertEach(8, doubleToInteger(math.Trunc)), lane: 4, kinds: floats | w1}, "cvtpd2dq": {run: convertEach(8, doubleToInteger(math.RoundToEven)), lane: 4, kinds: floats | w1},

		"roundpd": {run: doubles(roundDouble), lane: 8, sse: sse41, kinds: floats}, "roundps": {run: singles(viaDouble(roundDouble)), lane: 4, sse: sse41, kinds: floats},
		"roundsd": {run: scalarDouble(roundDouble), lane: 8, sse: sse41, kinds: floats | scalar}, "roundss": {run: scalarSingle(viaDouble(roundDouble)), lane: 4, sse: sse41, kinds: floats | scalar},
		"rndscalepd": {run: doubles(roundScaled), lane: 8, kinds: floats}, "rndscaleps": {run: singles(viaDouble(roundScaled)), lane: 4, kinds: floats},
		"rndscalesd": {run: scalarDouble(roundScaled), lane: 8, kinds: floats | scalar}, "rndscaless": {run: scalarSingle(viaDouble(roundScaled)), lane: 4, kinds: floats | scalar},
	}
}

// significant returns the number of significant bits of v.
func significant(v int64) int {
	if v < 0 {
		v = -v
	}
	return bits.Len64(uint64(v)) - bits.TrailingZeros64(uint64(v)|1<<63)
}

// fromGeneral converts an integer in a general register or memory to floating
// point, into the lowest lane.
func fromGeneral[T float32 | float64](o *operation) bool {
	v := int64(extend(o.b[0], o.p.b.Size))
	o.r = o.a
	var r T
	switch any(r).(type) {
	case float64:
		o.inexact(significant(v) > 53)
		setDouble(&o.r, 0, float64(v))
	default:
		o.inexact(significant(v) > 24)
		setSingle(&o.r, 0, float32(v))
	}
	return true
}

// toGeneral converts the lowest lane to an integer in a general register. A
// number that does not fit becomes the least integer if MXCSR masks the
// exception.
func toGeneral(number func(*Vector) float64, round func(float64) float64) vectorFunc {
	return func(o *operation) bool {
		v := number(&o.b)
		r := round(v)
		limit := math.Ldexp(1, 8*int(o.p.dst.Size)-1)
		if r < -limit || r >= limit || r != r {
			o.mxcsr |= invalidFlag
			o.r = Vector{1 << (8*int(o.p.dst.Size) - 1)}
			return o.mxcsr&invalidMask != 0
		}
		o.inexact(r != v)
		o.r = Vector{uint64(int64(r))}
		return ordinary(v)
	}
}

func exactSingle(v *Vector) float64 { return float64(single(v, 0)) }

// convertEach converts each lane. n is the size in bytes of the wider of source
// and destination lanes.
func convertEach(n int, convert func(o *operation, i int) bool) vectorFunc {
	return func(o *operation) bool {
		for i := range o.p.length / n {
			if o.active>>i&1 != 0 && !convert(o, i) {
				return false
			}
		}
		if 2*o.p.bytes == o.p.length {
			o.r.keep(o.p.bytes)
		}
		return true
	}
}

func widened(o *operation, i int) (float64, bool) {
	v := single(&o.b, i)
	return float64(v), ordinarySingle(v) || math.IsInf(float64(v), 0)
}

func widenLane(o *operation, i int) bool {
	v, ok := widened(o, i)
	setDouble(&o.r, i, v)
	return ok
}

// narrowed converts to single precision. It returns false if the result is
// smaller than a normal number.
func narrowed(o *operation, i int) (float32, bool) {
	v := double(&o.b, i)
	r := float32(v)
	if math.IsInf(v, 0) || v == 0 {
		return r, true
	}
	o.inexact(float64(r) != v)
	return r, ordinary(v) && normalSingle(r)
}

func narrowLane(o *operation, i int) bool {
	v, ok := narrowed(o, i)
	setSingle(&o.r, i, v)
	return ok
}

func integerToDouble(o *operation, i int) bool {
	setDouble(&o.r, i, float64(at[int32](&o.b, i)))
	return true
}

func integerToSingle(o *operation, i int) bool {
	v := at[int32](&o.b, i)
	o.inexact(significant(int64(v)) > 24)
	setSingle(&o.r, i, float32(v))
	return true
}

// toInteger converts a number to an integer of 32 bits.
func toInteger(o *operation, i int, v float64, round func(float64) float64) bool {
	r := round(v)
	if !ordinary(v) || r < math.MinInt32 || r > math.MaxInt32 {
		return false
	}
	o.inexact(r != v)
	put(&o.r, i, int32(r))
	return true
}

func singleToInteger(round func(float64) float64) func(o *operation, i int) bool {
	return func(o *operation, i int) bool { return toInteger(o, i, wide(single(&o.b, i)), round) }
}

func doubleToInteger(round func(float64) float64) func(o *operation, i int) bool {
	return func(o *operation, i int) bool { return toInteger(o, i, double(&o.b, i), round) }
}

// roundDouble rounds to an integer, in the direction given by the immediate or
// MXCSR.
func roundDouble(o *operation, _, b float64) (float64, bool) {
	round := [...]func(float64) float64{math.RoundToEven, math.Floor, math.Ceil, math.Trunc}[o.imm&3]
	if o.imm&4 != 0 {
		round = math.RoundToEven
	}
	r := round(b)
	if o.imm&8 == 0 {
		o.inexact(r != b)
	}
	return r, comparable64(b)
}

// roundScaled is roundDouble for instructions whose immediate also holds a number
// of fraction bits, which must be zero here.
func roundScaled(o *operation, a, b float64) (float64, bool) {
	if o.imm>>4 != 0 {
		return 0, false
	}
	return roundDouble(o, a, b)
}
