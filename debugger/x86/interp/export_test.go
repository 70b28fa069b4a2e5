package interp

import (
	"maps"
	"slices"
)

// Knows reports whether some form of a vector instruction is executed.
func Knows(stem string) bool {
	_, ok := vectorOps[stem]
	return ok
}

// AvailableStems lists the vector instructions that this processor has in some
// encoding, sorted.
func AvailableStems() []string {
	var stems []string
	for _, stem := range slices.Sorted(maps.Keys(vectorOps)) {
		op := vectorOps[stem]
		needs := op.sse | op.vex
		if op.evex != 0 {
			needs = op.evex | avx512f
		}
		if machineFeatures()&needs == needs {
			stems = append(stems, stem)
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
