package proc

import (
	"errors"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/guard"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// A location is an address with one or more breakpoints, and how it is watched:
// by perf events or by an int3 instruction.
type location struct {
	id          int
	address     uint64
	access      Access
	size        int
	breakpoints []*breakpoint

	events []int // perf events, one for each thread at the time of installing

	// If there are no events, the location is an int3 instruction.
	original byte // the byte that it replaces
	inserted bool // it is in memory now
}

// breakpoint is a Breakpoint and its location.
type breakpoint struct {
	Breakpoint
	at *location
}

// countHit counts a hit if it is of the right thread and the condition holds. It
// reports whether the process stops.
func (b *breakpoint) countHit(h Hit) (bool, error) {
	h.Breakpoint = b.ID
	if b.Spec.Thread != 0 && b.Spec.Thread != h.Thread {
		return false, nil
	}
	if b.Spec.Condition != nil {
		if ok, err := b.Spec.Condition(h); err != nil || !ok {
			return err != nil, err
		}
	}
	b.Hits++
	return b.Hits > b.Spec.Ignore, nil
}

func (l *location) hardware() bool { return len(l.events) > 0 }

// SetBreakpoint sets a breakpoint or watchpoint. Any number may share an
// address. It returns a *BreakpointError if the address cannot have one.
func (p *Process) SetBreakpoint(spec BreakpointSpec) (Breakpoint, error) {
	if err := spec.check(); err != nil {
		return Breakpoint{}, err
	}
	var set Breakpoint
	err := p.withTracerReadOnly(func() error {
		if p.armed {
			return ErrRunning // called by a condition
		}
		if err := p.require64Bit(); err != nil {
			return &BreakpointError{spec.Address, err.Error()}
		}
		l, err := p.findOrAddLocation(spec)
		if err != nil {
			return err
		}
		p.lastID++
		b := &breakpoint{Breakpoint{ID: p.lastID, Spec: spec, Hardware: l.hardware()}, l}
		l.breakpoints = append(l.breakpoints, b)
		p.breakpoints = append(p.breakpoints, b)
		set = b.Breakpoint
		return nil
	})
	return set, err
}

// ClearBreakpoint removes a breakpoint. It returns ErrNoBreakpoint if there is
// none with that number.
func (p *Process) ClearBreakpoint(id int) error {
	return p.withoutTracer(func() error {
		if p.armed {
			return ErrRunning
		}
		return p.remove(id)
	})
}

// Breakpoints returns the breakpoints in the order in which they were set.
func (p *Process) Breakpoints() ([]Breakpoint, error) {
	var all []Breakpoint
	err := p.withoutTracer(func() error {
		for _, b := range p.breakpoints {
			all = append(all, b.Breakpoint)
		}
		return nil
	})
	return all, err
}

// remove removes a breakpoint, and its location if it was the last one there.
func (p *Process) remove(id int) error {
	at := slices.IndexFunc(p.breakpoints, func(b *breakpoint) bool { return b.ID == id })
	if at < 0 {
		return ErrNoBreakpoint
	}
	b := p.breakpoints[at]
	p.breakpoints = slices.Delete(p.breakpoints, at, at+1)
	b.at.breakpoints = slices.DeleteFunc(b.at.breakpoints, func(x *breakpoint) bool { return x == b })
	if len(b.at.breakpoints) > 0 {
		return nil
	}
	p.locations = slices.DeleteFunc(p.locations, func(l *location) bool { return l == b.at })
	closeEvents(b.at)
	return nil
}

// consumeBreakpoint is called before a stop at a breakpoint is returned. It
// removes the breakpoint if it is for one stop only, and reports whether it was
// still set.
func (p *Process) consumeBreakpoint(id int) bool {
	at := slices.IndexFunc(p.breakpoints, func(b *breakpoint) bool { return b.ID == id })
	if at < 0 {
		return false
	}
	if p.breakpoints[at].Spec.Once {
		_ = p.remove(id)
	}
	return true
}

// forgetBreakpoints drops all breakpoints after exec, which removes perf events
// and code.
func (p *Process) forgetBreakpoints() {
	for _, l := range p.locations {
		closeEvents(l)
	}
	p.breakpoints, p.locations = nil, nil
	p.armed = false
	p.guard.Close()
	p.guard = nil
}

// locationAt returns the location for an address and a kind of access, or nil.
func (p *Process) locationAt(address uint64, access Access) *location {
	for _, l := range p.locations {
		if l.address == address && l.access == access {
			return l
		}
	}
	return nil
}

func (p *Process) locationByID(id int) *location {
	for _, l := range p.locations {
		if l.id == id {
			return l
		}
	}
	return nil
}

// softwareAt returns the location at an address if it is an int3, else nil.
func (p *Process) softwareAt(address uint64) *location {
	if l := p.locationAt(address, Execute); l != nil && !l.hardware() {
		return l
	}
	return nil
}

// findOrAddLocation returns the location for a specification, and installs it if
// it is new.
func (p *Process) findOrAddLocation(spec BreakpointSpec) (*location, error) {
	for _, l := range p.locations {
		if l.address == spec.Address && l.access == spec.Access && l.size == spec.Size {
			return l, nil
		}
	}
	m, err := p.mapFor(spec)
	if err != nil {
		return nil, err
	}
	p.lastHit++
	l := &location{id: p.lastHit, address: spec.Address, access: spec.Access, size: spec.Size}
	if err := p.install(l, m); err != nil {
		return nil, err
	}
	p.locations = append(p.locations, l)
	return l, nil
}

// mapFor returns the mapping of a breakpoint's address, or an error if it cannot
// have one.
func (p *Process) mapFor(spec BreakpointSpec) (procfs.Map, error) {
	maps, err := p.readMaps()
	if err != nil {
		return procfs.Map{}, err
	}
	m, ok := maps.Find(spec.Address)
	switch {
	case !ok:
		return m, &BreakpointError{spec.Address, "there is no memory at this address"}
	case spec.Access == Execute && !m.Execute:
		return m, &BreakpointError{spec.Address, "the memory at this address is not executable"}
	}
	return m, nil
}

// install opens perf events for a location. For an instruction it falls back to
// an int3 if there is no free debug register.
func (p *Process) install(l *location, m procfs.Map) error {
	if l.access == Execute && p.options.Software {
		return p.prepareInt3(l, m)
	}
	err := p.openEvents(l)
	switch {
	case err == nil:
		return nil
	case l.access == Execute:
		p.log.Debug("no breakpoint of the processor", "addr", l.address, "err", err)
		return p.prepareInt3(l, m)
	}
	return &BreakpointError{l.address, watchFailure(err)}
}

// watchFailure explains an error of openEvents.
func watchFailure(err error) string {
	switch {
	case errors.Is(err, unix.ENOSPC), errors.Is(err, unix.EBUSY):
		return "the processor can watch four places at a time, and all are taken"
	case errors.Is(err, unix.EACCES), errors.Is(err, unix.EPERM), errors.Is(err, unix.ENOSYS):
		return "watching memory is not permitted (allow it with sysctl kernel.perf_event_paranoid=2, or in the container's seccomp profile)"
	}
	return "the kernel does not watch this memory: " + err.Error()
}

// prepareInt3 checks that an int3 can be inserted, and starts the guard, which
// removes it if this program is killed.
func (p *Process) prepareInt3(l *location, m procfs.Map) error {
	if m.Shared {
		return &BreakpointError{l.address, "other processes share this code, and the processor has no breakpoint left"}
	}
	if err := p.startGuard(); err != nil {
		return &BreakpointError{l.address, "the guard process does not start: " + err.Error()}
	}
	var b [1]byte
	if _, err := p.memory.Read(l.address, b[:]); err != nil {
		return &BreakpointError{l.address, err.Error()}
	}
	if _, err := p.memory.Write(l.address, b[:]); err != nil {
		return &BreakpointError{l.address, err.Error()}
	}
	return nil
}

// arm enables all breakpoints. Int3 instructions are not inserted while a
// detached child shares the memory.
func (p *Process) arm() error {
	p.forgetSharers()
	p.armed = true
	var errs error
	for _, l := range p.locations {
		switch {
		case l.hardware():
			errs = errors.Join(errs, l.control(unix.PERF_EVENT_IOC_ENABLE))
		case len(p.sharers) == 0:
			errs = errors.Join(errs, p.insertInt3(l))
		}
	}
	return errs
}

// disarm disables all breakpoints.
func (p *Process) disarm() error {
	if !p.armed || p.ended != nil {
		return nil
	}
	p.armed = false
	var errs error
	for _, l := range p.locations {
		if l.hardware() {
			errs = errors.Join(errs, l.control(unix.PERF_EVENT_IOC_DISABLE))
		} else {
			errs = errors.Join(errs, p.removeInt3(l))
		}
	}
	return errs
}

// insertInt3 writes an int3, after the guard has recorded it.
func (p *Process) insertInt3(l *location) error {
	if l.inserted {
		return nil
	}
	var b [1]byte
	if _, err := p.memory.Read(l.address, b[:]); err != nil {
		return nil //nolint:nilerr // unmapped by now: no thread can execute it
	}
	l.original = b[0]
	if err := p.guard.Remember(l.address, l.original); err != nil {
		return err
	}
	l.inserted = true
	_, err := p.memory.Write(l.address, []byte{guard.Int3})
	return err
}

// removeInt3 restores the original byte, unless the program has changed it.
func (p *Process) removeInt3(l *location) error {
	if !l.inserted {
		return nil
	}
	l.inserted = false
	if err := restoreByte(p.memory, l.address, l.original); err != nil {
		return err
	}
	return p.guard.Forget(l.address)
}

// restoreByte replaces an int3 by the original byte, if it is still there.
func restoreByte(m *ptrace.Memory, address uint64, original byte) error {
	var b [1]byte
	if _, err := m.Read(address, b[:]); err != nil || b[0] != guard.Int3 {
		return nil //nolint:nilerr // unmapped or rewritten: nothing of ours is there
	}
	_, err := m.Write(address, []byte{original})
	return err
}

// hideBreakpoints replaces inserted int3 instructions by the original bytes in b,
// which was read at address.
func (p *Process) hideBreakpoints(address uint64, b []byte) {
	for _, l := range p.locations {
		if at := l.address - address; l.inserted && at < uint64(len(b)) {
			b[at] = l.original
		}
	}
}
