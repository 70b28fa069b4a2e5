package syscalls

import "encoding/binary"

// choose returns an out for calls whose effect depends on the low 32 bits of an
// argument. Values that are not in cases make the effect unknown.
func choose(arg int, cases map[uint64][]out) out {
	return func(e *effect) {
		outs, ok := cases[e.call.Args[arg]&0xffffffff]
		e.Unknown = e.Unknown || !ok
		for _, o := range outs {
			o(e)
		}
	}
}

// advised handles madvise, which discards some memory: it reads as zero
// afterwards.
func advised(e *effect) {
	switch e.call.Args[2] {
	case 4, 8, 9, 24: // MADV_DONTNEED, _FREE, _REMOVE, _DONTNEED_LOCKED
		e.add(e.call.Args[0], min(e.call.Args[1], maxCount))
	}
}

// controls lists the commands of ioctl that programs commonly send to terminals
// and sockets.
var controls = map[uint64][]out{
	0x5401: {fixed(2, 60)},                // TCGETS
	0x5402: nil, 0x5403: nil, 0x5404: nil, // TCSETS, TCSETSW, TCSETSF
	0x540f: {fixed(2, 4)},                 // TIOCGPGRP
	0x5410: nil,                           // TIOCSPGRP
	0x5413: {fixed(2, 8)},                 // TIOCGWINSZ
	0x541b: {fixed(2, 4)},                 // FIONREAD
	0x5421: nil, 0x5450: nil, 0x5451: nil, // FIONBIO, FIONCLEX, FIOCLEX
}

// processControls lists options of prctl.
var processControls = map[uint64][]out{
	1: nil, 3: nil, 4: nil, // PR_SET_PDEATHSIG, PR_GET_DUMPABLE, PR_SET_DUMPABLE
	2:  {fixed(1, 4)},  // PR_GET_PDEATHSIG
	15: nil,            // PR_SET_NAME
	16: {fixed(1, 16)}, // PR_GET_NAME
	7:  nil, 8: nil,    // PR_GET_KEEPCAPS, PR_SET_KEEPCAPS
	21: nil, 22: nil, 23: nil, 24: nil, // PR_GET_SECCOMP, PR_SET_SECCOMP, PR_CAPBSET_READ, PR_CAPBSET_DROP
	27: nil, 28: nil, 29: nil, 30: nil, // PR_GET_SECUREBITS, PR_SET_SECUREBITS, PR_SET_TIMERSLACK, PR_GET_TIMERSLACK
	36: nil,                   // PR_SET_CHILD_SUBREAPER
	37: {fixed(1, 4)},         // PR_GET_CHILD_SUBREAPER
	40: {fixed(1, 8)},         // PR_GET_TID_ADDRESS
	41: nil, 42: nil, 47: nil, // PR_SET_THP_DISABLE, PR_GET_THP_DISABLE, PR_CAP_AMBIENT
	0x59616d61: nil,          // PR_SET_PTRACER
	38:         nil, 39: nil, // PR_SET_NO_NEW_PRIVS, PR_GET_NO_NEW_PRIVS
	0x53564d41: {func(e *effect) { e.Maps = true }}, // PR_SET_VMA
}

// segments lists the codes of arch_prctl.
var segments = map[uint64][]out{
	0x1001: nil, 0x1002: nil, // ARCH_SET_GS, ARCH_SET_FS
	0x1003: {fixed(1, 8)}, 0x1004: {fixed(1, 8)}, // ARCH_GET_FS, ARCH_GET_GS
}

// descriptors handles the commands of fcntl that write.
func descriptors(e *effect) {
	switch e.call.Args[1] {
	case 5, 16, 36: // F_GETLK, F_GETOWN_EX, F_OFD_GETLK
		e.add(e.call.Args[2], 32)
	}
}

// futexes handles the operations of futex that change the futex word or the
// second word. Waiting for a change of the word does not write it.
func futexes(e *effect) {
	const command = 0x7f
	switch e.call.Args[1] & command {
	case 0, 1, 3, 4, 9, 10: // FUTEX_WAIT, _WAKE, _REQUEUE, _CMP_REQUEUE, _WAIT_BITSET, _WAKE_BITSET
	case 5: // FUTEX_WAKE_OP
		e.add(e.call.Args[4], 4)
	case 11, 12: // FUTEX_WAIT_REQUEUE_PI, _CMP_REQUEUE_PI
		e.add(e.call.Args[0], 4)
		e.add(e.call.Args[4], 4)
	default: // other operations with priority inheritance
		e.add(e.call.Args[0], 4)
	}
}

// restarted handles restart_syscall, which continues an interrupted call. Only
// the kernel knows which one: poll, futex, nanosleep or clock_nanosleep. The
// arguments of that call are still in the registers, so restarted adds what any
// of them would write with these arguments.
func restarted(e *effect) {
	const most = 1 << 20 // descriptors; larger values are not a number of descriptors
	if n := e.call.Args[1]; n <= most {
		e.add(e.call.Args[0], n*8) // poll
	}
	e.add(e.call.Args[1], 16) // remaining time of nanosleep
	e.add(e.call.Args[3], 16) // remaining time of clock_nanosleep
}

// Flags of clone.
const (
	cloneVM     = 0x100
	cloneThread = 0x10000
)

// cloned handles clone. A child that shares the memory without being a thread may
// write anything.
func cloned(e *effect) {
	e.born(e.call.Args[0], e.call.Args[2], e.call.Args[3])
}

// cloned3 handles clone3, whose arguments are in memory.
func cloned3(e *effect) {
	var b [32]byte // flags, pidfd, child_tid, parent_tid
	word := func(at int) uint64 { return binary.LittleEndian.Uint64(b[at:]) }
	if !e.read(e.call.Args[0], b[:]) {
		e.Unknown = true
		return
	}
	e.add(word(8), 4)
	e.born(word(0), word(24), word(16))
}

// born adds what a clone with the given flags and addresses of thread ids writes.
func (e *effect) born(flags, parent, child uint64) {
	e.Unknown = e.Unknown || flags&cloneVM != 0 && flags&cloneThread == 0
	e.Threads = flags&cloneThread != 0
	e.add(parent, 4)
	e.add(child, 4)
}
