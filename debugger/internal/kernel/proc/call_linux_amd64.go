package proc

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/guard"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// A function is called by giving a thread other registers and letting it run alone.
// It returns to the landing of the rescue code, whose system call ends the run. If
// this program is killed before, the thread waits there until the guard has given it
// its former registers; a launched program is killed, too, and has no guard.

// Call makes a thread execute a function while all others stand still, and restores
// its registers, vector state and signal mask. Signals that arrive from outside
// meanwhile are delivered afterwards. It returns a *CallError if the function does
// not return.
func (p *Process) Call(ctx context.Context, thread int, c Call) (Returned, error) {
	ctx, cancel := context.WithTimeout(ctx, c.Limit)
	defer cancel()
	var out Returned
	err := p.access.withTracerRunning(ctx, func() error {
		t, err := p.callable(thread)
		if err != nil {
			return err
		}
		p.threads.unpin()
		p.code.drop()
		defer clear(p.cache.threads)
		if len(p.breakpoints.locations) > 0 {
			if err := p.traps.install(); err != nil {
				return err
			}
		}
		code, remove, err := p.rescue.prepareLanding()
		if err != nil {
			return err
		}
		r := functionCall{Call: c, x: p.execution, ctx: ctx, t: t, code: code}
		out, err = r.run()
		return errors.Join(err, remove())
	})
	return out, err
}

// errShadowStack is returned for calls in a process with a shadow stack, on which the kernel
// lets no debugger push a return address.
var errShadowStack = errors.New("functions cannot be called: the program has a shadow stack")

// ShadowStack reports whether the process has a shadow stack.
func (p *Process) ShadowStack() bool {
	s, err := procfs.ReadStatus(p.tracee.file("status"))
	return err == nil && s.ShadowStack()
}

// callable returns a thread that can be made to execute a function.
func (p *Process) callable(thread int) (*thread, error) {
	if p.tracee.ended != nil {
		return nil, ErrExited
	}
	if err := p.tracee.require64Bit(); err != nil {
		return nil, err
	}
	if p.ShadowStack() {
		return nil, errShadowStack
	}
	t, err := p.threads.find(thread)
	switch {
	case err != nil:
		return nil, err
	case t.running, t.vfork, t.entered, t.group:
		return nil, fmt.Errorf("thread %d waits for a child, is at the entry of a system call or is stopped by a signal: %w", t.id, errBusy)
	}
	return t, nil
}

// A functionCall is the state of one Call.
type functionCall struct {
	Call

	x    *execution
	ctx  context.Context //nolint:containedctx // it lives as long as one call
	t    *thread
	code uint64 // address of the rescue code

	arrived     []signalled // from outside, to be delivered afterwards
	interrupted bool        // a stop may have interrupted a system call of the function
	returned    bool
	end         Stop // why it was ended, if it has not returned
}

// callerState is the state of a thread before a call.
type callerState struct {
	regs     ptrace.Regs
	mask     uint64
	vector   []byte
	call     callState
	report   *report
	skip     bool
	reported signalNumber
	deferred []signalled
}

// run calls the function and restores the thread.
func (c *functionCall) run() (Returned, error) {
	saved, err := c.save()
	if err != nil {
		return Returned{}, err
	}
	var out Returned
	begin := c.note(saved)
	defer c.forget(begin)
	if err = c.enter(); err == nil {
		err = c.untilEnd()
	}
	if err == nil && c.returned {
		out, err = c.leave()
	}
	if c.x.tracee.ended != nil || c.x.threads.byID[c.t.id] != c.t {
		return Returned{}, c.gone()
	}
	if err = errors.Join(err, c.restore(saved)); err == nil && !c.returned {
		err = &CallError{Stop: c.end, Limit: c.Limit}
	}
	return out, c.x.tracee.checkEnded(err)
}

// gone returns the error for a thread that ended in the function.
func (c *functionCall) gone() error {
	switch {
	case c.x.tracee.ended != nil:
		return &CallError{Stop: *c.x.tracee.ended}
	case c.end.Why == Executed:
		return &CallError{Stop: c.end}
	}
	return fmt.Errorf("thread %d has ended in the function", c.t.id)
}

// save reads the state of the thread.
func (c *functionCall) save() (s callerState, err error) {
	x, t := c.x, c.t
	x.threads.deferSignal(t)
	s.report, s.skip, s.reported, s.deferred = t.report, t.skipBreakpoint, t.reportedSignal, t.deferred
	s.call = t.call
	t.report, t.skipBreakpoint, t.deferred, t.call = nil, false, nil, callState{}
	s.vector = make([]byte, xstateSize)
	err = errors.Join(x.threads.restoreMask(t), x.tracer.Regs(t.id, &s.regs))
	if err == nil {
		s.mask, err = x.tracer.SigMask(t.id)
	}
	if err == nil {
		var n int
		n, err = x.tracer.XState(t.id, s.vector)
		s.vector = s.vector[:n]
	}
	return s, x.tracee.checkEnded(err)
}

