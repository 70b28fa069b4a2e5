package interp

import "math/bits"

// maskWidths lists the suffixes, their widths in bytes, and the features that
// they need.
var maskWidths = []struct {
	letter string
	bits   int
	needs  feature
}{{"b", 8, avx512dq}, {"w", 16, avx512f}, {"d", 32, avx512bw}, {"q", 64, avx512bw}}

// maskLogic holds the bitwise operations by their names without the suffix.
var maskLogic = map[string]func(a, b uint64) uint64{
	"kmov": func(_, b uint64) uint64 { return b },
	"kand": both, "kandn": second, "kor": either, "kxor": different,
	"kxnor": func(a, b uint64) uint64 { return ^(a ^ b) },
	"knot":  func(_, b uint64) uint64 { return ^b },
}

// maskOps returns the instructions on mask registers. The last letter of a name
// is the width: byte, word, doubleword or quadword.
func maskOps() map[string]vectorOp {
	table := map[string]vectorOp{
		"kunpckbw": {run: joined(8), vex: avx512f, kinds: masks | w0},
		"kunpckwd": {run: joined(16), vex: avx512bw, kinds: masks},
		"kunpckdq": {run: joined(32), vex: avx512bw, kinds: masks},
	}
	for _, w := range maskWidths {
		row := func(run vectorFunc, needs feature) vectorOp {
			return vectorOp{run: run, vex: needs, kinds: masks}
		}
		for name, f := range maskLogic {
			table[name+w.letter] = row(maskResult(w.bits, func(o *operation) uint64 { return f(o.a[0], o.b[0]) }), w.needs)
		}
		table["kshiftl"+w.letter] = row(maskResult(w.bits, func(o *operation) uint64 { return o.b[0] << o.imm }), w.needs)
		table["kshiftr"+w.letter] = row(maskResult(w.bits, func(o *operation) uint64 { return o.b[0] & lowBits(w.bits) >> o.imm }), w.needs)
		table["kortest"+w.letter] = row(maskOrTest(w.bits), w.needs)
		table["ktest"+w.letter] = row(maskTest(w.bits), w.needs)
		table["kadd"+w.letter] = row(maskResult(w.bits, func(o *operation) uint64 { return o.a[0] + o.b[0] }), w.needs)
	}
	for name, change := range map[string]vectorOp{
		"ktestw": {vex: avx512dq}, "kaddw": {vex: avx512dq}, "kmovb": {vex: avx512dq, kinds: w0}, "kmovw": {vex: avx512f, kinds: w0},
	} {
		row := table[name]
		row.vex, row.kinds = change.vex, row.kinds|change.kinds
		table[name] = row
	}
	addMaskMoves(table)
	return table
}

// addMaskMoves adds the moves between mask and vector registers.
func addMaskMoves(table map[string]vectorOp) {
	table["pmovm2b"] = vectorOp{run: fromMask(1), lane: 1, kinds: registers | allLanes}
	table["pmovm2w"] = vectorOp{run: fromMask(2), lane: 2, kinds: registers | allLanes}
	table["pmovm2d"] = vectorOp{run: fromMask(4), lane: 4, kinds: registers | allLanes, evex: avx512dq}
	table["pmovm2q"] = vectorOp{run: fromMask(8), lane: 8, kinds: registers | allLanes, evex: avx512dq}
	table["pmovb2m"] = vectorOp{run: signs[uint8](), lane: 1, kinds: registers | allLanes}
	table["pmovw2m"] = vectorOp{run: signs[uint16](), lane: 2, kinds: registers | allLanes}
	table["pmovd2m"] = vectorOp{run: signs[uint32](), lane: 4, kinds: registers | allLanes, evex: avx512dq}
	table["pmovq2m"] = vectorOp{run: signs[uint64](), lane: 8, kinds: registers | allLanes, evex: avx512dq}
}

// maskResult stores the lowest n bytes of f's result.
func maskResult(n int, f func(o *operation) uint64) vectorFunc {
	return func(o *operation) bool {
		o.r = Vector{f(o) & lowBits(n)}
		return true
	}
}

// joined concatenates the lower halves of two masks.
func joined(n int) vectorFunc {
	return maskResult(2*n, func(o *operation) uint64 { return o.a[0]<<n | o.b[0]&lowBits(n) })
}

// maskOrTest sets ZF if the union of the masks is empty, and CF if it has all
// bits.
func maskOrTest(n int) vectorFunc {
	return func(o *operation) bool {
		r := (o.a[0] | o.b[0]) & lowBits(n)
		o.flagged, o.flags = true, flagIf(r == 0, zero)|flagIf(bits.OnesCount64(r) == n, carry)
		return true
	}
}

// maskTest sets ZF if the masks have no bit in common, and CF if the second has
// no bit outside the first.
func maskTest(n int) vectorFunc {
	return func(o *operation) bool {
		common, beyond := o.a[0]&o.b[0]&lowBits(n), ^o.a[0]&o.b[0]&lowBits(n)
		o.flagged, o.flags = true, flagIf(common == 0, zero)|flagIf(beyond == 0, carry)
		return true
	}
}

// fromMask turns each bit of a mask into a lane of ones or zeros.
func fromMask(n int) vectorFunc {
	return func(o *operation) bool {
		o.lanes = o.b[0]
		return o.answer(n)
	}
}
