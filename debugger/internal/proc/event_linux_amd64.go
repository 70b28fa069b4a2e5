package proc

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/proc/guard"
	"github.com/triptych-mcp/triptych/debugger/internal/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/ptrace"
)

// Events reach the process by one way:
//
//	next, poll   from the queue or the kernel
//	  absorb     remember what it means for the thread
//	    onSignal   whose signal is it, and what is to be done
//	      onTrap     a breakpoint's, a step's or a real one
//	        hit        ask the breakpoints there
//	    born       a thread to follow, or a child to let go
//	    onExec     another program
//	    gone       a thread's end, or that of all
//
// absorb never resumes a thread; its caller does.

// next waits for an event. It returns ptrace.ErrWoken when wake has a value or
// ctx ends.
func (p *Process) next(ctx context.Context, wake <-chan struct{}) (ptrace.Event, error) {
	if e, ok := p.dequeue(); ok {
		return e, nil
	}
	e, err := p.tracer.Next(ctx, wake)
	return e, p.noticeLoss(err)
}

// poll returns an event that is already there.
func (p *Process) poll() (ptrace.Event, bool, error) {
	if e, ok := p.dequeue(); ok {
		return e, true, nil
	}
	e, ok, err := p.tracer.Poll()
	return e, ok, p.noticeLoss(err)
}

// later keeps an event that came while another one was dealt with.
func (p *Process) later(e ptrace.Event) { p.queue = append(p.queue, e) }

func (p *Process) dequeue() (ptrace.Event, bool) {
	if len(p.queue) == 0 {
		return ptrace.Event{}, false
	}
	e := p.queue[0]
	p.queue = p.queue[1:]
	return e, true
}

// noticeLoss treats a process without threads as one whose end was reported to
// another process.
func (p *Process) noticeLoss(err error) error {
	if !errors.Is(err, ptrace.ErrNoThreads) {
		return err
	}
	p.end(Stop{Why: Exited, Thread: p.pid, Status: UnknownStatus})
	return ErrExited
}

// end remembers the first end.
func (p *Process) end(s Stop) {
	if p.ended == nil {
		p.ended = &s
		clear(p.threads)
	}
}

// absorb remembers what an event means.
func (p *Process) absorb(e ptrace.Event) {
	t := p.threads[e.Thread]
	if t == nil && e.Kind == ptrace.Exec && e.Thread == p.pid {
		t = &thread{id: p.pid} // the first thread had ended before
	}
	switch {
	case e.Gone():
		p.gone(e)
		return
	case t == nil:
		p.stranger(e)
		return
	}
	t.running, t.fresh, t.group, t.trap, t.steps, t.vfork = false, false, false, false, false, false
	entry := e.Kind == ptrace.SyscallStop && t.step.phase == toEntry // and no exit
	t.step, t.entered, t.cut = step{}, entry, false
	switch e.Kind {
	case ptrace.SignalStop:
		p.onSignal(t, e.Signal)
	case ptrace.EventStop:
		t.cut = true
	case ptrace.GroupStop:
		t.group, t.cut = true, true
	case ptrace.Clone, ptrace.Fork:
		p.born(e)
		p.leaveCall(t)
	case ptrace.Vfork:
		p.born(e)
		t.vfork = true
	case ptrace.VforkDone:
		p.forgetSharers()
		p.leaveCall(t)
	case ptrace.Exec:
		p.onExec(t)
		p.leaveCall(t)
	}
}

// leaveCall brings a thread out of the middle of the system call that an event
// is about: there its registers are not yet what the call makes of them, and it
// must not be made to do another one. After vfork that has to wait for the child.
func (p *Process) leaveCall(t *thread) {
	t.trap = true
	p.settle(t)
}

