package proc

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/guard"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// The call tree of events:
//
//	next, poll         read an event from the queue or the kernel
//	  handleEvent      update the state of its thread
//	    onSignal         decide on a signal
//	      onTrap           of a breakpoint, of a step, or sent
//	        hit              check the breakpoints at the location
//	    handleNewTask    trace a new thread, or detach from a child
//	    onExec           reset the process for the new program
//	    threadGone       remove a thread, or end the process
//
// handleEvent never resumes a thread; its caller does.

// next waits for an event. It returns ptrace.ErrWoken when wake has a value or
// ctx is done.
func (p *Process) next(ctx context.Context, wake <-chan struct{}) (ptrace.Event, error) {
	if e, ok := p.dequeue(); ok {
		return e, nil
	}
	e, err := p.tracer.Next(ctx, wake)
	return e, p.checkLost(err)
}

// poll returns a pending event, if there is one.
func (p *Process) poll() (ptrace.Event, bool, error) {
	if e, ok := p.dequeue(); ok {
		return e, true, nil
	}
	e, ok, err := p.tracer.Poll()
	return e, ok, p.checkLost(err)
}

// enqueue stores an event that arrived while another one was handled.
func (p *Process) enqueue(e ptrace.Event) { p.queue = append(p.queue, e) }

func (p *Process) dequeue() (ptrace.Event, bool) {
	if len(p.queue) == 0 {
		return ptrace.Event{}, false
	}
	e := p.queue[0]
	p.queue = p.queue[1:]
	return e, true
}

// checkLost treats a process without threads as ended. Its exit status was
// consumed by another waiter.
func (p *Process) checkLost(err error) error {
	if !errors.Is(err, ptrace.ErrNoThreads) {
		return err
	}
	p.end(Stop{Why: Exited, Thread: p.pid, Status: UnknownStatus})
	return ErrExited
}

// end records the end of the process.
func (p *Process) end(s Stop) {
	if p.ended == nil {
		p.ended = &s
		clear(p.threads)
		p.closeKept()
	}
}

// handleEvent updates the state of the process after an event.
func (p *Process) handleEvent(e ptrace.Event) {
	t := p.threads[e.Thread]
	if t == nil && e.Kind == ptrace.Exec && e.Thread == p.pid {
		t = &thread{id: p.pid} // the first thread had ended before
	}
	switch {
	case e.Gone():
		p.threadGone(e)
		return
	case t == nil:
		p.handleUnknownThread(e)
		return
	}
	t.running, t.starting, t.group, t.trap, t.staleStep, t.vfork = false, false, false, false, false, false
	entry := e.Kind == ptrace.SyscallStop && t.step.phase != toExit
	t.step, t.entered, t.interrupted = step{}, entry, false
	switch e.Kind {
	case ptrace.SignalStop:
		p.onSignal(t, e.Signal)
	case ptrace.EventStop:
		t.interrupted = true
	case ptrace.GroupStop:
		t.group, t.groupSignal, t.interrupted = true, e.Signal, true
	case ptrace.SyscallStop:
		p.onSyscall(t)
	case ptrace.Clone, ptrace.Fork:
		p.handleNewTask(e)
		p.leaveSyscallStop(t)
	case ptrace.Vfork:
		p.handleNewTask(e)
		t.vfork = true
	case ptrace.VforkDone:
		p.forgetSharers()
		p.leaveSyscallStop(t)
	case ptrace.Exec:
		p.onExec(t)
		p.leaveSyscallStop(t)
	}
}

// leaveSyscallStop moves a thread from the ptrace event stop within a system call
// to its end. In the event stop the registers do not have the result yet, and no
// system call can be injected. After vfork this has to wait for the child.
func (p *Process) leaveSyscallStop(t *thread) {
	t.trap = true
	if p.leaveTrap(t); p.catching() && !t.running {
		p.onReturn(t)
	}
}

// threadGone removes a thread. The end of the thread group leader is reported
// after all others, and is the end of the process.
func (p *Process) threadGone(e ptrace.Event) {
	delete(p.threads, e.Thread)
	delete(p.children, e.Thread)
	delete(p.early, e.Thread)
	delete(p.held, e.Thread)
	if e.Thread == p.successor.id {
		p.successor = successor{}
	}
	switch {
	case e.Thread != p.pid:
	case e.Kind == ptrace.Killed:
		p.end(Stop{Why: Killed, Thread: p.pid, Signal: e.Signal})
	default:
		p.end(Stop{Why: Exited, Thread: p.pid, Status: e.Status})
	}
	if p.threads[p.current] == nil {
		p.current = p.pid
	}
}

