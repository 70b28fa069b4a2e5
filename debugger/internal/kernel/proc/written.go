package proc

import "github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"

// Written describes the writable memory of a process. All ranges are in ascending
// order.
type Written struct {
	// Mapped is all writable memory.
	Mapped []ptrace.Range

	// Absent holds the ranges without pages, which read as zero.
	Absent []ptrace.Range

	// Pages holds the ranges that may have been written since the last call,
	// without those that are absent because they were released.
	Pages []ptrace.Range
}

// A Patch is memory that Commit writes.
type Patch struct {
	Address uint64
	Data    []byte
}
