package proc

import (
	"context"
	"errors"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// events handles the events of the threads.
type events struct {
	tracer      *ptrace.Tracer
	tracee      *tracee
	queue       *eventQueue
	code        *codeCache
	threads     *threads
	rescue      *rescue
	injection   *injection
	traps       *traps
	breakpoints *breakpoints
	syscalls    *syscalls
	writes      *writes
	children    *children

	early map[int]ptrace.Event // first events of threads that were not announced yet
}

// The call tree of events:
//
//	next, poll         read an event from the queue or the kernel
//	  handle           update the state of its thread
//	    onSignal         decide on a signal
//	      onTrap           of a breakpoint, of a step, or sent
//	        hit              check the breakpoints at the location
//	    handleNewTask    trace a new thread, or detach from a child
//	    onExec           reset the process for the new program
//	    threadGone       remove a thread, or end the process
//
// handle never resumes a thread; its caller does.

// next waits for an event. It returns ptrace.ErrWoken when wake has a value or
// ctx is done.
func (ev *events) next(ctx context.Context, wake <-chan struct{}) (ptrace.Event, error) {
	if e, ok := ev.queue.take(); ok {
		return e, nil
	}
	e, err := ev.tracer.Next(ctx, wake)
	return e, ev.checkLost(err)
}

// poll returns a pending event, if there is one.
func (ev *events) poll() (ptrace.Event, bool, error) {
	if e, ok := ev.queue.take(); ok {
		return e, true, nil
	}
	e, ok, err := ev.tracer.Poll()
	return e, ok, ev.checkLost(err)
}

// checkLost treats a process without threads as ended. Its exit status was
// consumed by another waiter.
func (ev *events) checkLost(err error) error {
	if !errors.Is(err, ptrace.ErrNoThreads) {
		return err
	}
	ev.end(Stop{Why: Exited, Thread: ev.tracee.pid, Status: UnknownStatus})
	return ErrExited
}

// end records the end of the process.
func (ev *events) end(s Stop) {
	if ev.tracee.ended == nil {
		ev.tracee.ended = &s
		clear(ev.threads.byID)
		ev.tracee.closeKept()
	}
}

// handle updates the state of the process after an event.
func (ev *events) handle(e ptrace.Event) {
	t := ev.threads.byID[e.Thread]
	if t == nil && e.Kind == ptrace.Exec && e.Thread == ev.tracee.pid {
		t = &thread{id: ev.tracee.pid} // the first thread had ended before
	}
	switch {
	case e.Gone():
		ev.threadGone(e)
		return
	case t == nil:
		ev.handleUnknown(e)
		return
	}
	t.running, t.starting, t.group, t.trap, t.staleStep, t.vfork = false, false, false, false, false, false
	entry := e.Kind == ptrace.SyscallStop && t.step.phase != toExit
	t.step, t.entered, t.interrupted = step{}, entry, false
	switch e.Kind {
	case ptrace.SignalStop:
		ev.onSignal(t, e.Signal)
	case ptrace.EventStop:
		t.interrupted = true
	case ptrace.GroupStop:
		t.group, t.groupSignal, t.interrupted = true, e.Signal, true
	case ptrace.SyscallStop:
		ev.syscalls.onSyscall(t)
	case ptrace.Clone, ptrace.Fork:
		ev.handleNewTask(e)
		ev.leaveSyscallStop(t)
	case ptrace.Vfork:
		ev.handleNewTask(e)
		t.vfork = true
	case ptrace.VforkDone:
		ev.breakpoints.forgetSharers()
		ev.leaveSyscallStop(t)
	case ptrace.Exec:
		ev.onExec(t)
		ev.leaveSyscallStop(t)
	}
}

// leaveSyscallStop moves a thread from the ptrace event stop within a system call
// to its end. In the event stop the registers do not have the result yet, and no
// system call can be injected. After vfork this has to wait for the child.
func (ev *events) leaveSyscallStop(t *thread) {
	t.trap = true
	if ev.threads.leaveTrap(t); ev.syscalls.catching() && !t.running {
		ev.syscalls.onReturn(t)
	}
}

// threadGone removes a thread. The end of the thread group leader is reported
// after all others, and is the end of the process.
func (ev *events) threadGone(e ptrace.Event) {
	delete(ev.threads.byID, e.Thread)
	delete(ev.children.announced, e.Thread)
	delete(ev.early, e.Thread)
	delete(ev.children.held, e.Thread)
	if e.Thread == ev.children.successor.id {
		ev.children.successor = successor{}
	}
	switch {
	case e.Thread != ev.tracee.pid:
	case e.Kind == ptrace.Killed:
		ev.end(Stop{Why: Killed, Thread: ev.tracee.pid, Signal: e.Signal})
	default:
		ev.end(Stop{Why: Exited, Thread: ev.tracee.pid, Status: e.Status})
	}
	if ev.threads.byID[ev.threads.current] == nil {
		ev.threads.current = ev.tracee.pid
	}
}

// handleUnknown handles the first stop of a child, or of a thread whose
// creation was not reported yet.
func (ev *events) handleUnknown(e ptrace.Event) {
	if inherited, ok := ev.children.announced[e.Thread]; ok {
		delete(ev.children.announced, e.Thread)
		ev.children.take(e.Thread, inherited)
		return
	}
	if ev.children.held[e.Thread] {
		ev.children.onHeld(e)
		return
	}
	ev.early[e.Thread] = e
}

// handleNewTask adds a new thread, or schedules the detach from a child.
func (ev *events) handleNewTask(e ptrace.Event) {
	id := int(e.Message)
	first, came := ev.early[id]
	delete(ev.early, id)
	switch ours := e.Kind == ptrace.Clone && ev.tracee.hasThread(id); {
	case ours && ev.threads.byID[id] == nil:
		ev.threads.byID[id] = &thread{id: id, running: true, starting: true}
	case !ours:
		ev.children.announced[id] = ev.children.inheritance()
	}
	if came {
		ev.handle(first)
	}
}

// forgetImage drops what is known of the memory of a program that has ended, or that the
// process leaves for its child.
func (ev *events) forgetImage() {
	ev.breakpoints.sharers, ev.injection.site = nil, 0
	ev.tracee.is32Bit = is32Bit(ev.tracee.pid)
	ev.traps.handler, ev.traps.none = nil, ev.tracee.is32Bit
	ev.writes.unwatch()
	ev.code.drop()
}

// onExec resets the state after exec: one thread, new memory, no breakpoints.
func (ev *events) onExec(t *thread) {
	clear(ev.threads.byID)
	*t = thread{id: ev.tracee.pid}
	ev.threads.byID[ev.tracee.pid] = t
	ev.breakpoints.forget()
	ev.rescue.forget()
	ev.forgetImage()
	ev.tracee.closeKept()
	_ = ev.tracee.memory.Close()
	m, err := ptrace.OpenMemory(ev.tracee.pid)
	if err == nil {
		ev.tracee.memory = m
	} else {
		ev.tracee.log.Warn("the memory of the new program cannot be opened", "err", err)
	}
	ev.threads.report(t, Stop{Why: Executed})
}

// onSignal decides what happens to a signal in a signal-delivery stop.
func (ev *events) onSignal(t *thread, sig syscall.Signal) {
	info, err := ev.tracer.SigInfo(t.id)
	if err != nil {
		return // the thread was killed, which is the next event
	}
	if sig == unix.SIGTRAP && !info.Sent() {
		ev.onTrap(t, info)
		return
	}
	action := ev.tracee.actions.of(sig)
	if ev.tracee.runningFree || t.reportedSignal == sig {
		action = Pass
	}
	t.reportedSignal = 0
	t.signal = signalled{}
	if action.passes() {
		t.signal = signalled{sig, info}
	}
	if !action.stops() {
		return
	}
	stop := Stop{Why: Signalled, Signal: sig}
	stop.Explain(info)
	ev.threads.report(t, stop)
}

// onTrap handles a SIGTRAP that the kernel raised. The thread leaves the
// signal-delivery stop at once: if this program were killed, the signal would be
// delivered and end the process.
func (ev *events) onTrap(t *thread, info ptrace.SigInfo) {
	defer ev.threads.leaveTrap(t)
	t.trap = true
	switch info.Code() {
	case ptrace.CodePerf:
		if info.PerfLate() {
			ev.breakpoints.onHiddenInt3(t, info)
			ev.breakpoints.hitLate(t, info)
		} else if l := ev.breakpoints.locationByID(int(info.PerfData())); l != nil {
			ev.breakpoints.hit(t, l, false)
		}
	case ptrace.CodeKernel:
		ev.breakpoints.onInt3(t, info)
	}
}

// beforeConsume moves a thread to a state in which it can continue without the
// SIGTRAP of its stop, see ptrace.Tracer.BeforeConsume: to the address of an int3 of
// ours, and out of a step that ended at a pushfq, which would push the trap flag.
func (ev *events) beforeConsume(e ptrace.Event) {
	t := ev.threads.byID[e.Thread]
	if t == nil || e.Kind != ptrace.SignalStop || e.Signal != unix.SIGTRAP {
		return
	}
	info, err := ev.tracer.SigInfo(t.id)
	if err != nil {
		return // its end is the next event
	}
	var r ptrace.Regs
	if err := ev.tracer.Regs(t.id, &r); err != nil {
		return // likewise
	}
	switch info.Code() {
	case ptrace.CodeKernel:
		if !isMoved(info) && (ev.breakpoints.softwareAt(r.RIP-1) != nil || !ev.breakpoints.isInt3(r.RIP-1)) {
			_ = ev.breakpoints.beforeInt3(t, &r, info) // likewise
		}
	case ptrace.CodeTrace:
		if ev.code.kindAt(&r) == pushfCode {
			_, _ = ev.tracer.ToEventStop(t.id, ev.queue.add) // likewise
		}
	}
}

// collect handles all pending events without waiting.
func (ev *events) collect() {
	for ev.tracee.ended == nil {
		e, ok, err := ev.poll()
		if err != nil || !ok {
			return
		}
		ev.handle(e)
	}
}

// awaitEnd handles events until the process has ended, for at most dyingTime.
func (ev *events) awaitEnd() error {
	ctx, cancel := context.WithTimeout(context.Background(), dyingTime)
	defer cancel()
	for ev.tracee.ended == nil {
		e, err := ev.next(ctx, nil)
		if err != nil {
			return err
		}
		ev.handle(e)
	}
	return nil
}

// dyingTime limits how long the threads of a killed process may take to end.
const dyingTime = time.Second

// awaitBirth waits for the first stop of a new thread, before its first
// instruction.
func (ev *events) awaitBirth(id int) error {
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	for t := ev.threads.byID[id]; t != nil && t.starting && ev.tracee.ended == nil; t = ev.threads.byID[id] {
		e, err := ev.tracer.Next(ctx, nil)
		switch {
		case err != nil:
			return ev.checkLost(err)
		case e.Thread == id:
			ev.handle(e)
		default:
			ev.queue.add(e)
		}
	}
	return nil
}
