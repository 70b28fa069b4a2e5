package interp

import "math"

// floatArithmetic lists names without the suffix for scalar or packed, single or
// double.
var floatArithmetic = []struct {
	name   string
	double func(o *operation, a, b float64) (float64, bool)
	single func(o *operation, a, b float32) (float32, bool)
}{
	{"add", addDouble, addSingle},
	{"sub", subDouble, subSingle},
	{"mul", mulDouble, mulSingle},
	{"div", divDouble, divSingle},
	{"sqrt", sqrtDouble, sqrtSingle},
	{"min", minDouble, viaDouble(minDouble)},
	{"max", maxDouble, viaDouble(maxDouble)},
}

// floatOps returns the arithmetic and comparisons of floating-point numbers.
func floatOps() map[string]vectorOp {
	table := map[string]vectorOp{
		"comisd": {run: compareFlags(lowDouble), lane: 8, kinds: floats | scalar | allLanes}, "ucomisd": {run: compareFlags(lowDouble), lane: 8, kinds: floats | scalar | allLanes},
		"comiss": {run: compareFlags(lowSingle), lane: 4, kinds: floats | scalar | allLanes}, "ucomiss": {run: compareFlags(lowSingle), lane: 4, kinds: floats | scalar | allLanes},
		"cmppd": {run: compareDoubles, lane: 8, kinds: floats}, "cmpps": {run: compareSingles, lane: 4, kinds: floats},
		"cmpsd": {run: compareScalar[uint64](lowDouble), lane: 8, kinds: floats | scalar},
		"cmpss": {run: compareScalar[uint32](lowSingle), lane: 4, kinds: floats | scalar},

		"haddpd": {run: acrossDoubles(addDouble), lane: 8, sse: sse3, kinds: floats}, "hsubpd": {run: acrossDoubles(subDouble), lane: 8, sse: sse3, kinds: floats},
		"haddps": {run: acrossSingles(addSingle), lane: 4, sse: sse3, kinds: floats}, "hsubps": {run: acrossSingles(subSingle), lane: 4, sse: sse3, kinds: floats},
	}
	for _, a := range floatArithmetic {
		table[a.name+"pd"] = vectorOp{run: doubles(a.double), lane: 8, kinds: floats}
		table[a.name+"ps"] = vectorOp{run: singles(a.single), lane: 4, kinds: floats}
		table[a.name+"sd"] = vectorOp{run: scalarDouble(a.double), lane: 8, kinds: floats | scalar}
		table[a.name+"ss"] = vectorOp{run: scalarSingle(a.single), lane: 4, kinds: floats | scalar}
	}
	return table
}

// double returns lane i as a double.
func double(v *Vector, i int) float64 { return math.Float64frombits(v[i&7]) }

// single returns lane i as a single.
func single(v *Vector, i int) float32 { return math.Float32frombits(at[uint32](v, i)) }

func setDouble(v *Vector, i int, value float64) { v[i&7] = math.Float64bits(value) }
func setSingle(v *Vector, i int, value float32) { put(v, i, math.Float32bits(value)) }

// doubles applies f to the lanes that the mask selects.
func doubles(f func(o *operation, a, b float64) (float64, bool)) vectorFunc {
	return func(o *operation) bool {
		for i := range o.p.length / 8 {
			if o.active>>i&1 == 0 {
				continue
			}
			r, ok := f(o, double(&o.a, i), double(&o.b, i))
			if !ok {
				return false
			}
			setDouble(&o.r, i, r)
		}
		return true
	}
}

func singles(f func(o *operation, a, b float32) (float32, bool)) vectorFunc {
	return func(o *operation) bool {
		for i := range o.p.length / 4 {
			if o.active>>i&1 == 0 {
				continue
			}
			r, ok := f(o, single(&o.a, i), single(&o.b, i))
			if !ok {
				return false
			}
			setSingle(&o.r, i, r)
		}
		return true
	}
}

// scalarDouble applies f to the lowest lane and copies the others from the first
// source.
func scalarDouble(f func(o *operation, a, b float64) (float64, bool)) vectorFunc {
	return func(o *operation) bool {
		o.r = o.a
		if o.active&1 == 0 {
			return true
		}
		r, ok := f(o, double(&o.a, 0), double(&o.b, 0))
		setDouble(&o.r, 0, r)
		return ok
	}
}

func scalarSingle(f func(o *operation, a, b float32) (float32, bool)) vectorFunc {
	return func(o *operation) bool {
		o.r = o.a
		if o.active&1 == 0 {
			return true
		}
		r, ok := f(o, single(&o.a, 0), single(&o.b, 0))
		setSingle(&o.r, 0, r)
		return ok
	}
}

