package ptrace

import (
	"fmt"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Requests that package unix does not name.
const (
	reqGetSigMask = 0x420a
	reqSetSigMask = 0x420b
	reqRseqConfig = 0x420f
	reqEmulate    = 31 // PTRACE_SYSEMU
	reqEmuStep    = 32 // PTRACE_SYSEMU_SINGLESTEP
)

// Options are the ptrace options of all tracees: events for new threads and
// processes, and system call stops that differ from signals.
const Options = unix.PTRACE_O_TRACECLONE | unix.PTRACE_O_TRACEFORK | unix.PTRACE_O_TRACEVFORK |
	unix.PTRACE_O_TRACEVFORKDONE | unix.PTRACE_O_TRACEEXEC | unix.PTRACE_O_TRACESYSGOOD

// FilterEvents is an option for events at system calls for which a seccomp filter of the
// process returns SECCOMP_RET_TRACE. Without it they fail with ENOSYS.
const FilterEvents = unix.PTRACE_O_TRACESECCOMP

// ExitKill is an option that makes the kernel kill the process when the tracer ends.
// It is for launched programs only.
const ExitKill = unix.PTRACE_O_EXITKILL

// command makes a ptrace call whose data is a number.
//
// The Go scheduler is not told of these calls, because none of them waits for another thread.
// Otherwise its monitor would take PTRACE_CONT of a pinned tracer, which returns only after the
// tracee has left the processor, for a call that blocks: it would take the tracer's P away, and
// look again every 20 µs.
func command(what string, req, tid int, data uintptr) error {
	_, _, e := unix.RawSyscall6(unix.SYS_PTRACE, uintptr(req), uintptr(tid), 0, data, 0, 0)
	return failure(what, tid, e)
}

// exchange makes a ptrace call that reads or writes the memory at data. The pointer
// is converted to uintptr only in the argument list of the system call, because the
// runtime may move the goroutine's stack before.
func exchange(what string, req, tid int, addr uintptr, data unsafe.Pointer) error {
	_, _, e := unix.RawSyscall6(unix.SYS_PTRACE, uintptr(req), uintptr(tid), addr, uintptr(data), 0, 0)
	return failure(what, tid, e)
}

// failure returns the error of a call, or nil.
func failure(what string, tid int, e syscall.Errno) error {
	switch e {
	case 0:
		return nil
	case unix.ESRCH:
		return fmt.Errorf("%s thread %d: %w", what, tid, ErrGone)
	}
	return fmt.Errorf("%s thread %d: %w", what, tid, e)
}

// Seize starts tracing a thread without stopping it. It may block while the process begins
// another program, so the Go scheduler is told of it.
func (t *Tracer) Seize(tid, options int) error {
	_, _, e := unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_SEIZE, uintptr(tid), 0, uintptr(options), 0, 0)
	return failure("seize", tid, e)
}

// SetOptions replaces the options of a stopped thread.
func (t *Tracer) SetOptions(tid, options int) error {
	return command("set the options of", unix.PTRACE_SETOPTIONS, tid, uintptr(options))
}

// Interrupt makes a running thread stop with an EventStop, unless another stop comes
// first. A stopped thread stops again when it continues.
func (t *Tracer) Interrupt(tid int) error {
	return command("interrupt", unix.PTRACE_INTERRUPT, tid, 0)
}

// Cont continues a stopped thread. From a SignalStop it delivers sig, or no signal if
// sig is 0.
func (t *Tracer) Cont(tid int, sig syscall.Signal) error {
	t.resumed(tid)
	return command("resume", unix.PTRACE_CONT, tid, uintptr(sig))
}

// Step single-steps a stopped thread, or delivers sig and stops at the start of its
// handler. The stop is a SignalStop with SIGTRAP.
func (t *Tracer) Step(tid int, sig syscall.Signal) error {
	t.resumed(tid)
	return command("step", unix.PTRACE_SINGLESTEP, tid, uintptr(sig))
}

// ToSyscall continues a stopped thread to its next SyscallStop.
func (t *Tracer) ToSyscall(tid int, sig syscall.Signal) error {
	t.resumed(tid)
	return command("resume", unix.PTRACE_SYSCALL, tid, uintptr(sig))
}

// ToEmulated continues a stopped thread to a SyscallStop before its next system call,
// which the kernel will not make. The thread then continues with the registers that the
// tracer has set.
func (t *Tracer) ToEmulated(tid int, sig syscall.Signal) error {
	t.resumed(tid)
	return command("resume", reqEmulate, tid, uintptr(sig))
}

// StepEmulated is Step, except that the kernel makes no system call: where the thread
// reaches one, the stop is a SyscallStop, as of ToEmulated.
func (t *Tracer) StepEmulated(tid int, sig syscall.Signal) error {
	t.resumed(tid)
	return command("step", reqEmuStep, tid, uintptr(sig))
}

// Listen leaves a thread in its GroupStop until SIGCONT.
func (t *Tracer) Listen(tid int) error {
	t.consume()
	return command("listen to", unix.PTRACE_LISTEN, tid, 0)
}

// Detach detaches from a stopped thread and delivers sig, or no signal if sig is 0.
func (t *Tracer) Detach(tid int, sig syscall.Signal) error {
	t.resumed(tid)
	return command("detach from", unix.PTRACE_DETACH, tid, uintptr(sig))
}

// eventMessage returns the message of an event, or 0 if the thread has ended.
func (t *Tracer) eventMessage(tid int) uint64 {
	var m uint64
	_ = exchange("ask", unix.PTRACE_GETEVENTMSG, tid, 0, unsafe.Pointer(&m))
	return m
}

// SigInfo returns the siginfo_t of a SignalStop.
func (t *Tracer) SigInfo(tid int) (SigInfo, error) {
	var s SigInfo
	err := exchange("read the signal of", unix.PTRACE_GETSIGINFO, tid, 0, unsafe.Pointer(&s))
	return s, err
}

// SetSigInfo replaces the siginfo_t of a SignalStop.
func (t *Tracer) SetSigInfo(tid int, s SigInfo) error {
	return exchange("set the signal of", unix.PTRACE_SETSIGINFO, tid, 0, unsafe.Pointer(&s))
}

// SigMask returns the set of signals that a thread blocks. Bit 0 is signal 1.
func (t *Tracer) SigMask(tid int) (uint64, error) {
	var m uint64
	err := exchange("read the signal mask of", reqGetSigMask, tid, 8, unsafe.Pointer(&m))
	return m, err
}

// SetSigMask replaces the set of blocked signals.
func (t *Tracer) SetSigMask(tid int, m uint64) error {
	return exchange("set the signal mask of", reqSetSigMask, tid, 8, unsafe.Pointer(&m))
}

// Rseq returns the memory [start, end) of a thread's rseq area, which the kernel
// writes when it preempts or migrates the thread. It is empty if there is none.
func (t *Tracer) Rseq(tid int) (start, end uint64, err error) {
	a, err := t.RseqArea(tid)
	return a.Address, a.Address + uint64(a.Size), err
}