// gone takes a thread away. That of the first thread is told after all others
// and is the end of the process.
func (p *Process) gone(e ptrace.Event) {
	delete(p.threads, e.Thread)
	delete(p.children, e.Thread)
	delete(p.early, e.Thread)
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

// stranger deals with a thread that is not ours yet: a child to let go, or one
// whose birth is told later.
func (p *Process) stranger(e ptrace.Event) {
	if born, ok := p.children[e.Thread]; ok {
		delete(p.children, e.Thread)
		p.release(e.Thread, born)
		return
	}
	p.early[e.Thread] = e
}

// born takes a new thread in, or lets a child go.
func (p *Process) born(e ptrace.Event) {
	id := int(e.Message)
	first, came := p.early[id]
	delete(p.early, id)
	switch ours := e.Kind == ptrace.Clone && p.owns(id); {
	case ours && p.threads[id] == nil:
		p.threads[id] = &thread{id: id, running: true, fresh: true}
	case !ours:
		p.children[id] = p.patches()
	}
	if came {
		p.absorb(first)
	}
}

// owns says whether a thread belongs to the process.
func (p *Process) owns(tid int) bool {
	_, err := procfs.ReadStatus(fmt.Sprintf("/proc/%d/task/%d/status", p.pid, tid))
	return err == nil
}

// onExec makes a new process of the old one: one thread, another memory, no
// breakpoints.
func (p *Process) onExec(t *thread) {
	clear(p.threads)
	*t = thread{id: p.pid}
	p.threads[p.pid] = t
	p.forgetBreakpoints()
	p.sharers, p.site = nil, 0
	p.narrow = narrow(p.pid)
	p.trapHandler, p.noTrapHandler = nil, p.narrow
	p.rescue, p.helpless = 0, false
	p.unwatchWrites()
	p.code.drop()
	_ = p.memory.Close()
	m, err := ptrace.OpenMemory(p.pid)
	if err == nil {
		p.memory = m
	} else {
		p.log.Warn("the memory of the new program cannot be opened", "err", err)
	}
	p.tell(t, Stop{Why: Executed})
}

// tell keeps a stop until Resume returns it.
func (p *Process) tell(t *thread, s Stop) {
	p.lastHit++
	s.Thread = t.id
	t.report = &report{p.lastHit, s}
}

// firstReport is the thread whose stop came first, nil when there is none.
func (p *Process) firstReport() *thread {
	var first *thread
	for _, t := range p.threads {
		if t.report != nil && (first == nil || t.report.order < first.report.order) {
			first = t
		}
	}
	return first
}

// onSignal decides about a signal that a thread is about to get.
func (p *Process) onSignal(t *thread, sig syscall.Signal) {
	info, err := p.tracer.SigInfo(t.id)
	if err != nil {
		return // it was killed meanwhile, which is told next
	}
	if sig == unix.SIGTRAP && !info.Sent() {
		p.onTrap(t, info)
		return
	}
	action := p.actions.of(sig)
	if p.drifting || t.told == sig {
		action = Pass
	}
	t.told = 0
	t.signal = signalled{}
	if action.passes() {
		t.signal = signalled{sig, info}
	}
	if !action.stops() {
		return
	}
	stop := Stop{Why: Signalled, Signal: sig}
	stop.Explain(info)
	p.tell(t, stop)
}

// onTrap tells whose SIGTRAP it is. The thread leaves the signal's stop at
// once: if this program is killed, it would get the signal and die.
func (p *Process) onTrap(t *thread, info ptrace.SigInfo) {
	defer p.settle(t)
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

// onInt3 tells our instruction from one of the program's own, which stops it
// and has no other effect.
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
		// It was that of a debugger which was killed, and its guard has taken it out.
		if !moved {
			_ = p.beforeInt3(t, &r, info) // one that is gone is told
		}
		return
	}
	if l == nil {
		if !p.drifting {
			p.tell(t, Stop{Why: Signalled, Signal: unix.SIGTRAP})
		}
		return
	}
	if moved || p.beforeInt3(t, &r, info) == nil {
		p.hit(t, l, false)
	}
}

// beforeDrop brings a thread to where it may go on without the SIGTRAP of the stop
// that it is in, see ptrace.Tracer.BeforeDrop: to before an int3 of ours, and, if it
// has stepped to a pushfq, out of the step, whose trap flag that would push.
func (p *Process) beforeDrop(e ptrace.Event) {
	t := p.threads[e.Thread]
	if t == nil || e.Kind != ptrace.SignalStop || e.Signal != unix.SIGTRAP {
		return
	}
	info, err := p.tracer.SigInfo(t.id)
	if err != nil {
		return // its end is told next
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
			_, _ = p.tracer.Settle(t.id, p.later) // likewise
		}
	}
}

// isMoved reports whether beforeInt3 has moved the thread: the kernel gives no address
// with an int3.
func isMoved(info ptrace.SigInfo) bool {
	return info.Code() == ptrace.CodeKernel && info.Address() != 0
}

// isInt3 reports whether there is an int3 in memory, or nothing that can be read.
func (p *Process) isInt3(address uint64) bool {
	var b [1]byte
	n, _ := p.memory.Read(address, b[:])
	return n == 0 || b[0] == guard.Int3
}

// beforeInt3 moves a thread from behind an int3 to before it. If this program is
// killed meanwhile, the thread gets the signal, and cannot know whether it has been
// moved: so the signal says where to, see guard.RescueCode.
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

// onHiddenInt3 is for a thread that blocked SIGTRAP. There a breakpoint of the
// processor's waits, and if an int3 comes then, the kernel drops the second
// SIGTRAP and delivers the first, with SIGTRAP unblocked and without a handler
// (legacy_queue and force_sig_info_to_task in kernel/signal.c).
func (p *Process) onHiddenInt3(t *thread, info ptrace.SigInfo) {
	var r ptrace.Regs
	if err := p.tracer.Regs(t.id, &r); err != nil {
		return
	}
	if l := p.softwareAt(r.RIP - 1); l == nil || !l.in {
		return
	}
	s, err := procfs.ReadStatus(fmt.Sprintf("/proc/%d/task/%d/status", p.pid, t.id))
	if err == nil && s.Bits("SigCgt")&trapBit == 0 {
		p.onInt3(t, info)
	}
}

// hitLate is a trap that waited while its thread blocked it and ran on.
func (p *Process) hitLate(t *thread, info ptrace.SigInfo) {
	if l := p.locationByID(int(info.PerfData())); info.Code() == ptrace.CodePerf && l != nil {
		p.hit(t, l, true)
	}
}

// hit asks the breakpoints of a location; the first that wants to stop does.
func (p *Process) hit(t *thread, l *location, late bool) {
	t.leave = t.leave || l.access == Execute && !late
	if p.drifting {
		return
	}
	var r ptrace.Regs
	if err := p.tracer.Regs(t.id, &r); err != nil {
		return
	}
	for _, b := range slices.Clone(l.breakpoints) {
		ok, err := b.wants(Hit{Thread: t.id, Address: r.RIP})
		if !ok || t.report != nil {
			continue
		}
		why := AtBreakpoint
		if l.access != Execute {
			why = AtWatchpoint
		}
		p.tell(t, Stop{Why: why, Breakpoint: b.ID, Late: late, Err: err})
	}
}

// settle takes a thread out of the SIGTRAP that it is in.
func (p *Process) settle(t *thread) {
	if !t.trap || t.running {
		return
	}
	t.trap = false
	kind, err := p.tracer.Settle(t.id, p.later)
	t.running = err != nil // until its end is told
	t.group = kind == ptrace.GroupStop
}
