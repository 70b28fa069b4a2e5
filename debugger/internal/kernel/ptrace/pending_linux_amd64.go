package ptrace

import (
	"bytes"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// peekArgs is struct ptrace_peeksiginfo_args.
type peekArgs struct {
	offset uint64
	flags  uint32
	count  int32
}

// peekedAtOnce is the number of pending signals that one call may return, and
// peekedAtMost limits those that are read in all: a process may queue 100,000, and
// each call skips the earlier ones one by one.
const (
	peekedAtOnce = 8
	peekedAtMost = 64
)

// TrapWaits reports whether a stopped thread has a pending, unblocked SIGTRAP that
// the kernel raised, for example for an int3 instruction. An EventStop precedes
// pending signals. With more than peekedAtMost pending signals, a SIGTRAP that was
// sent counts too.
func (t *Tracer) TrapWaits(tid int) bool {
	var signals [peekedAtOnce]SigInfo
	for offset := 0; offset < peekedAtMost; {
		n := peek(tid, offset, &signals)
		if n == 0 {
			return false
		}
		for i := range n {
			if s := &signals[i]; s.Signal() == unix.SIGTRAP && !s.Sent() {
				return t.acceptsTraps(tid)
			}
		}
		offset += n
	}
	return pending(tid)&trapBit != 0 && t.acceptsTraps(tid)
}

// trapBit is SIGTRAP in a set of signals.
const trapBit = 1 << (unix.SIGTRAP - 1)

// acceptsTraps reports whether a thread does not block SIGTRAP.
func (t *Tracer) acceptsTraps(tid int) bool {
	mask, err := t.SigMask(tid)
	return err == nil && mask&trapBit == 0
}

// pending returns the set of pending signals of a thread (SigPnd in
// proc_pid_status(5)). It is empty if the thread has ended.
func pending(tid int) (set uint64) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", tid)) // fails if the thread has ended
	if _, after, ok := bytes.Cut(text, []byte("\nSigPnd:")); ok {
		_, _ = fmt.Sscanf(string(after), "%x", &set)
	}
	return set
}

// peek reads pending signals of a thread without removing them. It returns their
// number: 0 if there are no more or the thread has ended. It may be less than
// requested, because the kernel returns early if a signal is pending for the caller
// (ptrace_peek_siginfo in kernel/ptrace.c).
func peek(tid, offset int, signals *[peekedAtOnce]SigInfo) int {
	args := peekArgs{offset: uint64(offset), count: peekedAtOnce}
	n, _, e := unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_PEEKSIGINFO, uintptr(tid),
		uintptr(unsafe.Pointer(&args)), uintptr(unsafe.Pointer(signals)), 0, 0)
	if e != 0 {
		return 0
	}
	return int(n)
}
