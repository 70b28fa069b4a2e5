package interp

import (
	"maps"
	"sync"
)

// vectorOps returns the supported vector instructions by [x86.Inst.Stem]. All
// others are left to the processor. The table is made on first use: most
// processes never need it.
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
