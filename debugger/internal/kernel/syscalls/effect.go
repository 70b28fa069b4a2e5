package syscalls

import "github.com/triptych-mcp/triptych/debugger/internal/machine/x86"

// A Call is a system call that is about to be made.
type Call struct {
	Number uint64
	Args   [6]uint64
}

// A Reader reads the memory of the process and reports whether it could read all
// of b.
type Reader func(addr uint64, b []byte) bool

// An Effect describes the changes that a call may make.
type Effect struct {
	Name   string
	Writes []x86.Span // not empty; ranges may overlap and include unmapped addresses

	Unknown     bool // Writes is incomplete
	Maps        bool // mappings may change
	Threads     bool // a thread may be created
	SignalStack bool // the signal stack may change
	Vector      bool // the vector state may change
	ThreadEnds  bool // the thread ends
	Ends        bool // the process ends
}

// effect is an Effect under construction.
type effect struct {
	Effect
	call Call
	read Reader
}

// add adds a range. It ignores null pointers, which the kernel either permits or
// rejects.
func (e *effect) add(addr, n uint64) {
	if addr != 0 && n != 0 {
		e.Writes = append(e.Writes, x86.Span{Addr: addr, Len: n})
	}
}
