package inplace

import (
	"errors"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// undelivered returns the signals that would be lost if the thread continued elsewhere: that
// of the stop that it is in, unless the thread raises it again, and deferred ones.
func (r *Runner) undelivered() (signals []ptrace.SigInfo) {
	if len(r.queue) > 0 && r.queue[0].Kind == ptrace.SignalStop {
		if info, err := r.tracer.SigInfo(r.tid); err == nil && !raisedAgain(&info) { // an error: it has been killed
			signals = append(signals, info)
		}
		r.queue = r.queue[1:]
	} else if r.at == atSignal && !raisedAgain(&r.signal) {
		signals = append(signals, r.signal)
	}
	return append(signals, r.deferredSignals()...)
}

// raisedAgain reports whether the instruction at the program counter raises the signal. A
// trap comes after its instruction.
func raisedAgain(info *ptrace.SigInfo) bool {
	return isFault(info) && info.Signal() != unix.SIGTRAP
}

// deferredSignals returns the deferred signals that were not sent again.
func (r *Runner) deferredSignals() (signals []ptrace.SigInfo) {
	for n, s := range r.deferred {
		if n > 0 || !r.raised {
			signals = append(signals, s)
		}
	}
	return signals
}

// sendAgain makes the thread, which is in an event stop, send signals to itself: only the
// process itself may send a signal with an si_code of the kernel.
func (r *Runner) sendAgain(signals []ptrace.SigInfo) error {
	var err error
	for _, s := range signals {
		failed := r.queueSignal(s)
		if errors.Is(failed, ptrace.ErrGone) {
			err = errors.Join(err, failed)
		} else if failed != nil {
			r.sendFromHere(s)
		}
	}
	return err
}

// redZone is the size of the memory below the stack pointer that a function may use (System V
// ABI for amd64, 3.2.2).
const redZone = 128

// queueSignal makes the thread queue a signal. Its siginfo_t is stored below the stack
// meanwhile.
func (r *Runner) queueSignal(s ptrace.SigInfo) error {
	var regs ptrace.Regs
	if err := r.tracer.Regs(r.tid, &regs); err != nil {
		return err
	}
	var old ptrace.SigInfo
	at := (regs.RSP - redZone - uint64(len(s))) &^ 15
	if _, err := r.memory.Read(at, old[:]); err != nil {
		return err
	}
	if _, err := r.memory.Write(at, s[:]); err != nil {
		return err
	}
	_, err := r.inject(unix.SYS_RT_TGSIGQUEUEINFO, uint64(r.pid), uint64(r.tid), uint64(s.Signal()), at)
	_, restored := r.memory.Write(at, old[:])
	return errors.Join(err, restored)
}

// sendFromHere sends a signal to the thread. Its siginfo_t is lost if only the process
// itself may send it.
func (r *Runner) sendFromHere(s ptrace.SigInfo) {
	const fromThread = -6 // SI_TKILL
	if s.Code() < 0 && s.Code() != fromThread {
		_, _, errno := unix.Syscall6(unix.SYS_RT_TGSIGQUEUEINFO, uintptr(r.pid), uintptr(r.tid), uintptr(s.Signal()), uintptr(unsafe.Pointer(&s[0])), 0, 0)
		if errno == 0 {
			return
		}
	}
	_ = unix.Tgkill(r.pid, r.tid, s.Signal()) // the thread may have been killed
}

// sendAllFromHere sends signals to the thread, which is in no event stop.
func (r *Runner) sendAllFromHere(signals []ptrace.SigInfo) {
	for _, s := range signals {
		r.sendFromHere(s)
	}
}
