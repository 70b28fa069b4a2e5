package proc

import (
	"errors"

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

func (l *location) hardware() bool { return len(l.events) > 0 }

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
