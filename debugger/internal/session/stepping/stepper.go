package stepping

import (
	"cmp"
	"sync/atomic"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
	"github.com/triptych-mcp/triptych/debugger/internal/session/inspect"
	"github.com/triptych-mcp/triptych/debugger/internal/session/target"
)

// A Stepper goes through the execution of a target, live or recorded, forward
// and backward. It belongs to one goroutine at a time.
type Stepper struct {
	Inspector *inspect.Inspector
	Target    *target.Target // of the Inspector

	Breakpoints *Breakpoints
	Stale       bool        // the maps may have changed
	mapped      procfs.Maps // as the symbols know them

	loader loaderStop
	panics panicStops

	// Recorder is nil until something is recorded.
	Recorder *history.Recorder
	budget   Budget

	// HistoryFolder is the folder of the file of the budget. The file has no name there.
	HistoryFolder string

	// NoTranslate makes the Stepper record all steps one by one.
	NoTranslate bool

	translates bool   // the process runs translated, and is recorded
	slow       string // why steps were last recorded one by one

	oldest uint64   // as of the last stop
	Notes  []string // for the next stop

	Logged        Logged       // by logpoints
	RecordedSteps atomic.Int64 // of the recording in progress
}

// A Budget says how many bytes a history may take, and where. The zero value means the
// default.
type Budget struct {
	Memory int // in memory; 0 means the default
	File   int // of recordings by translation, in a file; 0 means that they are in memory, too
}

// NewStepper returns a Stepper whose history has a budget.
func NewStepper(i *inspect.Inspector, budget Budget) *Stepper {
	return &Stepper{Inspector: i, Target: i.Target, Breakpoints: newBreakpoints(i.Target), Stale: true, budget: budget}
}

// KeepHistory gives histories that begin from now on a budget. The zero value changes nothing,
// and without an amount of memory, that stays as it is.
func (s *Stepper) KeepHistory(b Budget) {
	if b == (Budget{}) {
		return
	}
	b.Memory = cmp.Or(b.Memory, s.budget.Memory)
	s.budget = b
}

// HistoryBudget returns what a history may take.
func (s *Stepper) HistoryBudget() Budget { return s.budget }