// minDouble returns the second number if both are equal, so that the sign of zero
// is the processor's.
func minDouble(_ *operation, a, b float64) (float64, bool) {
	if a < b {
		return a, comparable64(a) && comparable64(b)
	}
	return b, comparable64(a) && comparable64(b)
}

func maxDouble(_ *operation, a, b float64) (float64, bool) {
	if a > b {
		return a, comparable64(a) && comparable64(b)
	}
	return b, comparable64(a) && comparable64(b)
}

// viaDouble applies an operation on doubles to singles. The operation must not
// lose precision by that.
func viaDouble(f func(o *operation, a, b float64) (float64, bool)) func(o *operation, a, b float32) (float32, bool) {
	return func(o *operation, a, b float32) (float32, bool) {
		x, y := wide(a), wide(b)
		r, ok := f(o, x, y)
		return float32(r), ok
	}
}

// wide converts a single to a double. A denormal becomes a number that is not
// ordinary.
func wide(v float32) float64 {
	if !ordinarySingle(v) && !math.IsInf(float64(v), 0) {
		return math.NaN()
	}
	return float64(v)
}

func lowDouble(v *Vector) float64 { return double(v, 0) }
func lowSingle(v *Vector) float64 { return wide(single(v, 0)) }

// compareFlags compares the lowest lanes and returns the flags, as comisd and
// comiss do.
func compareFlags(number func(*Vector) float64) vectorFunc {
	return func(o *operation) bool {
		a, b := number(&o.a), number(&o.b)
		o.flagged, o.flags = true, flagIf(a == b, zero)|flagIf(a < b, carry)
		return comparable64(a) && comparable64(b)
	}
}

// holds evaluates a comparison predicate on two numbers that are not NaN. The
// first eight predicates suffice; the others are negations or treat NaN
// differently.
func holds(predicate uint8, a, b float64) bool {
	switch predicate & 15 {
	case 0, 8:
		return a == b
	case 1, 9:
		return a < b
	case 2, 10:
		return a <= b
	case 3, 11:
		return false
	case 4, 12:
		return a != b
	case 5, 13:
		return a >= b
	case 6, 14:
		return a > b
	}
	return true
}

func compareDoubles(o *operation) bool {
	for i := range o.p.length / 8 {
		if !o.compare(i, double(&o.a, i), double(&o.b, i)) {
			return false
		}
	}
	return o.answer(8)
}

func compareSingles(o *operation) bool {
	for i := range o.p.length / 4 {
		if !o.compare(i, wide(single(&o.a, i)), wide(single(&o.b, i))) {
			return false
		}
	}
	return o.answer(4)
}

// compare records the result of lane i. It returns false if the processor must
// compare.
func (o *operation) compare(i int, a, b float64) bool {
	if o.active>>i&1 == 0 {
		return true
	}
	if holds(o.imm, a, b) {
		o.lanes |= 1 << i
	}
	return comparable64(a) && comparable64(b)
}

// compareScalar compares the lowest lanes.
func compareScalar[T lane](number func(*Vector) float64) vectorFunc {
	return func(o *operation) bool {
		if !o.compare(0, number(&o.a), number(&o.b)) {
			return false
		}
		o.answer(width[T]() / 8)
		if o.toMask() {
			return true
		}
		lowest := at[T](&o.r, 0)
		o.r = o.a
		put(&o.r, 0, lowest)
		return true
	}
}

// acrossDoubles applies f to adjacent lanes of the first source, then to those of
// the second.
func acrossDoubles(f func(o *operation, a, b float64) (float64, bool)) vectorFunc {
	return func(o *operation) bool {
		for i := 0; i < o.p.length/8; i += 2 {
			low, ok1 := f(o, double(&o.a, i), double(&o.a, i+1))
			high, ok2 := f(o, double(&o.b, i), double(&o.b, i+1))
			if !ok1 || !ok2 {
				return false
			}
			setDouble(&o.r, i, low)
			setDouble(&o.r, i+1, high)
		}
		return true
	}
}

func acrossSingles(f func(o *operation, a, b float32) (float32, bool)) vectorFunc {
	return func(o *operation) bool {
		for i := range o.p.length / 4 {
			from := &o.a
			if i&2 != 0 {
				from = &o.b
			}
			k := i&^3 + 2*(i&1)
			r, ok := f(o, single(from, k), single(from, k+1))
			if !ok {
				return false
			}
			setSingle(&o.r, i, r)
		}
		return true
	}
}
