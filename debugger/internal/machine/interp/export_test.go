package interp

import (
	"maps"
	"slices"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// Knows reports whether some form of a vector instruction is executed.
func Knows(in *x86.Inst) bool {
	_, ok := vectorOps()[in.Stem()]
	return ok || controlHandlers[in.Name()] != nil || textOps[in.Name()] != nil
}

// AvailableStems lists the vector instructions that this processor has in some
// encoding.
func AvailableStems() []string {
	var stems []string
	for _, stem := range slices.Sorted(maps.Keys(vectorOps())) {
		op := vectorOps()[stem]
		needs := op.sse | op.vex
		if op.evex != 0 {
			needs = op.evex | avx512f
		}
		if machineFeatures()&needs == needs {
			stems = append(stems, stem)
		}
	}
	for name := range textOps {
		if name[0] != 'v' && machineFeatures()&sse42 != 0 {
			stems = append(stems, name)
		}
	}
	return stems
}

// AvailableNames lists the general instructions that this processor has, sorted.
func AvailableNames() []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(handlers)) {
		if needs := extensions[name]; machineFeatures()&needs == needs {
			names = append(names, name)
		}
	}
	return names
}

// Undo takes the last step's writes back, so that memory is as it was before.
// The registers are the caller's to restore.
func (m *Machine) Undo() {
	for _, w := range slices.Backward(m.writes) {
		if m.memory.put(w.Addr, w.Size, w.Old) {
			m.forgetCode()
		}
	}
	m.writes = m.writes[:0]
}

// Dirty calls visit with the address of each page that has been written since
// it was loaded or flushed, in the order of the first writes.
func (m *Machine) Dirty(visit func(addr uint64, page *Page)) {
	for _, p := range m.memory.dirty {
		visit(p.number*PageSize, p)
	}
}
