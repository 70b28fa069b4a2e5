// Package race finds data races in the recorded history of a program: accesses to the same memory by
// two threads, of which nothing says which comes first.
//
//	answer, err := race.Find(ctx, stepper, race.Query{Limit: 5})
//	for _, found := range answer.Races {
//		fmt.Println(found.Variable, found.Before.Position, found.After.Position)
//	}
//
// Package record/races finds the pairs in the accesses of a replay. This package chooses the part of
// the history, finds out which instructions are atomic by the names of the functions and variables
// that they belong to, leaves out what is the matter of libraries, and orders and describes the rest.
//
// # What is left out
//
// Pairs of which both accesses are in the C library or in the dynamic linker, as in the bookkeeping
// of malloc, and those with an access in the runtime of Go other than a copy of memory or a map.
//
// # Concurrency
//
// Find uses the stepper, and moves and restores its position. It must be called by the goroutine that
// owns it.
package race
