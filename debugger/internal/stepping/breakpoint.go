package stepping

import (
	"github.com/triptych-mcp/triptych/debugger/internal/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/symbols"
)

// A Breakpoint is a breakpoint or watchpoint as the client knows it: with a number
// of its own, at one or more places.
type Breakpoint struct {
	ID        int
	procIDs   []int // of proc's breakpoints
	Places    []symbols.Location
	Condition string
	Holds     func(proc.Hit) (bool, error) // nil without a condition
	Once      bool
	Ignore    int
	Thread    int // the only one to stop; 0 is all
	StepHits  int // those that steps came to, of which proc knows nothing

	Watch *Watch // nil for breakpoints
}

// A Watch is memory that is watched.
type Watch struct {
	Address    uint64
	Size       int
	Access     proc.Access
	Expression string // the expression that said where
	// recorded says that the processor does not watch it.
	Recorded bool
	Last     []byte // what was there at the last stop
}

// maxBreakpoints bounds the breakpoints and watchpoints of a session.
const maxBreakpoints = 200