// handleUnknownThread handles the first stop of a child, or of a thread whose
// creation was not reported yet.
func (p *Process) handleUnknownThread(e ptrace.Event) {
	if inherited, ok := p.children[e.Thread]; ok {
		delete(p.children, e.Thread)
		p.takeChild(e.Thread, inherited)
		return
	}
	if p.held[e.Thread] {
		p.onHeld(e)
		return
	}
	p.early[e.Thread] = e
}

// handleNewTask adds a new thread, or schedules the detach from a child.
func (p *Process) handleNewTask(e ptrace.Event) {
	id := int(e.Message)
	first, came := p.early[id]
	delete(p.early, id)
	switch ours := e.Kind == ptrace.Clone && p.hasThread(id); {
	case ours && p.threads[id] == nil:
		p.threads[id] = &thread{id: id, running: true, starting: true}
	case !ours:
		p.children[id] = p.inheritance()
	}
	if came {
		p.handleEvent(first)
	}
}

// hasThread reports whether a thread belongs to the process.
func (p *Process) hasThread(tid int) bool {
	_, err := procfs.ReadStatus(fmt.Sprintf("/proc/%d/task/%d/status", p.pid, tid))
	return err == nil
}

// onExec resets the state after exec: one thread, new memory, no breakpoints.
func (p *Process) onExec(t *thread) {
	clear(p.threads)
	*t = thread{id: p.pid}
	p.threads[p.pid] = t
	p.forgetBreakpoints()
	p.sharers, p.site = nil, 0
	p.is32Bit = is32Bit(p.pid)
	p.trapHandler, p.noTrapHandler = nil, p.is32Bit
	p.rescue, p.rescueFailed = 0, false
	p.unwatchWrites()
	p.code.drop()
	p.closeKept()
	_ = p.memory.Close()
	m, err := ptrace.OpenMemory(p.pid)
	if err == nil {
		p.memory = m
	} else {
		p.log.Warn("the memory of the new program cannot be opened", "err", err)
	}
	p.recordStop(t, Stop{Why: Executed})
}

// recordStop stores a stop until Resume returns it.
func (p *Process) recordStop(t *thread, s Stop) {
	p.lastHit++
	s.Thread = t.id
	t.report = &report{p.lastHit, s}
}

// firstReport returns the thread with the oldest unreported stop, or nil.
func (p *Process) firstReport() *thread {
	var first *thread
	for _, t := range p.threads {
		if t.report != nil && (first == nil || t.report.order < first.report.order) {
			first = t
		}
	}
	return first
}

