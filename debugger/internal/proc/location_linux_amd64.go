package proc

import (
	"errors"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/proc/guard"
	"github.com/triptych-mcp/triptych/debugger/internal/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/ptrace"
)

// A location is the address of one or more breakpoints, in a debug register or
// in the code.
type location struct {
	id          int
	address     uint64
	access      Access
	size        int
	breakpoints []*breakpoint

	events []int // perf events, one for each thread that there was
	// An int3 instruction when there are no events:
	original byte
	in       bool // it is in the code
}

// breakpoint is a Breakpoint at work.
type breakpoint struct {
	Breakpoint
	at *location
}

// wants counts a hit and says whether it stops.
func (b *breakpoint) wants(h Hit) (bool, error) {
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

// SetBreakpoint sets a breakpoint or watchpoint. Any number may share a place.
// It answers a *BreakpointError when there can be none.
func (p *Process) SetBreakpoint(spec BreakpointSpec) (Breakpoint, error) {
	if err := spec.check(); err != nil {
		return Breakpoint{}, err
	}
	var set Breakpoint
	err := p.withTracerReadOnly(func() error {
		if p.armed {
			return ErrRunning // called by a condition
		}
		if err := p.wide(); err != nil {
			return &BreakpointError{spec.Address, err.Error()}
		}
		l, err := p.locate(spec)
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

// ClearBreakpoint takes one away. It answers ErrNoBreakpoint if there is none
// with that number.
func (p *Process) ClearBreakpoint(id int) error {
	return p.withoutTracer(func() error {
		if p.armed {
			return ErrRunning
		}
		return p.remove(id)
	})
}

// Breakpoints lists them in the order in which they were set.
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

// remove takes a breakpoint away, and its location with the last one there.
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

// fulfil is told that a breakpoint's stop is about to be returned. It says
// whether the breakpoint is still there.
func (p *Process) fulfil(id int) bool {
	at := slices.IndexFunc(p.breakpoints, func(b *breakpoint) bool { return b.ID == id })
	if at < 0 {
		return false
	}
	if p.breakpoints[at].Spec.Once {
		_ = p.remove(id)
	}
	return true
}

// forgetBreakpoints drops them all after exec: the kernel has closed the perf
// events and the code is gone.
func (p *Process) forgetBreakpoints() {
	for _, l := range p.locations {
		closeEvents(l)
	}
	p.breakpoints, p.locations = nil, nil
	p.armed = false
	p.guard.Close()
	p.guard = nil
}

// locationAt finds a location.
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

// softwareAt finds the location of an int3 instruction.
func (p *Process) softwareAt(address uint64) *location {
	if l := p.locationAt(address, Execute); l != nil && !l.hardware() {
		return l
	}
	return nil
}

// locate finds or makes the location for a specification.
func (p *Process) locate(spec BreakpointSpec) (*location, error) {
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
	if err := p.place(l, m); err != nil {
		return nil, err
	}
	p.locations = append(p.locations, l)
	return l, nil
}

// mapFor finds the memory for a breakpoint and checks that it fits.
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

// place has the processor watch a location or, for an instruction for which it
// has no place left, prepares an int3.
func (p *Process) place(l *location, m procfs.Map) error {
	if l.access == Execute && p.options.Software {
		return p.placeInt3(l, m)
	}
	err := p.openEvents(l)
	switch {
	case err == nil:
		return nil
	case l.access == Execute:
		p.log.Debug("no breakpoint of the processor", "addr", l.address, "err", err)
		return p.placeInt3(l, m)
	}
	return &BreakpointError{l.address, watchFailure(err)}
}

// watchFailure says why the processor does not watch.
func watchFailure(err error) string {
	switch {
	case errors.Is(err, unix.ENOSPC), errors.Is(err, unix.EBUSY):
		return "the processor can watch four places at a time, and all are taken"
	case errors.Is(err, unix.EACCES), errors.Is(err, unix.EPERM), errors.Is(err, unix.ENOSYS):
		return "watching memory is not permitted (allow it with sysctl kernel.perf_event_paranoid=2, or in the container's seccomp profile)"
	}
	return "the kernel does not watch this memory: " + err.Error()
}

// placeInt3 makes sure that an int3 can be put in and that it will be taken
// out if this program is killed.
func (p *Process) placeInt3(l *location, m procfs.Map) error {
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

// arm puts all breakpoints in. Int3 instructions stay out while a child that
// has been let go shares the memory.
func (p *Process) arm() error {
	p.forgetSharers()
	p.armed = true
	var errs error
	for _, l := range p.locations {
		switch {
		case l.hardware():
			errs = errors.Join(errs, l.control(unix.PERF_EVENT_IOC_ENABLE))
		case len(p.sharers) == 0:
			errs = errors.Join(errs, p.putIn(l))
		}
	}
	return errs
}

// disarm takes them out.
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
			errs = errors.Join(errs, p.takeOut(l))
		}
	}
	return errs
}

// putIn writes an int3, the guard being told first.
func (p *Process) putIn(l *location) error {
	if l.in {
		return nil
	}
	var b [1]byte
	if _, err := p.memory.Read(l.address, b[:]); err != nil {
		return nil //nolint:nilerr // unmapped meanwhile: no thread can run there
	}
	l.original = b[0]
	if err := p.guard.Remember(l.address, l.original); err != nil {
		return err
	}
	l.in = true
	_, err := p.memory.Write(l.address, []byte{guard.Int3})
	return err
}

// takeOut puts the byte back, unless the program has changed it.
func (p *Process) takeOut(l *location) error {
	if !l.in {
		return nil
	}
	l.in = false
	if err := restoreByte(p.memory, l.address, l.original); err != nil {
		return err
	}
	return p.guard.Forget(l.address)
}

// restoreByte puts the byte behind an int3 back.
func restoreByte(m *ptrace.Memory, address uint64, original byte) error {
	var b [1]byte
	if _, err := m.Read(address, b[:]); err != nil || b[0] != guard.Int3 {
		return nil //nolint:nilerr // unmapped or rewritten: nothing of ours is there
	}
	_, err := m.Write(address, []byte{original})
	return err
}

// hideBreakpoints puts the original bytes into what was read at address.
func (p *Process) hideBreakpoints(address uint64, b []byte) {
	for _, l := range p.locations {
		if at := l.address - address; l.in && at < uint64(len(b)) {
			b[at] = l.original
		}
	}
}
