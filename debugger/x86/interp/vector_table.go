package interp

import "maps"

// vectorOps has what is executed of instructions on vectors, by
// [x86.Inst.Stem]. What is not here is for the processor.
var vectorOps = joinTables(
	moveOps, logicOps, integerOps, countOps, shiftOps, shuffleOps, maskOps,
	floatOps, fusedOps, convertOps, aesOps, shaOps, packOps,
)

func joinTables(tables ...map[string]vectorOp) map[string]vectorOp {
	all := make(map[string]vectorOp)
	for _, t := range tables {
		maps.Copy(all, t)
	}
	return all
}