// note records for the guard the state that the thread is to get, and returns what forget
// needs.
func (c *functionCall) note(s callerState) int {
	j := c.x.rescue.guard.Journal()
	begin := j.Length()
	j.Vector(c.t.id, s.vector)
	j.Thread(c.t.id, &s.regs, &s.mask)
	c.publish(guard.WorkThreads)
	return begin
}

func (c *functionCall) forget(begin int) {
	if j := c.x.rescue.guard.Journal(); j != nil { // even if the rescue code is gone
		j.Publish(guard.NoWork)
		j.Truncate(begin)
	}
}

func (c *functionCall) publish(w guard.Work) {
	if c.x.rescue.address != 0 {
		c.x.rescue.guard.Journal().Publish(w)
	}
}

// park moves the thread to the place where it waits for the guard, if there is one. If
// this program is killed, the thread is there or where it should be.
func (c *functionCall) park(regs ptrace.Regs) error {
	if c.x.rescue.address == 0 {
		return nil
	}
	return c.x.tracer.SetRegs(c.t.id, c.x.rescue.parkedRegs(regs))
}

// enter writes the arguments and moves the thread to the function.
func (c *functionCall) enter() error {
	x := c.x
	if err := c.park(c.Regs); err != nil {
		return err
	}
	back := binary.LittleEndian.AppendUint64(nil, c.code+guard.RescueLanding)
	for _, m := range append(c.Memory, Patch{Address: c.Regs.RSP, Data: back}) {
		if _, err := x.tracee.memory.Write(m.Address, m.Data); err != nil {
			return fmt.Errorf("the stack has no room for the call: %w", err)
		}
	}
	if c.Vector != nil {
		if err := x.tracer.SetXState(c.t.id, c.Vector); err != nil {
			return err
		}
	}
	const direction = 1 << 10 // is clear at the entry of a function
	regs := c.Regs
	regs.OrigRAX = ptrace.NoSyscall
	regs.EFlags &^= ptrace.TrapFlag | ptrace.ResumeFlag | direction
	c.publish(guard.WorkFunction)
	return x.tracer.SetRegs(c.t.id, &regs)
}

// untilEnd lets the thread run until the function returns or is ended. Breakpoints
// whose condition does not hold are passed.
func (c *functionCall) untilEnd() error {
	x := c.x
	for {
		err := x.breakpoints.arm()
		if err == nil {
			err = c.runAlone()
		}
		if err = errors.Join(err, x.events.stopAll(), x.breakpoints.disarm()); err != nil || c.over() {
			return err
		}
		if err := x.stepOver(c.ctx, c.t); err != nil {
			return err
		}
		if c.checkReport(); c.over() {
			return nil
		}
	}
}

// over reports whether the function has returned or was ended.
func (c *functionCall) over() bool {
	return c.returned || c.end.Why != 0 || c.x.tracee.ended != nil || c.x.threads.byID[c.t.id] != c.t
}

// runAlone runs the thread until it is over, or must step over an int3.
func (c *functionCall) runAlone() error {
	x := c.x
	for !c.over() && !x.breakpoints.mustStepOver(c.t) {
		if x.mustPause(c.ctx) { // even if there is always another event
			return c.pause()
		}
		c.resume()
		e, err := x.events.next(c.ctx, x.pause)
		switch {
		case errors.Is(err, ptrace.ErrWoken):
			return c.pause()
		case err != nil:
			return err
		case e.Thread != c.t.id || e.Gone():
			x.events.handle(e) // new threads stay stopped
		default:
			c.handle(e)
		}
	}
	return nil
}

// pause ends the function, because of the limit or a request. A breakpoint that it
// reaches meanwhile is as good a reason.
func (c *functionCall) pause() error {
	err := c.x.events.stopAll()
	if c.checkReport(); c.end.Why == 0 {
		c.end = c.x.threads.stopOf(c.t, Stop{Why: Paused})
	}
	return err
}

// resume continues the thread to its next system call, unless it runs.
func (c *functionCall) resume() {
	if t := c.t; !t.running {
		c.x.breakpoints.setResumeFlag(t)
		t.running, t.trap = true, false
		_ = c.x.tracer.ToSyscall(t.id, 0) // the end of the thread is an event
	}
}

