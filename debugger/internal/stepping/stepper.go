package stepping

import (
	"sync/atomic"

	"github.com/triptych-mcp/triptych/debugger/internal/history"
	"github.com/triptych-mcp/triptych/debugger/internal/inspect"
	"github.com/triptych-mcp/triptych/debugger/internal/proc"
)

// A Stepper goes through the execution of a debuggee, live or recorded: steps,
// breakpoints, and the way back. It belongs to one goroutine at a time.
type Stepper struct {
	*inspect.Inspector

	Breakpoints *Breakpoints
	Stale       bool      // the maps may have changed
	mapped      proc.Maps // that the program knows

	// recorder is nil until something is recorded.
	Recorder *history.Recorder
	budget   int
	oldest   uint64   // when it was looked at last
	Notes    []string // to be told with the next stop

	RecordedSteps atomic.Int64 // steps of the recording that is on
}

// NewStepper makes one whose history may take so many bytes, 0 for the usual.
func NewStepper(i *inspect.Inspector, budget int) *Stepper {
	return &Stepper{Inspector: i, Breakpoints: newBreakpoints(i.Target), Stale: true, budget: budget}
}
