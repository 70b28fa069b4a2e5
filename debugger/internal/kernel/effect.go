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

// Of says what a call may do. read is asked for the lengths that are in memory.
func Of(call Call, read Reader) Effect {
	r, ok := rows[call.Number]
	if !ok {
		return Effect{Unknown: true}
	}
	e := &effect{call: call, read: read, Effect: Effect{
		Name:        r.name,
		Unknown:     r.does&unknown != 0,
		Maps:        r.does&maps != 0,
		Threads:     r.does&threads != 0,
		SignalStack: r.does&signalStack != 0,
		Vector:      r.does&vector != 0,
		ThreadEnds:  r.does&threadEnds != 0,
		Ends:        r.does&ends != 0,
	}}
	for _, o := range r.out {
		o(e)
	}
	return e.Effect
}

// Name is a call's name, or "" if it is in no row.
func Name(number uint64) string { return rows[number].name }

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
