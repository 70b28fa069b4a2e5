package stepping

import (
	"errors"
	"maps"
	"slices"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/session/failure"
	"github.com/triptych-mcp/triptych/debugger/internal/session/inspect"
	"github.com/triptych-mcp/triptych/debugger/internal/session/target"
)

// Breakpoints are the breakpoints and watchpoints of a session.
type Breakpoints struct {
	inspector *inspect.Inspector
	target    *target.Target
	timeline  *Timeline
	maps      *Maps
	sites     *Sites
	watches   *Watches

	ByID map[int]*Breakpoint
	made int // how many were ever added

	loader loaderStop
	panics panicStops
	Logged Logged // by logpoints
}

// Set sets a breakpoint at one address. If that fails, the addresses set
// before are cleared.
func (bs *Breakpoints) Set(m *Breakpoint, spec proc.BreakpointSpec) error {
	if bs.target.Process == nil {
		return bs.checkTrace(spec)
	}
	bp, err := bs.target.Process.SetBreakpoint(spec)
	if err != nil {
		return errors.Join(err, bs.Clear(m))
	}
	m.procIDs = append(m.procIDs, bp.ID)
	return nil
}

// checkTrace returns an error if the target, a trace, cannot have a breakpoint
// at the address.
func (bs *Breakpoints) checkTrace(spec proc.BreakpointSpec) error {
	maps, err := bs.target.View.Maps()
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
func (bs *Breakpoints) Clear(m *Breakpoint) error {
	var errs error
	for _, id := range m.procIDs {
		if err := bs.target.Process.ClearBreakpoint(id); !errors.Is(err, proc.ErrNoBreakpoint) {
			errs = errors.Join(errs, err)
		}
	}
	if errors.Is(errs, proc.ErrRunning) {
		return errs
	}
	if delete(bs.ByID, m.ID); m.Syscalls != nil {
		errs = errors.Join(errs, proc.UnlessEnded(bs.catchSyscalls()))
	}
	return errs
}

// unset removes a breakpoint from its addresses, which may not be mapped any more, and
// keeps the number of its hits.
func (bs *Breakpoints) unset(m *Breakpoint) {
	hits, _ := bs.hits(m) // none if the process has ended
	m.StepHits += hits
	for _, id := range m.procIDs {
		_ = bs.target.Process.ClearBreakpoint(id) // it is removed also if its memory cannot be written
	}
	m.procIDs = nil
}

// Add gives a breakpoint the next number. Numbers are not reused.
func (bs *Breakpoints) Add(m *Breakpoint) error {
	if len(bs.ByID) >= maxBreakpoints {
		return errors.Join(failure.Breakpointf("there are %d already, which is the limit", maxBreakpoints), bs.Clear(m))
	}
	bs.made++
	m.ID = bs.made
	bs.ByID[m.ID] = m
	if m.Syscalls != nil {
		return bs.catchSyscalls()
	}
	return nil
}

// restore adds a breakpoint under the number that it has.
func (bs *Breakpoints) restore(b *Breakpoint) {
	bs.made = max(bs.made, b.ID)
	bs.ByID[b.ID] = b
}

// Sorted returns the breakpoints by their numbers.
func (bs *Breakpoints) Sorted() []*Breakpoint {
	all := make([]*Breakpoint, 0, len(bs.ByID))
	for _, id := range slices.Sorted(maps.Keys(bs.ByID)) {
		all = append(all, bs.ByID[id])
	}
	return all
}

// OfProcess returns the breakpoints of the process that belong to a
// breakpoint.
func (bs *Breakpoints) OfProcess(m *Breakpoint) ([]proc.Breakpoint, error) {
	if len(m.procIDs) == 0 {
		return nil, nil
	}
	all, err := bs.target.Process.Breakpoints()
	return slices.DeleteFunc(all, func(bp proc.Breakpoint) bool { return !slices.Contains(m.procIDs, bp.ID) }), err
}

// hits returns how often the process reached a breakpoint; steps are not
// counted.
func (bs *Breakpoints) hits(m *Breakpoint) (n int, err error) {
	set, err := bs.OfProcess(m)
	for _, bp := range set {
		n += bp.Hits
	}
	return n, err
}

// Find returns the breakpoint that a stop is about, nil if there is none.
// Negative ids come from stopConditions.stop.
func (bs *Breakpoints) Find(id int) *Breakpoint {
	if id < 0 {
		return bs.ByID[-id]
	}
	for _, m := range bs.ByID {
		if slices.Contains(m.procIDs, id) {
			return m
		}
	}
	return nil
}
