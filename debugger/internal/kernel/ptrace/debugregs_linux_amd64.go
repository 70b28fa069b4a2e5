package ptrace

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// debugRegisters is the offset of the debug registers in struct user of <sys/user.h>.
const debugRegisters = 848

// Numbers of debug registers. The first four hold addresses.
const (
	debugStatus  = 6
	debugControl = 7
)

// MaxWatched is the number of ranges that the processor can watch.
const MaxWatched = 4

// MaxWatchedLen is the length of the longest range that the processor can watch.
const MaxWatchedLen = 8

// WatchWrites makes the processor raise SIGTRAP (with CodeWatch) in a stopped thread after
// each instruction that has written to one of the ranges, in place of those of the call
// before. Their lengths are 1, 2, 4 or 8, and their addresses multiples of those. Writes by
// the kernel are not noticed. Threads that are started, and forks, watch nothing.
func (t *Tracer) WatchWrites(tid int, ranges []Range) error {
	if len(ranges) > MaxWatched {
		return fmt.Errorf("the processor watches %d ranges, not %d", MaxWatched, len(ranges))
	}
	if err := setDebugRegister(tid, debugControl, 0); err != nil {
		return err
	}
	control := uintptr(0)
	for n, r := range ranges {
		if err := setDebugRegister(tid, n, uintptr(r.Start)); err != nil {
			return err
		}
		control |= 1<<(2*n) | (writes|lengths[r.Len()]<<2)<<(16+4*n)
	}
	if control == 0 {
		return nil
	}
	return setDebugRegister(tid, debugControl, control)
}

// writes is the kind of access in the control register.
const writes = 1

// lengths are the lengths of ranges as the control register encodes them.
var lengths = map[uint64]uintptr{1: 0, 2: 1, 4: 3, 8: 2}

// Watched reports whether the last debug exception of a stopped thread, which may have
// been the end of a step, came after a write to a range of [Tracer.WatchWrites].
func (t *Tracer) Watched(tid int) (bool, error) {
	var status uintptr
	err := exchange("read the debug registers of", unix.PTRACE_PEEKUSR, tid, debugRegisters+8*debugStatus, unsafe.Pointer(&status))
	return status&(1<<MaxWatched-1) != 0, err
}

func setDebugRegister(tid, n int, value uintptr) error {
	_, _, e := unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_POKEUSR, uintptr(tid), uintptr(debugRegisters+8*n), value, 0, 0)
	return failure("set the debug registers of", tid, e)
}
