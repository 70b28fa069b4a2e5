// Package memdiff finds what has changed in the memory of a process, by a copy of it.
//
//	copies := &memdiff.Copies{Process: process, Most: 512 << 20, Count: count}
//	before, err := copies.Snapshot()
//	// the process runs
//	err = copies.Compare(before, func(addr uint64, old []byte) { … })
//
// If the system reports which pages were written, the copy is an image that is kept up to
// date, of which only these pages are read again. Otherwise all writable memory is copied at
// each snapshot.
//
// # Concurrency
//
// Copies and their snapshots belong to one goroutine.
package memdiff
