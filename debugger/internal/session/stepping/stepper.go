package stepping

import (
	"sync/atomic"

	"github.com/triptych-mcp/triptych/debugger/internal/session/inspect"
	"github.com/triptych-mcp/triptych/debugger/internal/session/target"
)

// A Stepper goes through the execution of a target, live or recorded, forward
// and backward. It belongs to one goroutine at a time, and so do its parts.
type Stepper struct {
	Inspector   *inspect.Inspector
	Target      *target.Target // of the Inspector
	Timeline    *Timeline
	Maps        *Maps
	Sites       *Sites
	Watches     *Watches
	Breakpoints *Breakpoints

	// NoTranslate makes the Stepper record all steps one by one.
	NoTranslate bool

	slow          string       // why steps were last recorded one by one
	RecordedSteps atomic.Int64 // of the recording in progress
}

// NewStepper returns a Stepper whose history has a budget.
func NewStepper(i *inspect.Inspector, budget Budget) *Stepper {
	s := &Stepper{Inspector: i, Target: i.Target}
	s.Timeline = &Timeline{target: i.Target, log: i.Log, budget: budget}
	s.Maps = &Maps{inspector: i, target: i.Target, timeline: s.Timeline, Stale: true}
	s.Sites = &Sites{inspector: i, target: i.Target}
	s.Watches = &Watches{target: i.Target, timeline: s.Timeline}
	s.Breakpoints = &Breakpoints{
		inspector: i, target: i.Target, timeline: s.Timeline, maps: s.Maps, sites: s.Sites, watches: s.Watches,
		ByID: map[int]*Breakpoint{},
	}
	return s
}
