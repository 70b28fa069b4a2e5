package inplace

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// signalled handles a signal-delivery stop. In the program's own code, and at the start
// of a block, the signal can be delivered. A signal that a translated instruction
// raised is raised again by the instruction itself. Others wait for the end of the
// block, except faults of the code around the instructions, which would be repeated: the
// program has changed the memory of the cache.
func (r *Runner) signalled() (stop Stop, running bool, err error) {
	var regs ptrace.Regs
	if err := r.tracer.Regs(r.tid, &regs); err != nil {
		return Stop{}, false, err
	}
	if r.signal, err = r.tracer.SigInfo(r.tid); err != nil {
		return Stop{}, false, err
	}
	position, ok := r.cache.Position(regs.RIP)
	switch {
	case r.watched():
		return Stop{}, true, r.noteWatched(&regs)
	case !r.cache.Contains(regs.RIP):
		return r.signalledOutside(&regs)
	case r.waitsBuffered(&regs):
		return r.interruptBuffered(&regs)
	case r.behindBuffered(&regs) && r.interruptedBy(r.signal, &regs):
		r.withdrawBuffered(&regs)
		return r.deliverable()
	case isFault(&r.signal) && r.refuseFutex(&regs):
		return Stop{}, true, errors.Join(r.tracer.SetRegs(r.tid, &regs), r.resume(r.tracer.Cont, 0))
	case ok && position.Begun && isFault(&r.signal):
		r.adopt(&regs, position)
		return Stop{}, true, r.step()
	case ok && position.Start:
		r.take(&regs, position.PC, position.Undone) // a jump that takes no code may have been executed
		return r.deliverable()
	case isFault(&r.signal) && r.signal.Signal() != unix.SIGTRAP:
		return Stop{}, false, fmt.Errorf("%v at %#x, in code of the cache itself", r.signal.Signal(), regs.RIP)
	}
	r.deferSignal()
	return Stop{}, true, r.leave()
}

// signalledOutside handles a signal-delivery stop in the program's own code.
func (r *Runner) signalledOutside(regs *ptrace.Regs) (Stop, bool, error) {
	flags := r.Regs.EFlags
	r.Regs = *regs
	r.stopLeaving()
	if r.signal.Signal() == unix.SIGTRAP && r.signal.Code() == ptrace.CodeTrace {
		r.at = atStop
		r.context().SetLeft(r.context().Left() - 1) // the instruction has raised no signal this time
		return Stop{}, false, nil
	}
	r.keepTrapFlag(flags)
	r.restart = regs.Restarts()
	return r.deliverable()
}

// deliverable returns the stop for a signal that can be delivered. It is given its
// siginfo_t again if it had been deferred.
func (r *Runner) deliverable() (Stop, bool, error) {
	r.at = atSignal
	if r.raised && r.deferred[0].Signal() == r.signal.Signal() {
		r.signal = r.deferred[0]
		r.deferred, r.raised = r.deferred[1:], false
		if err := r.tracer.SetSigInfo(r.tid, r.signal); err != nil {
			return Stop{}, false, err
		}
	}
	return Stop{Kind: Signal}, false, nil
}

// isFault reports whether an instruction has raised the signal.
func isFault(info *ptrace.SigInfo) bool {
	switch info.Signal() {
	case unix.SIGSEGV, unix.SIGBUS, unix.SIGFPE, unix.SIGILL, unix.SIGTRAP:
		return !info.Sent()
	}
	return false
}

// deferSignal defers the signal of the current signal-delivery stop, unless it is one
// that has been deferred before.
func (r *Runner) deferSignal() {
	if r.raised && r.deferred[0].Signal() == r.signal.Signal() {
		r.raised = false
		return
	}
	r.deferred = append(r.deferred, r.signal)
}

// signalFirst reports whether a deferred signal must be sent again before the thread makes
// a system call. If it has been sent and has not arrived, the program blocks it.
func (r *Runner) signalFirst() bool { return len(r.deferred) > 0 && !r.raised && !r.held }

