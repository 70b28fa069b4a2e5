package proc

import (
	"errors"
	"slices"

	"golang.org/x/sys/unix"

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

// SetBreakpoint sets a breakpoint or watchpoint. Any number may share an
// address. It returns a *BreakpointError if the address cannot have one.
func (p *Process) SetBreakpoint(spec BreakpointSpec) (Breakpoint, error) {
	if err := spec.check(); err != nil {
		return Breakpoint{}, err
	}
	var set Breakpoint
	err := p.access.withTracerReadOnly(func() error {
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
	return p.access.withoutTracer(func() error {
		if p.breakpoints.armed {
			return ErrRunning
		}
		return p.breakpoints.remove(id)
	})
}

// Breakpoints returns the breakpoints in the order in which they were set.
func (p *Process) Breakpoints() ([]Breakpoint, error) {
	var all []Breakpoint
	err := p.access.withoutTracer(func() error {
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

// hide replaces inserted int3 instructions by the original bytes in b,
// which was read at address.
func (bs *breakpoints) hide(address uint64, b []byte) {
	for _, l := range bs.locations {
		if at := l.address - address; l.inserted && at < uint64(len(b)) {
			b[at] = l.original
		}
	}
}

// shareMemory removes the int3 instructions as long as a child shares the memory.
func (bs *breakpoints) shareMemory(child int) {
	bs.sharers = append(bs.sharers, child)
	for _, l := range bs.locations {
		if err := bs.removeInt3(l); err != nil {
			bs.tracee.log.Warn("cannot remove a breakpoint from a child", "err", err)
		}
	}
}

// forgetSharers drops the children that have their own memory by now. After the
// last of them it inserts the int3 instructions again.
func (bs *breakpoints) forgetSharers() {
	if len(bs.sharers) == 0 {
		return
	}
	bs.sharers = slices.DeleteFunc(bs.sharers, func(child int) bool { return !bs.tracee.sharesMemory(child) })
	if len(bs.sharers) > 0 || !bs.armed {
		return
	}
	for _, l := range bs.locations {
		if l.hardware() {
			continue
		}
		if err := bs.insertInt3(l); err != nil {
			bs.tracee.log.Warn("cannot insert a breakpoint again", "err", err)
		}
	}
}

// move sets the breakpoints of the parent in the child.
func (bs *breakpoints) move() {
	bs.armed = false
	maps, _ := bs.tracee.readMaps() // without them no breakpoint can be set
	for _, l := range append([]*location(nil), bs.locations...) {
		closeEvents(l)
		l.inserted = false
		m, _ := maps.Find(l.address)
		err := bs.install(l, m)
		if err == nil {
			continue
		}
		bs.tracee.log.Warn("a breakpoint is lost in the child", "addr", l.address, "err", err)
		for _, b := range append([]*breakpoint(nil), l.breakpoints...) {
			_ = bs.remove(b.ID) // it is there
		}
	}
}
