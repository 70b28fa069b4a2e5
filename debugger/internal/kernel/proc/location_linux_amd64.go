package proc

import (
	"errors"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/guard"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// breakpoints holds the breakpoints and inserts them while the process runs.
type breakpoints struct {
	tracer  *ptrace.Tracer
	tracee  *tracee
	threads *threads
	rescue  *rescue

	list      []*breakpoint
	locations []*location
	lastID    int
	armed     bool
	sharers   []int // children that share the memory, detached or held
}

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
		if p.breakpoints.armed {
			return ErrRunning // called by a condition
		}
		if err := p.tracee.require64Bit(); err != nil {
			return &BreakpointError{spec.Address, err.Error()}
		}
		l, err := p.breakpoints.findOrAddLocation(spec)
		if err != nil {
			return err
		}
		p.breakpoints.lastID++
		b := &breakpoint{Breakpoint{ID: p.breakpoints.lastID, Spec: spec, Hardware: l.hardware()}, l}
		l.breakpoints = append(l.breakpoints, b)
		p.breakpoints.list = append(p.breakpoints.list, b)
		set = b.Breakpoint
		return nil
	})
	return set, err
}

// ClearBreakpoint removes a breakpoint. It returns ErrNoBreakpoint if there is
// none with that number.
func (p *Process) ClearBreakpoint(id int) error {
	return p.withoutTracer(func() error {
		if p.breakpoints.armed {
			return ErrRunning
		}
		return p.breakpoints.remove(id)
	})
}

// Breakpoints returns the breakpoints in the order in which they were set.
func (p *Process) Breakpoints() ([]Breakpoint, error) {
	var all []Breakpoint
	err := p.withoutTracer(func() error {
		for _, b := range p.breakpoints.list {
			all = append(all, b.Breakpoint)
		}
		return nil
	})
	return all, err
}

// remove removes a breakpoint, and its location if it was the last one there.
func (bs *breakpoints) remove(id int) error {
	at := slices.IndexFunc(bs.list, func(b *breakpoint) bool { return b.ID == id })
	if at < 0 {
		return ErrNoBreakpoint
	}
	b := bs.list[at]
	bs.list = slices.Delete(bs.list, at, at+1)
	b.at.breakpoints = slices.DeleteFunc(b.at.breakpoints, func(x *breakpoint) bool { return x == b })
	if len(b.at.breakpoints) > 0 {
		return nil
	}
	bs.locations = slices.DeleteFunc(bs.locations, func(l *location) bool { return l == b.at })
	closeEvents(b.at)
	return nil
}

// consume is called before a stop at a breakpoint is returned. It
// removes the breakpoint if it is for one stop only, and reports whether it was
// still set.
func (bs *breakpoints) consume(id int) bool {
	at := slices.IndexFunc(bs.list, func(b *breakpoint) bool { return b.ID == id })
	if at < 0 {
		return false
	}
	if bs.list[at].Spec.Once {
		_ = bs.remove(id)
	}
	return true
}

// forget drops all breakpoints after exec, which removes perf events
// and code.
func (bs *breakpoints) forget() {
	for _, l := range bs.locations {
		closeEvents(l)
	}
	bs.list, bs.locations = nil, nil
	bs.armed = false
}

// locationAt returns the location for an address and a kind of access, or nil.
func (bs *breakpoints) locationAt(address uint64, access Access) *location {
	for _, l := range bs.locations {
		if l.address == address && l.access == access {
			return l
		}
	}
	return nil
}

func (bs *breakpoints) locationByID(id int) *location {
	for _, l := range bs.locations {
		if l.id == id {
			return l
		}
	}
	return nil
}

// softwareAt returns the location at an address if it is an int3, else nil.
func (bs *breakpoints) softwareAt(address uint64) *location {
	if l := bs.locationAt(address, Execute); l != nil && !l.hardware() {
		return l
	}
	return nil
}

