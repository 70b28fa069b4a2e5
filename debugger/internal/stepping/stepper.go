package stepping

import (
	"sync/atomic"

	"github.com/triptych-mcp/triptych/debugger/internal/history"
	"github.com/triptych-mcp/triptych/debugger/internal/inspect"
	"github.com/triptych-mcp/triptych/debugger/internal/procfs"
)

// A Stepper goes through the execution of a target, live or recorded, forward
// and backward. It belongs to one goroutine at a time.
type Stepper struct {
	*inspect.Inspector

	Breakpoints *Breakpoints
	Stale       bool        // the maps may have changed
	mapped      procfs.Maps // as the symbols know them

	loader loaderStop
	panics panicStops

	// Recorder is nil until something is recorded.
	Recorder *history.Recorder
	budget   int

	// NoTranslate makes the Stepper record all steps one by one.
	NoTranslate bool

	translates bool   // the process runs translated, and is recorded
	slow       string // why steps were last recorded one by one

	oldest uint64   // as of the last stop
	Notes  []string // for the next stop

	Logged        Logged       // by logpoints
	RecordedSteps atomic.Int64 // of the recording in progress
}

// NewStepper returns a Stepper whose history may take budget bytes; 0 means
// the default.
func NewStepper(i *inspect.Inspector, budget int) *Stepper {
	return &Stepper{Inspector: i, Breakpoints: newBreakpoints(i.Target), Stale: true, budget: budget}
}

// KeepHistory lets histories that begin from now on take so many bytes; 0 changes nothing.
func (s *Stepper) KeepHistory(budget int) {
	if budget > 0 {
		s.budget = budget
	}
}

// HistoryBudget returns how many bytes a history may take; 0 means the default.
func (s *Stepper) HistoryBudget() int { return s.budget }
