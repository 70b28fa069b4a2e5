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

// peekedAtOnce limits the pending signals that one call returns, and
// peekedAtMost those that are read in all: a process may queue 100,000, and the
// kernel walks past all the earlier ones.
const (
	peekedAtOnce = 8
	peekedAtMost = 64
)

// TrapWaits says whether a stopped thread has yet to get a SIGTRAP for what it
// did itself, an int3 instruction for one, and does not block it. An EventStop
// comes before signals that wait. Behind very many others it may be one that was
// sent.
func (t *Tracer) TrapWaits(tid int) bool {
	var signals [peekedAtOnce]SigInfo
	for offset := 0; offset < peekedAtMost; {
		n := peek(tid, offset, &signals)
		if n == 0 {
			return false
		}
		for i := range n {
			if s := &signals[i]; s.Signal() == unix.SIGTRAP && !s.Sent() {
				return t.takesTraps(tid)
			}
		}
		offset += n
	}
	return pending(tid)&trapBit != 0 && t.takesTraps(tid)
}

// trapBit is SIGTRAP in a set of signals.
const trapBit = 1 << (unix.SIGTRAP - 1)

// takesTraps says whether a thread does not block SIGTRAP.
func (t *Tracer) takesTraps(tid int) bool {
	mask, err := t.SigMask(tid)
	return err == nil && mask&trapBit == 0
}

// pending is the set of signals that wait for a thread (SigPnd in
// proc_pid_status(5)); none of one that is gone.
func pending(tid int) (set uint64) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", tid)) // likewise
	if _, after, ok := bytes.Cut(text, []byte("\nSigPnd:")); ok {
		_, _ = fmt.Sscanf(string(after), "%x", &set)
	}
	return set
}

// peek reads signals that wait for a thread, without taking them. It returns
// how many: 0 when there are no more or the thread is gone, and else often one
// alone, since the kernel leaves off when the caller is to get a signal itself
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
