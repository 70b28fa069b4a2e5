package ptrace

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// reqSyscallInfo is PTRACE_GET_SYSCALL_INFO, of Linux 5.3 and later.
const reqSyscallInfo = 0x420e

// A SyscallInfo tells where in a system call a SyscallStop is.
type SyscallInfo struct {
	Entry  bool // before the call
	Exit   bool // after it
	Number uint64
	Args   [6]uint64 // Entry
	Native bool      // not a system call of 32-bit programs
}

// syscallInfo is struct ptrace_syscall_info of the kernel.
type syscallInfo struct {
	op     uint8
	_      [3]uint8
	arch   uint32
	_, _   uint64
	number uint64 // entry
	args   [6]uint64
	_      uint64
}

// Values of syscallInfo.op.
const (
	syscallEntry = 1
	syscallExit  = 2
)

// SyscallInfo returns where in a system call a thread is that is in a SyscallStop.
func (t *Tracer) SyscallInfo(tid int) (SyscallInfo, error) {
	var s syscallInfo
	err := exchange("ask for the system call of", reqSyscallInfo, tid, unsafe.Sizeof(s), unsafe.Pointer(&s))
	info := SyscallInfo{Entry: s.op == syscallEntry, Exit: s.op == syscallExit, Native: s.arch == unix.AUDIT_ARCH_X86_64}
	if info.Entry {
		info.Number, info.Args = s.number, s.args
	}
	return info, err
}
