package ptrace

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// peekArgs is struct ptrace_peeksiginfo_args.
type peekArgs struct {
	offset uint64
	flags  uint32
	count  int32
}

// peekedAtOnce is how many waiting signals one call returns at most.
const peekedAtOnce = 8

// TrapWaits says whether a stopped thread has yet to get a SIGTRAP for what it
// did itself, an int3 instruction for one, and does not block it. An EventStop
// comes before signals that wait.
func (t *Tracer) TrapWaits(tid int) bool {
	var signals [peekedAtOnce]SigInfo
	for offset := 0; ; {
		n := peek(tid, offset, &signals)
		if n == 0 {
			return false
		}
		for i := range n {
			if s := &signals[i]; s.Signal() == unix.SIGTRAP && !s.Sent() {
				mask, err := t.SigMask(tid)
				return err == nil && mask&(1<<(unix.SIGTRAP-1)) == 0
			}
		}
		offset += n
	}
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
