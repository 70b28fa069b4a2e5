package proc

import (
	"syscall"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// threads holds the traced threads.
type threads struct {
	tracer *ptrace.Tracer
	tracee *tracee
	queue  *eventQueue

	byID       map[int]*thread
	current    int // id of the thread of the last stop
	lastReport int // the order of the last report; also ids of locations
	pinned     int // the thread to whose processor the tracer is pinned, 0 if none
}

// A thread holds the state of one traced thread.
type thread struct {
	id          int
	running     bool // not in a ptrace stop
	starting    bool // before its first stop
	group       bool // in a group stop
	groupSignal syscall.Signal
	interrupted bool // stopped by Interrupt, perhaps before a pending trap, see deliverPendingTraps
	trap        bool // in the SIGTRAP stop of a step or breakpoint, see leaveTrap
	staleStep   bool // the kernel would set its trap flag again, see clearStaleFlag

	signal         signalled    // the signal of its stop, delivered when it continues
	deferred       []signalled  // signals that are delivered after Step
	report         *report      // a stop that is not reported yet
	skipBreakpoint bool         // it continues past the breakpoint at its pc
	reportedSignal signalNumber // a signal that was reported and arrives again
	step           step
	entered        bool // in the entry stop of a system call, or in the exit stop of a caught one
	call           callState
	vfork          bool // in vfork, before the child has its own memory
	mask           trapMask
}

// signalled is a signal and its siginfo_t.
type signalled struct {
	number signalNumber
	info   ptrace.SigInfo
}

// report is a stop that Resume has not returned yet. Lower orders came earlier.
type report struct {
	order int
	stop  Stop
}

// setRegs is Process.SetRegs, on the tracer's thread.
func (ts *threads) setRegs(id int, r ptrace.Regs) error {
	t, err := ts.find(id)
	if err != nil {
		return err
	}
	var old ptrace.Regs
	if err := ts.tracee.checkEnded(ts.tracer.Regs(t.id, &old)); err != nil {
		return err
	}
	if old.RIP != r.RIP {
		t.report, t.skipBreakpoint = nil, false
		if r.OrigRAX == old.OrigRAX {
			r.OrigRAX = ptrace.NoSyscall
		}
	}
	return ts.tracee.checkEnded(ts.tracer.SetRegs(t.id, &r))
}
