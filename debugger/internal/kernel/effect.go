package kernel

import "github.com/triptych-mcp/triptych/debugger/internal/x86"

// A Call is a system call that is about to be made.
type Call struct {
	Number uint64
	Args   [6]uint64
}

// A Reader reads the memory of the process and says whether all could be read.
type Reader func(addr uint64, b []byte) bool

// An Effect describes what a call may change.
type Effect struct {
	Name   string
	Writes []x86.Span // none of them empty; they may overlap and reach into nowhere

	Unknown     bool // Writes is not all
	Maps        bool // mappings may change
	Threads     bool // a thread may come
	SignalStack bool // the stack for signals may change
	Vector      bool // the vector state may change
	ThreadEnds  bool // the thread ends
	Ends        bool // the process ends
}

// effect is an Effect in the making.
type effect struct {
	Effect
	call Call
	read Reader
}

// add notes a range. Null pointers are everywhere allowed or refused.
func (e *effect) add(addr, n uint64) {
	if addr != 0 && n != 0 {
		e.Writes = append(e.Writes, x86.Span{Addr: addr, Len: n})
	}
}
