package inplace

import (
	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/translate"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// Registers of the arguments of system calls.
const (
	first  = x86.RDI
	second = x86.RSI
	third  = x86.RDX
)

// rules name the system calls that the process makes without a stop. What they
// write is that of package syscalls, as far as the rules can say it. Calls that change
// mappings, threads or signal stacks are not among them, nor those that wait and write
// when they are interrupted.
var rules = map[uint64]translate.CallRule{
	unix.SYS_READ:       waits(unix.POLLIN, writes(second, 1, translate.Result)),
	unix.SYS_PREAD64:    writes(second, 1, translate.Result),
	unix.SYS_GETDENTS64: writes(second, 1, translate.Result),
	unix.SYS_READLINK:   writes(second, 1, translate.Result),
	unix.SYS_GETRANDOM:  writes(first, 1, translate.SecondResult),
	unix.SYS_RECVFROM:   {Allowed: true, Ready: unix.POLLIN, NoSource: true, Unit: 1, Times: translate.Result, Register: second},
	unix.SYS_POLL:       {Allowed: true, Alone: true, Unit: 8, Times: translate.Argument, Register: first},
	unix.SYS_EPOLL_WAIT: {Allowed: true, Ready: unix.POLLIN, Timeout: true, Unit: epollEvent, Times: translate.Result, Register: second},
	unix.SYS_EPOLL_PWAIT: {
		Allowed: true, Ready: unix.POLLIN, Timeout: true, NoSource: true, Unit: epollEvent, Times: translate.Result, Register: second,
	},

	unix.SYS_STAT:           writes(second, 144, translate.Once),
	unix.SYS_LSTAT:          writes(second, 144, translate.Once),
	unix.SYS_FSTAT:          writes(second, 144, translate.Once),
	unix.SYS_NEWFSTATAT:     writes(third, 144, translate.Once),
	unix.SYS_STATX:          writes(x86.R8, 256, translate.Once),
	unix.SYS_CLOCK_GETTIME:  writes(second, 16, translate.Once),
	unix.SYS_CLOCK_GETRES:   writes(second, 16, translate.Once),
	unix.SYS_GETTIMEOFDAY:   {Allowed: true, Commands: 1, Unit: 16, Register: first}, // with no time zone
	unix.SYS_TIME:           writes(first, 8, translate.Once),
	unix.SYS_TIMES:          writes(first, 32, translate.Once),
	unix.SYS_GETRUSAGE:      writes(second, 144, translate.Once),
	unix.SYS_RT_SIGPROCMASK: writes(third, 8, translate.Once),
	unix.SYS_RT_SIGACTION:   writes(third, 32, translate.Once),
	unix.SYS_PIPE2:          writes(first, 8, translate.Once),

	unix.SYS_FUTEX:  {Allowed: true, Futex: true},
	unix.SYS_WRITE:  {Allowed: true, Ready: unix.POLLOUT, Short: true, Guard: translate.Writes},
	unix.SYS_SENDTO: {Allowed: true, Ready: unix.POLLOUT, Short: true},
	unix.SYS_WRITEV: {Allowed: true, Alone: true, Guard: translate.Writes},
	unix.SYS_FCNTL:  {Allowed: true, Commands: 1<<unix.F_GETFD | 1<<unix.F_SETFD | 1<<unix.F_GETFL | 1<<unix.F_SETFL | 1<<unix.F_SETLK | 1<<unix.F_OFD_SETLK},

	unix.SYS_IOCTL:    {Allowed: true, Command: unix.TCGETS, Unit: 36, Register: third}, // isatty(3)
	unix.SYS_PWRITE64: {Allowed: true, Guard: translate.Writes},
	unix.SYS_OPEN:     {Allowed: true, Guard: translate.Opens, Register: second},
	unix.SYS_OPENAT:   {Allowed: true, Guard: translate.Opens, Register: third},
	unix.SYS_DUP:      duplicates, unix.SYS_DUP2: duplicates, unix.SYS_DUP3: duplicates,

	unix.SYS_CLOSE: nothing, unix.SYS_LSEEK: nothing,
	unix.SYS_ACCESS: nothing, unix.SYS_FACCESSAT: nothing, unix.SYS_FACCESSAT2: nothing, unix.SYS_FSYNC: nothing,
	unix.SYS_FDATASYNC: nothing, unix.SYS_UNLINK: nothing, unix.SYS_UNLINKAT: nothing, unix.SYS_RENAME: nothing,
	unix.SYS_MKDIR: nothing, unix.SYS_RMDIR: nothing,
	unix.SYS_EPOLL_CTL: nothing, unix.SYS_SOCKET: nothing, unix.SYS_SETSOCKOPT: nothing, unix.SYS_SHUTDOWN: nothing,
	unix.SYS_GETPID: nothing, unix.SYS_GETTID: nothing, unix.SYS_GETUID: nothing, unix.SYS_GETEUID: nothing,
	unix.SYS_GETGID: nothing, unix.SYS_GETEGID: nothing, unix.SYS_KILL: nothing, unix.SYS_TGKILL: nothing,
}

// epollEvent is the size of struct epoll_event.
const epollEvent = 12

// nothing is the rule of calls that write nothing and do not wait.
var nothing = translate.CallRule{Allowed: true}

// duplicates is the rule of calls that make one descriptor that of another file.
var duplicates = translate.CallRule{Allowed: true, Guard: translate.Duplicates}

// writes returns the rule of a call that does not wait, by what it writes.
func writes(register x86.Reg, unit uint16, times translate.Factor) translate.CallRule {
	return translate.CallRule{Allowed: true, Unit: unit, Times: times, Register: register}
}

// waits returns a rule with events after one of which the call does not wait.
func waits(ready byte, r translate.CallRule) translate.CallRule {
	r.Ready = ready
	return r
}
