package interp

// fusedKinds lists the signs of product and addend in even and odd lanes.
var fusedKinds = []struct {
	name    string
	product float64
	even    float64
	odd     float64
}{
	{"fmadd", 1, 1, 1},
	{"fmsub", 1, -1, -1},
	{"fnmadd", -1, 1, 1},
	{"fnmsub", -1, -1, -1},
	{"fmaddsub", 1, -1, 1},
	{"fmsubadd", 1, 1, -1},
}

// fusedOps returns the fused multiply-add instructions, which round once. The
// number in a name gives the order of the operands: 132 is destination times
// second source plus first source, 213 is first source times destination plus
// second source, 231 is first times second source plus destination.
func fusedOps() map[string]vectorOp {
	table := make(map[string]vectorOp)
	for _, k := range fusedKinds {
		for _, order := range []string{"132", "213", "231"} {
			f := fused{order, k.product, [2]float64{k.even, k.odd}}
			row := func(suffix string, run vectorFunc, lane uint8, kinds opKind) {
				table[k.name+order+suffix] = vectorOp{run: run, lane: lane, vex: fma, kinds: kinds | floats | anyW}
			}
			row("pd", f.doubles, 8, 0)
			row("ps", f.singles, 4, 0)
			if k.even == k.odd {
				row("sd", f.scalarDouble, 8, scalar)
				row("ss", f.scalarSingle, 4, scalar)
			}
		}
	}
	return table
}

// A fused describes one fused multiply-add instruction.
type fused struct {
	order   string
	product float64
	addend  [2]float64
}

// sort returns the factors and the addend, with their signs. r is the
// destination.
func (f *fused) sort(r, a, b float64, odd int) (x, y, z float64) {
	switch f.order {
	case "132":
		x, y, z = r, b, a
	case "213":
		x, y, z = a, r, b
	default:
		x, y, z = a, b, r
	}
	return f.product * x, y, f.addend[odd] * z
}

// double computes lane i.
func (f *fused) double(o *operation, i int) bool {
	if o.active>>i&1 == 0 {
		return true
	}
	x, y, z := f.sort(double(&o.r, i), double(&o.a, i), double(&o.b, i), i&1)
	r, ok := fusedDouble(o, x, y, z)
	setDouble(&o.r, i, r)
	return ok
}

// single computes lane i.
func (f *fused) single(o *operation, i int) bool {
	if o.active>>i&1 == 0 {
		return true
	}
	x, y, z := f.sort(wide(single(&o.r, i)), wide(single(&o.a, i)), wide(single(&o.b, i)), i&1)
	r, ok := fusedSingle(o, float32(x), float32(y), float32(z))
	setSingle(&o.r, i, r)
	return ok
}

func (f fused) doubles(o *operation) bool {
	for i := range o.p.length / 8 {
		if !f.double(o, i) {
			return false
		}
	}
	return true
}

func (f fused) singles(o *operation) bool {
	for i := range o.p.length / 4 {
		if !f.single(o, i) {
			return false
		}
	}
	return true
}

func (f fused) scalarDouble(o *operation) bool { return f.double(o, 0) }
func (f fused) scalarSingle(o *operation) bool { return f.single(o, 0) }