// findOrAddLocation returns the location for a specification, and installs it if
// it is new.
func (bs *breakpoints) findOrAddLocation(spec BreakpointSpec) (*location, error) {
	for _, l := range bs.locations {
		if l.address == spec.Address && l.access == spec.Access && l.size == spec.Size {
			return l, nil
		}
	}
	m, err := bs.mapFor(spec)
	if err != nil {
		return nil, err
	}
	bs.threads.lastReport++
	l := &location{id: bs.threads.lastReport, address: spec.Address, access: spec.Access, size: spec.Size}
	if err := bs.install(l, m); err != nil {
		return nil, err
	}
	bs.locations = append(bs.locations, l)
	return l, nil
}

// mapFor returns the mapping of a breakpoint's address, or an error if it cannot
// have one.
func (bs *breakpoints) mapFor(spec BreakpointSpec) (procfs.Map, error) {
	maps, err := bs.tracee.readMaps()
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
func (bs *breakpoints) install(l *location, m procfs.Map) error {
	if l.access == Execute && bs.tracee.options.Software {
		return bs.prepareInt3(l, m)
	}
	err := bs.openEvents(l)
	switch {
	case err == nil:
		return nil
	case l.access == Execute:
		bs.tracee.log.Debug("no breakpoint of the processor", "addr", l.address, "err", err)
		return bs.prepareInt3(l, m)
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
func (bs *breakpoints) prepareInt3(l *location, m procfs.Map) error {
	if m.Shared {
		return &BreakpointError{l.address, "other processes share this code, and the processor has no breakpoint left"}
	}
	if err := bs.rescue.startGuard(); err != nil {
		return &BreakpointError{l.address, "the guard process does not start: " + err.Error()}
	}
	var b [1]byte
	if _, err := bs.tracee.memory.Read(l.address, b[:]); err != nil {
		return &BreakpointError{l.address, err.Error()}
	}
	if _, err := bs.tracee.memory.Write(l.address, b[:]); err != nil {
		return &BreakpointError{l.address, err.Error()}
	}
	return nil
}

// arm enables all breakpoints. Int3 instructions are not inserted while a
// detached child shares the memory.
func (bs *breakpoints) arm() error {
	bs.forgetSharers()
	bs.armed = true
	var errs error
	for _, l := range bs.locations {
		switch {
		case l.hardware():
			errs = errors.Join(errs, l.control(unix.PERF_EVENT_IOC_ENABLE))
		case len(bs.sharers) == 0:
			errs = errors.Join(errs, bs.insertInt3(l))
		}
	}
	return errs
}

// disarm disables all breakpoints.
func (bs *breakpoints) disarm() error {
	if !bs.armed || bs.tracee.ended != nil {
		return nil
	}
	bs.armed = false
	var errs error
	for _, l := range bs.locations {
		if l.hardware() {
			errs = errors.Join(errs, l.control(unix.PERF_EVENT_IOC_DISABLE))
		} else {
			errs = errors.Join(errs, bs.removeInt3(l))
		}
	}
	return errs
}

// insertInt3 writes an int3, after the guard has recorded it.
func (bs *breakpoints) insertInt3(l *location) error {
	if l.inserted {
		return nil
	}
	var b [1]byte
	if _, err := bs.tracee.memory.Read(l.address, b[:]); err != nil {
		return nil //nolint:nilerr // unmapped by now: no thread can execute it
	}
	l.original = b[0]
	if err := bs.rescue.guard.Remember(l.address, l.original); err != nil {
		return err
	}
	l.inserted = true
	_, err := bs.tracee.memory.Write(l.address, []byte{guard.Int3})
	return err
}

// removeInt3 restores the original byte, unless the program has changed it.
func (bs *breakpoints) removeInt3(l *location) error {
	if !l.inserted {
		return nil
	}
	l.inserted = false
	if err := restoreByte(bs.tracee.memory, l.address, l.original); err != nil {
		return err
	}
	return bs.rescue.guard.Forget(l.address)
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

// hide replaces inserted int3 instructions by the original bytes in b,
// which was read at address.
func (bs *breakpoints) hide(address uint64, b []byte) {
	for _, l := range bs.locations {
		if at := l.address - address; l.inserted && at < uint64(len(b)) {
			b[at] = l.original
		}
	}
}
