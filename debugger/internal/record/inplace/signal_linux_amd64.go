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

// signals handles the signals of the process: those that arrive, those that were deferred, and
// those that interrupt system calls.
type signals struct{ runner *Runner }

// arrived handles a signal-delivery stop. In the program's own code, and at the start
// of a block, the signal can be delivered. A signal that a translated instruction
// raised is raised again by the instruction itself. Others wait for the end of the
// block, except faults of the code around the instructions, which would be repeated: the
// program has changed the memory of the cache.
func (sg *signals) arrived() (stop Stop, running bool, err error) {
	var regs ptrace.Regs
	if err := sg.runner.tracer.Regs(sg.runner.tid, &regs); err != nil {
		return Stop{}, false, err
	}
	if sg.runner.signal, err = sg.runner.tracer.SigInfo(sg.runner.tid); err != nil {
		return Stop{}, false, err
	}
	position, ok := sg.runner.space.cache.Position(regs.RIP)
	switch {
	case sg.runner.Watch.watched():
		return Stop{}, true, sg.runner.Watch.noteWatched(&regs)
	case !sg.runner.space.cache.Contains(regs.RIP):
		return sg.outside(&regs)
	case sg.runner.Buffer.waits(&regs):
		return sg.runner.Buffer.interrupt(&regs)
	case sg.runner.Buffer.behind(&regs) && sg.interruptedBy(sg.runner.signal, &regs):
		sg.runner.Buffer.withdraw(&regs)
		return sg.deliverable()
	case isFault(&sg.runner.signal) && sg.runner.Buffer.refuseFutex(&regs):
		return Stop{}, true, errors.Join(sg.runner.tracer.SetRegs(sg.runner.tid, &regs), sg.runner.translated.resume(sg.runner.tracer.Cont, 0))
	case ok && position.Begun && isFault(&sg.runner.signal):
		sg.runner.translated.adopt(&regs, position)
		return Stop{}, true, sg.runner.native.step()
	case ok && position.Start:
		sg.runner.translated.take(&regs, position.PC, position.Undone) // a jump that takes no code may have been executed
		return sg.deliverable()
	case isFault(&sg.runner.signal) && sg.runner.signal.Signal() != unix.SIGTRAP:
		return Stop{}, false, fmt.Errorf("%v at %#x, in code of the cache itself", sg.runner.signal.Signal(), regs.RIP)
	}
	sg.deferSignal()
	return Stop{}, true, sg.runner.translated.leave()
}

// outside handles a signal-delivery stop in the program's own code.
func (sg *signals) outside(regs *ptrace.Regs) (Stop, bool, error) {
	flags := sg.runner.Regs.EFlags
	sg.runner.Regs = *regs
	sg.runner.translated.stopLeaving()
	if sg.runner.signal.Signal() == unix.SIGTRAP && sg.runner.signal.Code() == ptrace.CodeTrace {
		sg.runner.at = atStop
		sg.runner.space.context().SetLeft(sg.runner.space.context().Left() - 1) // the instruction has raised no signal this time
		return Stop{}, false, nil
	}
	sg.runner.native.keepTrapFlag(flags)
	sg.runner.restart = regs.Restarts()
	return sg.deliverable()
}