// raiseDeferred sends the first deferred signal to the thread, which is about to
// continue at the start of a block.
func (r *Runner) raiseDeferred() error {
	if len(r.deferred) == 0 || r.raised || r.held {
		return nil
	}
	r.raised = true
	return unix.Tgkill(r.pid, r.tid, r.deferred[0].Signal())
}

// Postpone keeps the signal of a stop of kind [Signal], and those that are deferred, until
// SendPostponed is called.
func (r *Runner) Postpone() {
	r.deferSignal()
	r.held, r.at = true, atStop
}

// Postponed reports whether the current thread has signals that were postponed.
func (r *Runner) Postponed() bool { return r.held }

// SendPostponed sends signals again that were postponed, when the current thread continues.
func (r *Runner) SendPostponed() { r.held = false }

// SigInfo returns the siginfo_t of the last stop of kind [Signal].
func (r *Runner) SigInfo() ptrace.SigInfo { return r.signal }

// Deliver delivers the signal of a stop of kind [Signal]. If the program has a handler
// for it, the thread is then at its first instruction. Signals that would stop the
// process are dropped. To drop another one, call Run.
func (r *Runner) Deliver() (Stop, error) { return r.orEnd(r.deliver()) }

func (r *Runner) deliver() (Stop, error) {
	if r.at != atSignal {
		return Stop{}, errors.New("there is no signal to deliver")
	}
	signal := r.signal.Signal()
	caught, ignored, err := r.dispositions()
	if err != nil {
		return Stop{}, err
	}
	bit := uint64(1) << (signal - 1)
	switch {
	case caught&bit != 0:
		return r.toHandler(signal)
	case withoutEffect(caught, ignored)&bit != 0:
		r.at = atStop
		return Stop{Kind: Done}, nil
	}
	return r.die(signal)
}

// harmless is the set of signals whose default action does not end a process.
const harmless = 1<<unix.SIGCHLD | 1<<unix.SIGCONT | 1<<unix.SIGURG | 1<<unix.SIGWINCH |
	1<<unix.SIGSTOP | 1<<unix.SIGTSTP | 1<<unix.SIGTTIN | 1<<unix.SIGTTOU

// dispositions returns the sets of signals that have a handler and that are ignored.
func (r *Runner) dispositions() (caught, ignored uint64, err error) {
	status, err := procfs.ReadStatus("/proc/" + strconv.Itoa(r.tid) + "/status")
	return status.Bits("SigCgt"), status.Bits("SigIgn"), err
}

// toHandler delivers a signal to its handler.
func (r *Runner) toHandler(signal syscall.Signal) (Stop, error) {
	if err := r.setRegs(); err != nil {
		return Stop{}, err
	}
	flags := r.Regs.EFlags
	if err := r.resume(r.tracer.Step, signal); err != nil {
		return Stop{}, err
	}
	event, err := r.next(context.Background())
	if err != nil {
		return Stop{}, err
	}
	if event.Kind != ptrace.SignalStop || event.Signal != unix.SIGTRAP {
		stop, _, err := r.handle(event) // the kernel could not write the frame
		return stop, err
	}
	r.restart, r.at = false, atStop
	if err := r.tracer.Regs(r.tid, &r.Regs); err != nil {
		return Stop{}, err
	}
	r.Regs.OrigRAX = ptrace.NoSyscall
	return Stop{Kind: Done}, r.hideStep(flags)
}

// die delivers a signal that ends the process.
func (r *Runner) die(signal syscall.Signal) (Stop, error) {
	if err := r.setRegs(); err != nil {
		return Stop{}, err
	}
	if err := r.resume(r.tracer.Cont, signal); err != nil {
		return Stop{}, err
	}
	for {
		event, err := r.next(context.Background())
		switch {
		case err != nil:
			return Stop{}, err
		case event.Gone():
			stop, _, err := r.handle(event)
			return stop, err
		case event.Kind != ptrace.Exiting && event.Kind != ptrace.SignalStop && event.Kind != ptrace.EventStop:
			return Stop{}, fmt.Errorf("%v led to %v", signal, event.Kind)
		}
		if err := r.resume(r.tracer.Cont, event.Signal); err != nil {
			return Stop{}, err
		}
	}
}
