package interp

import (
	"maps"
	"sync"
)

// vectorOps has what is executed of instructions on vectors, by
// [x86.Inst.Stem]. What is not here is for the processor. It is made when it is
// first asked for: most processes never do.
var vectorOps = sync.OnceValue(func() map[string]vectorOp {
	all := make(map[string]vectorOp)
	for _, table := range []func() map[string]vectorOp{
		moveOps, logicOps, integerOps, countOps, shiftOps, shuffleOps, maskOps,
		floatOps, fusedOps, convertOps, aesOps, shaOps, packOps,
	} {
		maps.Copy(all, table())
	}
	return all
})
