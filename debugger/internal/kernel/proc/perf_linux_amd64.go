package proc

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

// openEvents opens a perf event for each thread, which new threads inherit. The
// kernel closes the events when this program ends.
func (bs *breakpoints) openEvents(l *location) error {
	attr := eventAttr(l)
	for _, id := range bs.threads.ids() {
		fd, err := unix.PerfEventOpen(&attr, id, -1, -1, unix.PERF_FLAG_FD_CLOEXEC)
		if errors.Is(err, unix.ESRCH) {
			continue // its end is the next event
		}
		if err != nil {
			closeEvents(l)
			return err
		}
		l.events = append(l.events, fd)
	}
	if len(l.events) == 0 {
		return unix.ESRCH
	}
	return nil
}

// Values and bits of struct perf_event_attr, see perf_event_open(2).
const (
	bpReadWrite = 3
	bpWrite     = 2
	bpExecute   = 4

	attrDisabled      = 1 << 0
	attrInherit       = 1 << 1
	attrExcludeKernel = 1 << 5
	attrExcludeHV     = 1 << 6
	attrInheritThread = 1 << 35
	attrRemoveOnExec  = 1 << 36
	attrSigTrap       = 1 << 37
)

// eventAttr returns the attributes of a breakpoint event that sends SIGTRAP with
// the id of the location.
func eventAttr(l *location) unix.PerfEventAttr {
	attr := unix.PerfEventAttr{
		Type: unix.PERF_TYPE_BREAKPOINT, Size: unix.PERF_ATTR_SIZE_VER7, Sample: 1,
		Bits: attrDisabled | attrInherit | attrExcludeKernel | attrExcludeHV |
			attrInheritThread | attrRemoveOnExec | attrSigTrap,
		Bp_type: bpExecute, Ext1: l.address, Ext2: 8, Sig_data: uint64(l.id),
	}
	switch l.access {
	case Write:
		attr.Bp_type, attr.Ext2 = bpWrite, uint64(l.size)
	case ReadWrite:
		attr.Bp_type, attr.Ext2 = bpReadWrite, uint64(l.size)
	}
	return attr
}

// control enables or disables the events, including inherited ones.
func (l *location) control(request uint) error {
	var errs error
	for _, fd := range l.events {
		errs = errors.Join(errs, unix.IoctlSetInt(fd, request, 0))
	}
	return errs
}

func closeEvents(l *location) {
	for _, fd := range l.events {
		_ = syscall.Close(fd)
	}
	l.events = nil
}
