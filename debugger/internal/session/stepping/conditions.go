package stepping

import (
	"slices"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
)

// stopConditions checks breakpoints in software while steps are recorded or
// replayed, as the processor does not. In the past hits are not counted and
// hit_count is ignored.
type stopConditions struct {
	s        *Stepper
	past     bool
	at       map[uint64][]*Breakpoint
	watches  []*Breakpoint
	syscalls syscallWatch
	before   map[*Breakpoint]int // hits that the process has counted, of those that ignore some
	last     struct {            // the place before, for instructions that repeat
		thread int
		pc     uint64
	}

	loader  uint64 // where pending breakpoints are set, 0 if there are none
	loading bool   // the loader was reached
	// onlyLoading means that the steps have stopped for no other reason.
	onlyLoading bool
	found       *Breakpoint
	backward    bool  // found on the way back, before the write
	err         error // why its condition could not be decided
}

// newStopConditions returns the conditions of all breakpoints, from the
// current position on.
func (s *Stepper) newStopConditions(inPast bool) *stopConditions {
	l := &stopConditions{s: s, past: inPast, at: map[uint64][]*Breakpoint{}, before: map[*Breakpoint]int{}}
	l.syscalls.calls, l.syscalls.pending, l.syscalls.from = map[uint64]bool{}, map[int]proc.Syscall{}, map[int]uint64{}
	if !inPast {
		l.loader = s.Breakpoints.loader.address
		l.addPanics()
	}
	for _, m := range s.Breakpoints.ByID {
		if m.Watch != nil {
			l.watches = append(l.watches, m)
			continue
		}
		if m.Syscalls != nil {
			l.syscalls.breakpoints = append(l.syscalls.breakpoints, m)
			continue
		}
		places := m.Places
		if inPast {
			places = slices.Concat(places, m.former)
		}
		for _, p := range places {
			if !slices.Contains(l.at[p.Addr], m) {
				l.at[p.Addr] = append(l.at[p.Addr], m)
			}
		}
		if hits, err := s.Breakpoints.hits(m); m.Ignore > 0 && err == nil {
			l.before[m] = hits
		}
	}
	if regs, err := s.Target.View.Regs(0); err == nil {
		l.last.thread, _ = s.Target.View.CurrentThread()
		l.last.pc = regs.RIP
	}
	if len(l.syscalls.breakpoints) > 0 && s.Target.History != nil {
		l.syscalls.reaches(s.Target.History.View(), false) // the first step may make a call
	}
	return l
}

// addPanics adds the stops at panics.
func (l *stopConditions) addPanics() {
	if b := l.s.Breakpoints.panics.b; b != nil {
		for _, p := range b.Places {
			l.at[p.Addr] = append(l.at[p.Addr], b)
		}
	}
}

// empty reports whether there is nothing to check.
func (l *stopConditions) empty() bool {
	return len(l.at)+len(l.watches)+len(l.syscalls.breakpoints) == 0 && l.loader == 0
}

// until returns a function that reports whether a forward step has reached a
// stop, by the conditions or by until, which may be nil.
func (l *stopConditions) until(until func(*history.View) bool) func(*history.View) bool {
	if l.empty() {
		return until
	}
	return func(v *history.View) bool {
		if l.stopsForward(v) || until != nil && until(v) {
			return true
		}
		l.onlyLoading = l.loading
		return l.loading
	}
}

// stopsForward reports whether a breakpoint stops at the view, to which a
// forward step has just moved.
func (l *stopConditions) stopsForward(v *history.View) bool {
	pc, thread := v.PC(), v.Thread()
	repeats := l.last.pc == pc && l.last.thread == thread
	l.last.pc, l.last.thread = pc, thread
	l.loading = l.loader == pc && l.loader != 0
	if !repeats && l.arrived(pc, v.Position()-1) {
		for _, m := range l.at[pc] {
			if l.counts(m, thread, pc) {
				return true
			}
		}
	}
	for _, m := range l.watches {
		if l.s.Target.History.Steps.Wrote(v.Position()-1, m.Watch.Address, uint64(m.Watch.Size)) && l.counts(m, thread, pc) {
			return true
		}
	}
	return !repeats && l.stopsAtSyscall(v, true)
}

// stopsBackward reports whether a breakpoint stops at the view, to which a
// backward step has just moved. Watched memory stops before it is written.
func (l *stopConditions) stopsBackward(v *history.View) bool {
	pc, thread := v.PC(), v.Thread()
	l.backward = true
	for _, m := range l.watches {
		if l.s.Target.History.Steps.Wrote(v.Position(), m.Watch.Address, uint64(m.Watch.Size)) && l.counts(m, thread, pc) {
			return true
		}
	}
	if l.arrived(pc, v.Position()) {
		for _, m := range l.at[pc] {
			if l.counts(m, thread, pc) {
				return true
			}
		}
	}
	return l.stopsAtSyscall(v, false)
}

// arrived reports whether a breakpoint is at an address and the record that was moved over
// is one of the process. A change that the debugger made while the thread stood at the
// breakpoint does not make the thread arrive there again.
func (l *stopConditions) arrived(pc, record uint64) bool {
	return len(l.at[pc]) > 0 && l.s.Target.History.Steps.Kind(record) != history.Changed
}

// counts reports whether a breakpoint that was reached stops the thread. A
// condition that cannot be evaluated does.
func (l *stopConditions) counts(m *Breakpoint, thread int, pc uint64) bool {
	if m.Thread != 0 && m.Thread != thread {
		return false
	}
	if m.Holds != nil {
		holds, err := m.Holds(proc.Hit{Thread: thread, Breakpoint: m.ID, Address: pc})
		if err == nil && !holds {
			return false
		}
		l.err = err
	}
	l.found = m
	if l.past {
		return true
	}
	m.StepHits++
	if l.err != nil || l.before[m]+m.StepHits > m.Ignore {
		return true
	}
	l.found = nil
	return false
}

// stop makes a stop one at the breakpoint that was found. Its Breakpoint is
// the client's number, negated, as breakpoints that only steps check have no
// number in the process.
func (l *stopConditions) stop(stop proc.Stop) proc.Stop {
	stop.Why, stop.Breakpoint, stop.Err = proc.AtBreakpoint, -l.found.ID, l.err
	switch {
	case l.found == l.s.Breakpoints.panics.b:
		stop.Why = AtPanic
	case l.found.Syscalls != nil:
		stop.Why, stop.Syscall = proc.AtSyscall, l.syscalls.found
	case l.found.Watch == nil:
	case l.backward:
		stop.Why = AtWrite
	default:
		stop.Why = proc.AtWatchpoint
	}
	return stop
}
