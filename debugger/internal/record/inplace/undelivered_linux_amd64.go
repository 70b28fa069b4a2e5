package inplace

import (
	"errors"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// undelivered returns the signals that would be lost if the thread continued elsewhere: that
// of the stop that it is in, unless the thread raises it again, and deferred ones.
func (sg *signals) undelivered() (signals []ptrace.SigInfo) {
	if len(sg.runner.queue) > 0 && sg.runner.queue[0].Kind == ptrace.SignalStop {
		if info, err := sg.runner.tracer.SigInfo(sg.runner.tid); err == nil && !raisedAgain(&info) { // an error: it has been killed
			signals = append(signals, info)
		}
		sg.runner.queue = sg.runner.queue[1:]
	} else if sg.runner.at == atSignal && !raisedAgain(&sg.runner.signal) {
		signals = append(signals, sg.runner.signal)
	}
	return append(signals, sg.deferred()...)
}

// raisedAgain reports whether the instruction at the program counter raises the signal. A
// trap comes after its instruction.
func raisedAgain(info *ptrace.SigInfo) bool {
	return isFault(info) && info.Signal() != unix.SIGTRAP
}

// deferred returns the deferred signals that were not sent again.
func (sg *signals) deferred() (signals []ptrace.SigInfo) {
	for n, s := range sg.runner.deferred {
		if n > 0 || !sg.runner.raised {
			signals = append(signals, s)
		}
	}
	return signals
}

// sendAgain makes the thread, which is in an event stop, send signals to itself: only the
// process itself may send a signal with an si_code of the kernel.
func (sg *signals) sendAgain(signals []ptrace.SigInfo) error {
	var err error
	for _, s := range signals {
		failed := sg.queue(s)
		if errors.Is(failed, ptrace.ErrGone) {
			err = errors.Join(err, failed)
		} else if failed != nil {
			sg.sendFromHere(s)
		}
	}
	return err
}

// redZone is the size of the memory below the stack pointer that a function may use (System V
// ABI for amd64, 3.2.2).
const redZone = 128

// queue makes the thread queue a signal. Its siginfo_t is stored below the stack
// meanwhile.
func (sg *signals) queue(s ptrace.SigInfo) error {
	var regs ptrace.Regs
	if err := sg.runner.tracer.Regs(sg.runner.tid, &regs); err != nil {
		return err
	}
	var old ptrace.SigInfo
	at := (regs.RSP - redZone - uint64(len(s))) &^ 15
	if _, err := sg.runner.memory.Read(at, old[:]); err != nil {
		return err
	}
	if _, err := sg.runner.memory.Write(at, s[:]); err != nil {
		return err
	}
	_, err := sg.runner.space.inject(unix.SYS_RT_TGSIGQUEUEINFO, uint64(sg.runner.pid), uint64(sg.runner.tid), uint64(s.Signal()), at)
	_, restored := sg.runner.memory.Write(at, old[:])
	return errors.Join(err, restored)
}

// sendFromHere sends a signal to the thread. Its siginfo_t is lost if only the process
// itself may send it.
func (sg *signals) sendFromHere(s ptrace.SigInfo) {
	const fromThread = -6 // SI_TKILL
	if s.Code() < 0 && s.Code() != fromThread {
		_, _, errno := unix.Syscall6(unix.SYS_RT_TGSIGQUEUEINFO, uintptr(sg.runner.pid), uintptr(sg.runner.tid), uintptr(s.Signal()), uintptr(unsafe.Pointer(&s[0])), 0, 0)
		if errno == 0 {
			return
		}
	}
	_ = unix.Tgkill(sg.runner.pid, sg.runner.tid, s.Signal()) // the thread may have been killed
}

// sendAllFromHere sends signals to the thread, which is in no event stop.
func (sg *signals) sendAllFromHere(signals []ptrace.SigInfo) {
	for _, s := range signals {
		sg.sendFromHere(s)
	}
}
