package stepping

import (
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
)

// A Breakpoint is a breakpoint or watchpoint as clients see it: with a number
// of its own, at one or more addresses.
type Breakpoint struct {
	ID        int
	procIDs   []int // of proc's breakpoints
	Site      Site  // as the client gave it
	Places    []symbols.Location
	former    []symbols.Location // before its library was unmapped
	Pending   bool               // its site is not known yet
	Note      string             // that its line has moved, else ""
	Condition string
	Hits      string                       // a condition on the number of hits, see SetHitCondition
	Holds     func(proc.Hit) (bool, error) // nil without a condition
	Each      bool                         // every hit is used, none stops
	Once      bool
	Ignore    int
	Thread    int // the only one to stop; 0 is all
	StepHits  int // hits found by steps, which proc does not count

	LogMessage string // of a logpoint, which does not stop
	Logged     int    // how often a logpoint has logged

	Watch    *Watch    // nil for breakpoints
	Syscalls *Syscalls // nil unless it is at system calls, which have no places
}

// A Watch is the memory of a watchpoint.
type Watch struct {
	Address    uint64
	Size       int
	Mask       []byte   // the bits of a bit-field; nil for all bits
	Shared     []string // names of the bit-fields in the same bytes
	Access     proc.Access
	Expression string // that gave the address, "" if none did
	// Recorded means that the processor does not watch the memory: writes are
	// found while steps are recorded and in the past.
	Recorded bool
	Last     Sample // what was there at the last stop
}

// maxBreakpoints bounds the breakpoints and watchpoints of a session.
const maxBreakpoints = 200
