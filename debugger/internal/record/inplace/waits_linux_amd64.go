package inplace

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// nextInside is next inside of a system call. It returns false if the call waits in
// the kernel.
func (tn *Turns) nextInside(wait bool) (ptrace.Event, bool, error) {
	for n := 0; !wait && len(tn.runner.queue) == 0 && !tn.runner.end.Gone(); n++ {
		if err := tn.runner.Collect(); err != nil {
			return ptrace.Event{}, false, err
		}
		if len(tn.runner.queue) > 0 {
			break
		}
		if n > 0 && tn.sleeps(tn.runner.thread) {
			if err := tn.runner.Collect(); err != nil || len(tn.runner.queue) == 0 && !tn.runner.end.Gone() {
				return ptrace.Event{}, false, err
			}
			break
		}
		_, _, _ = unix.Syscall(unix.SYS_SCHED_YIELD, 0, 0, 0)
	}
	e, err := tn.runner.translated.next(context.Background())
	return e, true, err
}

// sleeps reports whether a thread waits in the kernel, and is neither stopped nor about
// to run.
func (tn *Turns) sleeps(t *thread) bool {
	state := tn.state(t)
	return state == 'S' || state == 'D'
}

// state returns the state of a thread, see proc_pid_stat(5), or 0 if it has ended.
func (tn *Turns) state(t *thread) byte {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/stat", tn.runner.pid, t.tid))
	if at := bytes.LastIndexByte(text, ')') + 2; err == nil && at < len(text) {
		return text[at]
	}
	return 0
}

// Withdraw makes the current thread, whose last stop is of kind Blocked, leave the kernel.
// It returns true if the system call has not been made: the thread is then where it was
// before Start, which begins the call again. Else it has returned, and Start ends at once.
func (r *Runner) Withdraw() (bool, error) {
	if len(r.queue) > 0 || r.end.Gone() {
		return false, nil
	}
	if err := r.tracer.Interrupt(r.tid); err != nil {
		return false, err
	}
	e, err := r.translated.next(context.Background())
	if err != nil {
		return false, err
	}
	r.stale = r.stale || e.Kind != ptrace.EventStop
	if e.Kind != ptrace.SyscallStop {
		r.queue = append([]ptrace.Event{e}, r.queue...)
		return false, nil
	}
	var regs ptrace.Regs
	if err := r.tracer.Regs(r.tid, &regs); err != nil {
		return false, err
	}
	switch {
	case regs.Restarts():
		r.inside, r.withdrawn, r.restarts = false, true, regs
		return true, nil
	case r.signals.interruptedForNothing(&regs):
		r.inside, r.Regs, r.at = false, r.before, atStop
		return true, r.setRegs()
	}
	r.queue = append([]ptrace.Event{e}, r.queue...)
	return false, nil
}

// restartWithdrawn moves the thread to the entry of the call that the kernel restarts. If
// a signal comes first, it is as if the call had been interrupted by the signal, also if the
// kernel has just begun to restart it.
func (tn *Turns) restartWithdrawn() (Stop, error) {
	e, err := tn.runner.calls.toSyscallStop()
	if err != nil {
		return Stop{}, err
	}
	tn.runner.withdrawn = false
	switch e.Kind {
	case ptrace.SyscallStop:
		return Stop{}, nil
	case ptrace.SignalStop:
	default:
		return tn.runner.calls.prevented(e)
	}
	tn.runner.queue = append([]ptrace.Event{e}, tn.runner.queue...)
	if err := tn.runner.tracer.Regs(tn.runner.tid, &tn.runner.Regs); err != nil {
		return Stop{}, err
	}
	if !tn.runner.Regs.Restarts() {
		tn.runner.Regs = tn.runner.restarts
		if err := tn.runner.setRegs(); err != nil {
			return Stop{}, err
		}
	}
	tn.runner.at, tn.runner.restart = atStop, true
	tn.runner.translated.executed++
	return Stop{Kind: Done}, nil
}

// interruptedForNothing reports whether a system call has failed with EINTR though no signal
// arrives that the program would notice: the thread was stopped, or the signals that arrive
// have no effect. It can be made again then, except close(2), which has closed the descriptor.
func (sg *signals) interruptedForNothing(regs *ptrace.Regs) bool {
	if !failsInterrupted(regs) {
		return false
	}
	effective, _, err := sg.arriving()
	return err == nil && effective == 0
}

// failsInterrupted reports whether a system call has failed because its thread was
// interrupted, and can be made again.
func failsInterrupted(regs *ptrace.Regs) bool {
	return -int64(regs.RAX) == int64(unix.EINTR) && regs.OrigRAX != unix.SYS_CLOSE
}

// interruptedInVain is interruptedForNothing for a call that has failed because of a signal.
func (sg *signals) interruptedInVain(regs *ptrace.Regs) bool {
	if !failsInterrupted(regs) {
		return false
	}
	effective, without, err := sg.arriving()
	return err == nil && effective == 0 && without != 0
}

// interruptedBy is interruptedForNothing at the stop of a signal.
func (sg *signals) interruptedBy(signal ptrace.SigInfo, regs *ptrace.Regs) bool {
	if !failsInterrupted(regs) {
		return false
	}
	caught, ignored, err := sg.dispositions()
	return err == nil && withoutEffect(caught, ignored)>>(signal.Signal()-1)&1 != 0 && sg.interruptedForNothing(regs)
}

// arriving returns the sets of signals that arrive when the thread continues: those that
// have an effect, and those without.
func (sg *signals) arriving() (effective, without uint64, err error) {
	status, err := procfs.ReadStatus("/proc/" + strconv.Itoa(sg.runner.tid) + "/status")
	all := (status.Bits("SigPnd") | status.Bits("ShdPnd")) &^ status.Bits("SigBlk")
	without = all & withoutEffect(status.Bits("SigCgt"), status.Bits("SigIgn"))
	return all &^ without, without, err
}

// withoutEffect returns the set of signals that have no effect, by those that have a handler
// and those that are ignored.
func withoutEffect(caught, ignored uint64) uint64 { return ignored | harmless>>1&^caught }
