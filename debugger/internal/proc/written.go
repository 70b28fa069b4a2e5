package proc

import "github.com/triptych-mcp/triptych/debugger/internal/ptrace"

// Written tells what became of the memory that a process can write. All ranges
// are in the order of their addresses.
type Written struct {
	// Mapped is all of it.
	Mapped []ptrace.Range

	// Absent holds the ranges without memory, which read as zero.
	Absent []ptrace.Range

	// Pages may have been written since the last call. Those that are absent,
	// because they were given back to the system, are not among them.
	Pages []ptrace.Range
}

// A Patch is memory that Commit writes.
type Patch struct {
	Address uint64
	Data    []byte
}
