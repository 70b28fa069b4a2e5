package ptrace

import (
	"errors"
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
)

// Options holds the options of every traced thread: events for new threads and
// processes, and system call stops that can be distinguished from signals.
const Options = unix.PTRACE_O_TRACECLONE | unix.PTRACE_O_TRACEFORK | unix.PTRACE_O_TRACEVFORK |
	unix.PTRACE_O_TRACEVFORKDONE | unix.PTRACE_O_TRACEEXEC | unix.PTRACE_O_TRACESYSGOOD

// ExitKill beside Options makes the kernel kill the process when the tracer
// ends. It is for launched programs only.
const ExitKill = unix.PTRACE_O_EXITKILL

// command makes a ptrace call whose data is a number.
func command(what string, req, tid int, data uintptr) error {
	_, _, e := unix.Syscall6(unix.SYS_PTRACE, uintptr(req), uintptr(tid), 0, data, 0, 0)
	return failure(what, tid, e)
}

// exchange makes a ptrace call that reads or fills the memory at data. That
// becomes a number in the very call to the kernel and no earlier: until then the
// runtime may move it with the goroutine's stack.
func exchange(what string, req, tid int, addr uintptr, data unsafe.Pointer) error {
	_, _, e := unix.Syscall6(unix.SYS_PTRACE, uintptr(req), uintptr(tid), addr, uintptr(data), 0, 0)
	return failure(what, tid, e)
}

// failure is the error of a call, nil if there is none.
func failure(what string, tid int, e syscall.Errno) error {
	switch e {
	case 0:
		return nil
	case unix.ESRCH:
		return fmt.Errorf("%s thread %d: %w", what, tid, ErrGone)
	}
	return fmt.Errorf("%s thread %d: %w", what, tid, e)
}

// Seize begins to trace a thread. It runs on.
func (t *Tracer) Seize(tid, options int) error {
	return command("seize", unix.PTRACE_SEIZE, tid, uintptr(options))
}

// Interrupt makes a running thread stop with an EventStop, unless another stop
// comes first. A thread that is stopped already stops again when it goes on.
func (t *Tracer) Interrupt(tid int) error {
	return command("interrupt", unix.PTRACE_INTERRUPT, tid, 0)
}

// Cont lets a stopped thread run, with the signal of the SignalStop that it is
// in, another one, or none (0).
func (t *Tracer) Cont(tid int, sig syscall.Signal) error {
	t.goesOn(tid)
	return command("resume", unix.PTRACE_CONT, tid, uintptr(sig))
}

// Step lets a stopped thread run one instruction, or into the handler of sig.
// It ends with a SignalStop by SIGTRAP.
func (t *Tracer) Step(tid int, sig syscall.Signal) error {
	t.goesOn(tid)
	return command("step", unix.PTRACE_SINGLESTEP, tid, uintptr(sig))
}

// ToSyscall lets a stopped thread run to the next SyscallStop.
func (t *Tracer) ToSyscall(tid int, sig syscall.Signal) error {
	t.goesOn(tid)
	return command("resume", unix.PTRACE_SYSCALL, tid, uintptr(sig))
}

// Listen leaves a thread in its GroupStop and lets SIGCONT end it.
func (t *Tracer) Listen(tid int) error {
	t.drop()
	return command("listen to", unix.PTRACE_LISTEN, tid, 0)
}

// Detach lets a stopped thread go, with a signal or none (0).
func (t *Tracer) Detach(tid int, sig syscall.Signal) error {
	t.goesOn(tid)
	return command("detach from", unix.PTRACE_DETACH, tid, uintptr(sig))
}

// message is the number that belongs to an event, 0 when the thread is gone.
func (t *Tracer) message(tid int) uint64 {
	var m uint64
	_ = exchange("ask", unix.PTRACE_GETEVENTMSG, tid, 0, unsafe.Pointer(&m))
	return m
}

// SigInfo returns what belongs to the signal of a SignalStop.
func (t *Tracer) SigInfo(tid int) (SigInfo, error) {
	var s SigInfo
	err := exchange("read the signal of", unix.PTRACE_GETSIGINFO, tid, 0, unsafe.Pointer(&s))
	return s, err
}

// SetSigInfo replaces it.
func (t *Tracer) SetSigInfo(tid int, s SigInfo) error {
	return exchange("set the signal of", unix.PTRACE_SETSIGINFO, tid, 0, unsafe.Pointer(&s))
}

// SigMask returns the signals which a thread blocks, bit 0 being signal 1.
func (t *Tracer) SigMask(tid int) (uint64, error) {
	var m uint64
	err := exchange("read the signal mask of", reqGetSigMask, tid, 8, unsafe.Pointer(&m))
	return m, err
}

// SetSigMask replaces it.
func (t *Tracer) SetSigMask(tid int, m uint64) error {
	return exchange("set the signal mask of", reqSetSigMask, tid, 8, unsafe.Pointer(&m))
}

// Rseq is the memory [start, end) that the kernel writes by itself when a
// thread is moved or interrupted; empty when the thread has none.
func (t *Tracer) Rseq(tid int) (start, end uint64, err error) {
	var c struct {
		Pointer   uint64
		Size      uint32
		Signature uint32
		Flags     uint32
		_         uint32
	}
	err = exchange("ask", reqRseqConfig, tid, unsafe.Sizeof(c), unsafe.Pointer(&c))
	if errors.Is(err, unix.EIO) || errors.Is(err, unix.EINVAL) {
		return 0, 0, nil // a kernel that has no such request
	}
	return c.Pointer, c.Pointer + uint64(c.Size), err
}
