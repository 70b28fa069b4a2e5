package proc

import (
	"fmt"
	"maps"
	"slices"
	"syscall"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
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

// find returns a thread by id; 0 is the current one.
func (ts *threads) find(id int) (*thread, error) {
	if id == 0 {
		id = ts.current
	}
	if t := ts.byID[id]; t != nil {
		return t, nil
	}
	return nil, ErrNoThread
}

// ids returns the ids of the known threads.
func (ts *threads) ids() []int { return slices.Sorted(maps.Keys(ts.byID)) }

func (ts *threads) anyRunning() bool {
	for _, t := range ts.byID {
		if t.running {
			return true
		}
	}
	return false
}

func (ts *threads) running() []int {
	ids := slices.Sorted(maps.Keys(ts.byID))
	return slices.DeleteFunc(ids, func(id int) bool { return !ts.byID[id].running })
}

// states returns the current states of all stopped threads.
func (ts *threads) states() ([]State, error) {
	var all []State
	for id, t := range ts.byID {
		if t.running {
			continue
		}
		regs := new(ptrace.Regs)
		if err := ts.tracer.Regs(id, regs); err != nil {
			return nil, err
		}
		all = append(all, State{Thread: id, Regs: regs})
	}
	return all, nil
}

// idle returns a thread that is not in a signal-delivery stop, or nil. It
// prefers one that is not in a system call.
func (ts *threads) idle() *thread {
	var inside *thread
	for _, id := range ts.ids() {
		t := ts.byID[id]
		var r ptrace.Regs
		if t.running || t.entered || t.vfork || t.signal.number != 0 || ts.tracer.Regs(id, &r) != nil {
			continue
		}
		if !r.InSyscall() {
			return t
		}
		inside = t
	}
	return inside
}

// forCalls returns a thread that system calls can be injected into, or nil. If
// all are in signal-delivery stops, it defers the signal of the current one.
func (ts *threads) forCalls() *thread {
	if t := ts.idle(); t != nil {
		return t
	}
	t := ts.byID[ts.current]
	if t == nil || t.running || t.entered || t.vfork {
		return nil
	}
	ts.deferSignal(t)
	return t
}

// stopOf adds thread and address to a stop.
func (ts *threads) stopOf(t *thread, s Stop) Stop {
	if t == nil {
		return s
	}
	s.Thread = t.id
	var r ptrace.Regs
	if err := ts.tracer.Regs(t.id, &r); err == nil {
		s.Address = r.RIP
	}
	return s
}

// report stores a stop until Resume returns it.
func (ts *threads) report(t *thread, s Stop) {
	ts.lastReport++
	s.Thread = t.id
	t.report = &report{ts.lastReport, s}
}

// firstReport returns the thread with the oldest unreported stop, or nil.
func (ts *threads) firstReport() *thread {
	var first *thread
	for _, t := range ts.byID {
		if t.report != nil && (first == nil || t.report.order < first.report.order) {
			first = t
		}
	}
	return first
}

// forgetReports drops reported stops, because no caller waits for them.
func (ts *threads) forgetReports() {
	for _, t := range ts.byID {
		t.report = nil
	}
}

// skipCurrentBreakpoint makes the current thread continue past the breakpoint at
// its pc, unless it has not reported that stop yet.
func (ts *threads) skipCurrentBreakpoint() {
	if t := ts.byID[ts.current]; t != nil && t.report == nil {
		t.skipBreakpoint = true
	}
}

// reportedSignals returns the signals of stops that were reported and are still to be
// delivered, by thread.
func (ts *threads) reportedSignals() map[int]syscall.Signal {
	reported := map[int]syscall.Signal{}
	for id, t := range ts.byID {
		if t.signal.number != 0 && t.report == nil {
			reported[id] = t.signal.number
		}
	}
	return reported
}

// deferSignal defers the signal of a thread's signal-delivery stop until
// sendDeferred.
func (ts *threads) deferSignal(t *thread) {
	if t.signal.number == 0 {
		return
	}
	t.deferred = append(t.deferred, t.signal)
	t.signal = signalled{}
}

// signalWaits reports whether an unblocked signal is pending for a thread.
func (ts *threads) signalWaits(t *thread) bool {
	s, err := procfs.ReadStatus(fmt.Sprintf("/proc/%d/task/%d/status", ts.tracee.pid, t.id))
	return err == nil && (s.Bits("SigPnd")|s.Bits("ShdPnd"))&^s.Bits("SigBlk") != 0
}

// awaitsSignal reports whether a signal that was sent to a thread will be delivered to it when
// the thread continues.
func (ts *threads) awaitsSignal(t *thread, sig syscall.Signal) bool {
	s, err := procfs.ReadStatus(fmt.Sprintf("/proc/%d/task/%d/status", ts.tracee.pid, t.id))
	return err == nil && s.Bits("SigPnd")&^s.Bits("SigBlk")>>(sig-1)&1 != 0
}

// handles reports whether the process has a handler for a signal.
func (ts *threads) handles(t *thread, sig signalNumber) bool {
	s, err := procfs.ReadStatus(fmt.Sprintf("/proc/%d/task/%d/status", ts.tracee.pid, t.id))
	return err != nil || s.Bits("SigCgt")>>(sig-1)&1 != 0
}

// leaveTrap moves a thread from a SIGTRAP stop to an event stop without delivering
// the signal.
func (ts *threads) leaveTrap(t *thread) {
	if !t.trap || t.running {
		return
	}
	t.trap = false
	kind, err := ts.tracer.ToEventStop(t.id, ts.queue.add)
	t.running = err != nil // until the event of its end
	t.group = kind == ptrace.GroupStop
}

// dropZombies removes threads that have ended without an event.
func (ts *threads) dropZombies() {
	for _, id := range ts.running() {
		switch procfs.ThreadStat(ts.tracee.pid, id, procfs.StatState) {
		case "Z", "X", "":
			delete(ts.byID, id)
		}
	}
	if ts.byID[ts.current] == nil {
		for id := range ts.byID {
			ts.current = id
		}
	}
}

// replaceMemory opens the memory anew if its thread has ended.
func (ts *threads) replaceMemory() error {
	if ts.byID[ts.tracee.memory.PID()] != nil {
		return nil
	}
	m, err := ptrace.OpenMemory(ts.current)
	if err != nil {
		return err
	}
	_ = ts.tracee.memory.Close()
	ts.tracee.memory = m
	return nil
}