// deliverable returns the stop for a signal that can be delivered. It is given its
// siginfo_t again if it had been deferred.
func (sg *signals) deliverable() (Stop, bool, error) {
	sg.runner.at = atSignal
	if sg.runner.raised && sg.runner.deferred[0].Signal() == sg.runner.signal.Signal() {
		sg.runner.signal = sg.runner.deferred[0]
		sg.runner.deferred, sg.runner.raised = sg.runner.deferred[1:], false
		if err := sg.runner.tracer.SetSigInfo(sg.runner.tid, sg.runner.signal); err != nil {
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
func (sg *signals) deferSignal() {
	if sg.runner.raised && sg.runner.deferred[0].Signal() == sg.runner.signal.Signal() {
		sg.runner.raised = false
		return
	}
	sg.runner.deferred = append(sg.runner.deferred, sg.runner.signal)
}

// first reports whether a deferred signal must be sent again before the thread makes
// a system call. If it has been sent and has not arrived, the program blocks it.
func (sg *signals) first() bool {
	return len(sg.runner.deferred) > 0 && !sg.runner.raised && !sg.runner.held
}

// raiseDeferred sends the first deferred signal to the thread, which is about to
// continue at the start of a block.
func (sg *signals) raiseDeferred() error {
	if len(sg.runner.deferred) == 0 || sg.runner.raised || sg.runner.held {
		return nil
	}
	sg.runner.raised = true
	return unix.Tgkill(sg.runner.pid, sg.runner.tid, sg.runner.deferred[0].Signal())
}

// Postpone keeps the signal of a stop of kind [Signal], and those that are deferred, until
// SendPostponed is called.
func (r *Runner) Postpone() {
	r.signals.deferSignal()
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
func (r *Runner) Deliver() (Stop, error) { return r.orEnd(r.signals.deliver()) }

func (sg *signals) deliver() (Stop, error) {
	if sg.runner.at != atSignal {
		return Stop{}, errors.New("there is no signal to deliver")
	}
	signal := sg.runner.signal.Signal()
	caught, ignored, err := sg.dispositions()
	if err != nil {
		return Stop{}, err
	}
	bit := uint64(1) << (signal - 1)
	switch {
	case caught&bit != 0:
		return sg.toHandler(signal)
	case withoutEffect(caught, ignored)&bit != 0:
		sg.runner.at = atStop
		return Stop{Kind: Done}, nil
	}
	return sg.die(signal)
}

// harmless is the set of signals whose default action does not end a process.
const harmless = 1<<unix.SIGCHLD | 1<<unix.SIGCONT | 1<<unix.SIGURG | 1<<unix.SIGWINCH |
	1<<unix.SIGSTOP | 1<<unix.SIGTSTP | 1<<unix.SIGTTIN | 1<<unix.SIGTTOU

// dispositions returns the sets of signals that have a handler and that are ignored.
func (sg *signals) dispositions() (caught, ignored uint64, err error) {
	status, err := procfs.ReadStatus("/proc/" + strconv.Itoa(sg.runner.tid) + "/status")
	return status.Bits("SigCgt"), status.Bits("SigIgn"), err
}

// toHandler delivers a signal to its handler.
func (sg *signals) toHandler(signal syscall.Signal) (Stop, error) {
	if err := sg.runner.setRegs(); err != nil {
		return Stop{}, err
	}
	flags := sg.runner.Regs.EFlags
	if err := sg.runner.translated.resume(sg.runner.tracer.Step, signal); err != nil {
		return Stop{}, err
	}
	event, err := sg.runner.translated.next(context.Background())
	if err != nil {
		return Stop{}, err
	}
	if event.Kind != ptrace.SignalStop || event.Signal != unix.SIGTRAP {
		stop, _, err := sg.runner.translated.handle(event) // the kernel could not write the frame
		return stop, err
	}
	sg.runner.restart, sg.runner.at = false, atStop
	if err := sg.runner.tracer.Regs(sg.runner.tid, &sg.runner.Regs); err != nil {
		return Stop{}, err
	}
	sg.runner.Regs.OrigRAX = ptrace.NoSyscall
	return Stop{Kind: Done}, sg.runner.native.hideStep(flags)
}

// die delivers a signal that ends the process.
func (sg *signals) die(signal syscall.Signal) (Stop, error) {
	if err := sg.runner.setRegs(); err != nil {
		return Stop{}, err
	}
	if err := sg.runner.translated.resume(sg.runner.tracer.Cont, signal); err != nil {
		return Stop{}, err
	}
	for {
		event, err := sg.runner.translated.next(context.Background())
		switch {
		case err != nil:
			return Stop{}, err
		case event.Gone():
			stop, _, err := sg.runner.translated.handle(event)
			return stop, err
		case event.Kind != ptrace.Exiting && event.Kind != ptrace.SignalStop && event.Kind != ptrace.EventStop:
			return Stop{}, fmt.Errorf("%v led to %v", signal, event.Kind)
		}
		if err := sg.runner.translated.resume(sg.runner.tracer.Cont, event.Signal); err != nil {
			return Stop{}, err
		}
	}
}
