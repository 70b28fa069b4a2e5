package stepping

import (
	"errors"
	"maps"
	"slices"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/session/failure"
	"github.com/triptych-mcp/triptych/debugger/internal/session/target"
)

// Breakpoints are the breakpoints and watchpoints of a session.
type Breakpoints struct {
	target *target.Target
	ByID   map[int]*Breakpoint
	made   int // how many were ever added
}

func newBreakpoints(on *target.Target) *Breakpoints {
	return &Breakpoints{target: on, ByID: map[int]*Breakpoint{}}
}

// Set sets a breakpoint at one address. If that fails, the addresses set
// before are cleared.
func (t *Breakpoints) Set(m *Breakpoint, spec proc.BreakpointSpec) error {
	if t.target.Process == nil {
		return t.checkTrace(spec)
	}
	bp, err := t.target.Process.SetBreakpoint(spec)
	if err != nil {
		return errors.Join(err, t.Clear(m))
	}
	m.procIDs = append(m.procIDs, bp.ID)
	return nil
}

// checkTrace returns an error if the target, a trace, cannot have a breakpoint
// at the address.
func (t *Breakpoints) checkTrace(spec proc.BreakpointSpec) error {
	maps, err := t.target.View.Maps()
	m, mapped := maps.Find(spec.Address)
	switch {
	case err != nil:
		return err
	case !mapped:
		return failure.Breakpointf("nothing is mapped at %#x", spec.Address)
	case spec.Access == proc.Execute && !m.Execute:
		return failure.Breakpointf("the memory at %#x is not executable", spec.Address)
	}
	return nil
}

// Clear removes a breakpoint from all its addresses. If the process is running, the error is
// [proc.ErrRunning] and the breakpoint stays.
func (t *Breakpoints) Clear(m *Breakpoint) error {
	var errs error
	for _, id := range m.procIDs {
		if err := t.target.Process.ClearBreakpoint(id); !errors.Is(err, proc.ErrNoBreakpoint) {
			errs = errors.Join(errs, err)
		}
	}
	if errors.Is(errs, proc.ErrRunning) {
		return errs
	}
	if delete(t.ByID, m.ID); m.Syscalls != nil {
		errs = errors.Join(errs, proc.UnlessEnded(t.catchSyscalls()))
	}
	return errs
}

// unset removes a breakpoint from its addresses, which may not be mapped any more, and
// keeps the number of its hits.
func (t *Breakpoints) unset(m *Breakpoint) {
	hits, _ := t.hits(m) // none if the process has ended
	m.StepHits += hits
	for _, id := range m.procIDs {
		_ = t.target.Process.ClearBreakpoint(id) // it is removed also if its memory cannot be written
	}
	m.procIDs = nil
}

// Add gives a breakpoint the next number. Numbers are not reused.
func (t *Breakpoints) Add(m *Breakpoint) error {
	if len(t.ByID) >= maxBreakpoints {
		return errors.Join(failure.Breakpointf("there are %d already, which is the limit", maxBreakpoints), t.Clear(m))
	}
	t.made++
	m.ID = t.made
	t.ByID[m.ID] = m
	if m.Syscalls != nil {
		return t.catchSyscalls()
	}
	return nil
}

// restore adds a breakpoint under the number that it has.
func (t *Breakpoints) restore(b *Breakpoint) {
	t.made = max(t.made, b.ID)
	t.ByID[b.ID] = b
}

// Sorted returns the breakpoints by their numbers.
func (t *Breakpoints) Sorted() []*Breakpoint {
	all := make([]*Breakpoint, 0, len(t.ByID))
	for _, id := range slices.Sorted(maps.Keys(t.ByID)) {
		all = append(all, t.ByID[id])
	}
	return all
}

// OfProcess returns the breakpoints of the process that belong to a
// breakpoint.
func (t *Breakpoints) OfProcess(m *Breakpoint) ([]proc.Breakpoint, error) {
	if len(m.procIDs) == 0 {
		return nil, nil
	}
	all, err := t.target.Process.Breakpoints()
	return slices.DeleteFunc(all, func(bp proc.Breakpoint) bool { return !slices.Contains(m.procIDs, bp.ID) }), err
}

// hits returns how often the process reached a breakpoint; steps are not
// counted.
func (t *Breakpoints) hits(m *Breakpoint) (n int, err error) {
	set, err := t.OfProcess(m)
	for _, bp := range set {
		n += bp.Hits
	}
	return n, err
}

// Find returns the breakpoint that a stop is about, nil if there is none.
// Negative ids come from stopConditions.stop.
func (t *Breakpoints) Find(id int) *Breakpoint {
	if id < 0 {
		return t.ByID[-id]
	}
	for _, m := range t.ByID {
		if slices.Contains(m.procIDs, id) {
			return m
		}
	}
	return nil
}
