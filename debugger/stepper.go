package debugger

import (
	"sync/atomic"

	"github.com/triptych-mcp/triptych/debugger/internal/history"
	"github.com/triptych-mcp/triptych/debugger/internal/proc"
)

// A stepper goes through the execution of a debuggee, live or recorded: steps,
// breakpoints, and the way back. It belongs to one goroutine at a time.
type stepper struct {
	*inspector

	marks  *markTable
	stale  bool      // the maps may have changed
	mapped proc.Maps // that the program knows

	// recorder is nil until something is recorded.
	recorder *history.Recorder
	budget   int
	oldest   uint64   // when it was looked at last
	notes    []string // to be told with the next stop

	recorded atomic.Int64 // steps of the recording that is on
}

// newStepper makes one whose history may take so many bytes, 0 for the usual.
func newStepper(i *inspector, budget int) *stepper {
	return &stepper{inspector: i, marks: newMarkTable(i.debuggee), stale: true, budget: budget}
}