// checkReport ends the function if a stop of the thread was recorded.
func (c *functionCall) checkReport() {
	if r := c.t.report; r != nil && c.x.threads.byID[c.t.id] == c.t {
		c.t.report = nil
		c.end = c.x.threads.stopOf(c.t, r.stop)
	}
}

// handle handles a stop of the thread.
func (c *functionCall) handle(e ptrace.Event) {
	x, t := c.x, c.t
	switch e.Kind {
	case ptrace.SyscallStop:
		t.running = false
		var r ptrace.Regs
		c.returned = x.tracer.Regs(t.id, &r) == nil && r.RIP == c.code+guard.RescueParked && r.OrigRAX == unix.SYS_PAUSE
	case ptrace.SignalStop:
		c.interrupted = true
		c.onSignal(e)
	case ptrace.Exec:
		x.events.handle(e)
		c.end = Stop{Why: Executed}
	case ptrace.GroupStop:
		t.running = false
		c.end = x.threads.stopOf(t, Stop{Why: Signalled, Signal: e.Signal})
	case ptrace.EventStop, ptrace.Exiting, ptrace.OtherStop:
		t.running = false
		c.interrupted = c.interrupted || e.Kind == ptrace.EventStop
	default:
		x.events.handle(e)
	}
}

// onSignal handles a signal. One that the function has caused ends it; others wait.
func (c *functionCall) onSignal(e ptrace.Event) {
	x, t := c.x, c.t
	info, err := x.tracer.SigInfo(t.id)
	if err != nil {
		return // its end is the next event
	}
	if e.Signal == unix.SIGTRAP && !info.Sent() {
		x.events.handle(e)
		c.checkReport()
		return
	}
	t.running = false
	if x.tracee.fromOutside(e.Signal, info) {
		c.keep(signalled{e.Signal, info})
		return
	}
	stop := Stop{Why: Signalled, Signal: e.Signal}
	stop.Explain(info)
	c.end = x.threads.stopOf(t, stop)
}

// firstRealTime is the first signal that is queued as often as it is sent.
const firstRealTime = 32

// keep keeps a signal for later. A signal that is not queued is kept once, as it
// would be pending once.
func (c *functionCall) keep(s signalled) {
	for _, old := range c.arrived {
		if old.number == s.number && s.number < firstRealTime {
			return
		}
	}
	c.arrived = append(c.arrived, s)
}

// leave reads the results, and moves the thread out of the system call of the landing.
func (c *functionCall) leave() (Returned, error) {
	x, t := c.x, c.t
	var r ptrace.Regs
	if err := x.tracer.Regs(t.id, &r); err != nil {
		return Returned{}, err
	}
	out := Returned{RAX: r.R8, RDX: r.RDX, Vector: make([]byte, xstateSize)}
	n, err := x.tracer.XState(t.id, out.Vector)
	out.Vector = out.Vector[:n]
	if err != nil {
		return Returned{}, err
	}
	x.syscalls.skipCall(t, &r)
	if err := x.tracer.SetRegs(t.id, &r); err != nil {
		return Returned{}, err
	}
	t.trap = true
	x.threads.leaveTrap(t)
	return out, nil
}

// restore gives the thread the state that it had.
func (c *functionCall) restore(s callerState) error {
	x, t := c.x, c.t
	if t.trap = true; !c.returned {
		x.threads.leaveTrap(t)
	}
	if c.interrupted && int64(s.regs.RAX) == restartBlock && s.regs.InSyscall() {
		s.regs.RAX, s.regs.OrigRAX = eintr, ptrace.NoSyscall
		s.call.inside = false
	}
	t.trap, t.mask, t.entered, t.call = false, trapMask{}, false, s.call
	t.report, t.skipBreakpoint, t.reportedSignal, t.deferred = s.report, s.skip, s.reported, s.deferred
	if err := c.park(s.regs); err != nil {
		return err
	}
	c.publish(guard.WorkThreads)
	err := errors.Join(x.tracer.SetXState(t.id, s.vector), x.tracer.SetSigMask(t.id, s.mask), x.tracer.SetRegs(t.id, &s.regs))
	if err != nil {
		return err
	}
	c.publish(guard.NoWork)
	err = x.injection.redeliverDeferred(t)
	if t.deferred = append(t.deferred, c.arrived...); t.signal.number == 0 && err == nil {
		err = x.injection.sendDeferred(t) // blocked ones stay pending
	}
	return err
}

// The kernel keeps one system call of a thread that restarts with other arguments
// (ERESTART_RESTARTBLOCK). If one of the function takes its place, that of the thread
// fails with EINTR instead.
const (
	restartBlock = -516
	eintr        = ^uint64(4) + 1
)