// onSignal decides what happens to a signal in a signal-delivery stop.
func (p *Process) onSignal(t *thread, sig syscall.Signal) {
	info, err := p.tracer.SigInfo(t.id)
	if err != nil {
		return // the thread was killed, which is the next event
	}
	if sig == unix.SIGTRAP && !info.Sent() {
		p.onTrap(t, info)
		return
	}
	action := p.actions.of(sig)
	if p.runningFree || t.reportedSignal == sig {
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
	p.recordStop(t, stop)
}

// onTrap handles a SIGTRAP that the kernel raised. The thread leaves the
// signal-delivery stop at once: if this program were killed, the signal would be
// delivered and end the process.
func (p *Process) onTrap(t *thread, info ptrace.SigInfo) {
	defer p.leaveTrap(t)
	t.trap = true
	switch info.Code() {
	case ptrace.CodePerf:
		if info.PerfLate() {
			p.onHiddenInt3(t, info)
			p.hitLate(t, info)
		} else if l := p.locationByID(int(info.PerfData())); l != nil {
			p.hit(t, l, false)
		}
	case ptrace.CodeKernel:
		p.onInt3(t, info)
	}
}

// onInt3 handles an int3 instruction, ours or one of the program itself, which
// stops it and has no other effect.
func (p *Process) onInt3(t *thread, info ptrace.SigInfo) {
	var r ptrace.Regs
	if err := p.tracer.Regs(t.id, &r); err != nil {
		return
	}
	moved := isMoved(info)
	at := r.RIP
	if !moved {
		at--
	}
	l := p.softwareAt(at)
	if l == nil && !p.isInt3(at) {
		// It belonged to a debugger that was killed, whose guard has removed it.
		if !moved {
			_ = p.beforeInt3(t, &r, info) // the end of a thread is an event
		}
		return
	}
	if l == nil {
		if !p.runningFree {
			p.recordStop(t, Stop{Why: Signalled, Signal: unix.SIGTRAP})
		}
		return
	}
	if moved || p.beforeInt3(t, &r, info) == nil {
		p.hit(t, l, false)
	}
}

// beforeConsume moves a thread to a state in which it can continue without the
// SIGTRAP of its stop, see ptrace.Tracer.BeforeConsume: to the address of an int3 of
// ours, and out of a step that ended at a pushfq, which would push the trap flag.
func (p *Process) beforeConsume(e ptrace.Event) {
	t := p.threads[e.Thread]
	if t == nil || e.Kind != ptrace.SignalStop || e.Signal != unix.SIGTRAP {
		return
	}
	info, err := p.tracer.SigInfo(t.id)
	if err != nil {
		return // its end is the next event
	}
	var r ptrace.Regs
	if err := p.tracer.Regs(t.id, &r); err != nil {
		return // likewise
	}
	switch info.Code() {
	case ptrace.CodeKernel:
		if !isMoved(info) && (p.softwareAt(r.RIP-1) != nil || !p.isInt3(r.RIP-1)) {
			_ = p.beforeInt3(t, &r, info) // likewise
		}
	case ptrace.CodeTrace:
		if p.kindAt(&r) == pushfCode {
			_, _ = p.tracer.ToEventStop(t.id, p.enqueue) // likewise
		}
	}
}

// isMoved reports whether beforeInt3 has moved the thread. It marks that in si_addr,
// which the kernel leaves 0 for an int3.
func isMoved(info ptrace.SigInfo) bool {
	return info.Code() == ptrace.CodeKernel && info.Address() != 0
}

// isInt3 reports whether there is an int3 at an address, or unreadable memory.
func (p *Process) isInt3(address uint64) bool {
	var b [1]byte
	n, _ := p.memory.Read(address, b[:])
	return n == 0 || b[0] == guard.Int3
}

// beforeInt3 moves a thread from the end of an int3 back to its start. If this
// program is killed meanwhile, the signal is delivered to the handler of the rescue
// code, which must know whether the thread has been moved: si_addr then holds the
// new address, see guard.RescueCode.
func (p *Process) beforeInt3(t *thread, r *ptrace.Regs, info ptrace.SigInfo) error {
	r.RIP--
	if info.Code() == ptrace.CodeKernel {
		info.SetAddress(r.RIP)
		if err := p.tracer.SetSigInfo(t.id, info); err != nil {
			return err
		}
	}
	return p.tracer.SetRegs(t.id, r)
}

// onHiddenInt3 handles an int3 in a thread that blocks SIGTRAP while the SIGTRAP of
// a hardware breakpoint is pending. The kernel then drops the second SIGTRAP and
// delivers the first, after unblocking SIGTRAP and resetting its handler
// (legacy_queue and force_sig_info_to_task in kernel/signal.c).
func (p *Process) onHiddenInt3(t *thread, info ptrace.SigInfo) {
	var r ptrace.Regs
	if err := p.tracer.Regs(t.id, &r); err != nil {
		return
	}
	if l := p.softwareAt(r.RIP - 1); l == nil || !l.inserted {
		return
	}
	s, err := procfs.ReadStatus(fmt.Sprintf("/proc/%d/task/%d/status", p.pid, t.id))
	if err == nil && s.Bits("SigCgt")&trapBit == 0 {
		p.onInt3(t, info)
	}
}

// hitLate handles a trap that was pending while its thread blocked it and ran on.
func (p *Process) hitLate(t *thread, info ptrace.SigInfo) {
	if l := p.locationByID(int(info.PerfData())); info.Code() == ptrace.CodePerf && l != nil {
		p.hit(t, l, true)
	}
}

// hit counts a hit for the breakpoints of a location. The first one that stops
// is reported.
func (p *Process) hit(t *thread, l *location, late bool) {
	t.skipBreakpoint = t.skipBreakpoint || l.access == Execute && !late
	if p.runningFree {
		return
	}
	var r ptrace.Regs
	if err := p.tracer.Regs(t.id, &r); err != nil {
		return
	}
	for _, b := range slices.Clone(l.breakpoints) {
		ok, err := b.countHit(Hit{Thread: t.id, Address: r.RIP})
		if !ok || t.report != nil {
			continue
		}
		why := AtBreakpoint
		if l.access != Execute {
			why = AtWatchpoint
		}
		p.recordStop(t, Stop{Why: why, Breakpoint: b.ID, Late: late, Err: err})
	}
}

// leaveTrap moves a thread from a SIGTRAP stop to an event stop without delivering
// the signal.
func (p *Process) leaveTrap(t *thread) {
	if !t.trap || t.running {
		return
	}
	t.trap = false
	kind, err := p.tracer.ToEventStop(t.id, p.enqueue)
	t.running = err != nil // until the event of its end
	t.group = kind == ptrace.GroupStop
}
