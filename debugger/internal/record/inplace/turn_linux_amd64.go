package inplace

import (
	"errors"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/codecache"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/translate"
)

// Threads that wait for private futexes wait in the cache, and pass the turn to execute
// instructions to each other without a stop, see translate.Waiter. So the current thread may
// be another one when Run returns.
//
// A thread that waits in the cache runs, as the kernel sees it: it may get a signal, and it
// stops when it has waited for long. Whenever it stops, it is given the registers that it
// had before its system call, and does not wait in the cache any more.

// Turns decide which thread executes instructions, and have those that wait.
type Turns struct {
	runner  *Runner
	waiters int // number of waiters in use
}

// CanWait reports whether the current thread may wait in the cache, or all may do without.
func (tn *Turns) CanWait() bool {
	return !tn.runner.Buffer.used() || tn.waiter(tn.runner.thread) != nil
}

// waiter returns the waiter of a thread, or nil if there are too many.
func (tn *Turns) waiter(t *thread) translate.Waiter {
	waiters, there := tn.runner.space.shared.waiters()
	if t.waiter > 0 {
		return waiters.Waiter(t.waiter - 1)
	}
	used := make(map[int]bool)
	for _, t := range tn.runner.threads {
		used[t.waiter] = true
	}
	for n := range translate.MaxWaiters {
		if used[n+1] {
			continue
		}
		t.waiter = n + 1
		tn.waiters = max(tn.waiters, t.waiter)
		tn.runner.space.context().SetWaiters(there, there+waiters.Offset(tn.waiters))
		w := waiters.Waiter(n)
		w.SetState(translate.NotWaiting)
		w.SetThread(t.tid)
		return w
	}
	return nil
}

// waiterAddress returns the address in the process of the waiter that a thread has.
func (tn *Turns) waiterAddress(t *thread) uint64 {
	waiters, there := tn.runner.space.shared.waiters()
	return there + waiters.Offset(t.waiter-1)
}

// waiterState returns the state of a thread's waiter.
func (tn *Turns) waiterState(t *thread) translate.WaiterState {
	if t.waiter == 0 {
		return translate.NotWaiting
	}
	return tn.waiter(t).State()
}

// waitsInCache reports whether a thread waits in the cache.
func (tn *Turns) waitsInCache(t *thread) bool {
	switch tn.waiterState(t) {
	case translate.NotWaiting, translate.HasTurn, translate.StoppedWaits:
		return false
	}
	return true
}

// begin gives the current thread, which is about to continue, the turn.
func (tn *Turns) begin() {
	if len(tn.runner.threads) == 1 && tn.runner.thread.waiter == 0 {
		return
	}
	w := tn.waiter(tn.runner.thread)
	if w == nil {
		tn.runner.space.context().SetCurrent(0)
		return
	}
	w.SetState(translate.HasTurn)
	tn.runner.space.context().SetCurrent(tn.waiterAddress(tn.runner.thread))
}

// end takes the turn from the current thread, which is stopped.
func (tn *Turns) end() {
	if tn.waiterState(tn.runner.thread) == translate.HasTurn {
		tn.waiter(tn.runner.thread).SetState(translate.NotWaiting)
	}
}

// owner returns the thread that has the turn, or nil if it is just passed.
func (tn *Turns) owner() *thread {
	if tn.runner.thread.waiter == 0 {
		return tn.runner.thread
	}
	for _, t := range tn.runner.threads {
		if tn.waiterState(t) == translate.HasTurn {
			return t
		}
	}
	return nil
}

// follow makes the thread of an event the current one if it has the turn. The records of
// system calls may end with that by which it has got the turn, or just before.
func (tn *Turns) follow(e ptrace.Event) error {
	t := tn.runner.threads[e.Thread]
	if t == nil || e.Gone() || tn.waiterState(t) != translate.HasTurn {
		return nil
	}
	err := tn.runner.Buffer.drain() // all other threads are stopped or wait
	tn.runner.thread = t
	return err
}

// Wait makes a thread wait in the cache, whose last stop was at a system call that waits for
// a private futex. Woken says that the call was woken, and returns 0 when the thread has the
// turn. If the thread cannot wait in the cache, it stays stopped, and a thread that wakes it
// stops. The current thread must be another one.
func (tn *Turns) Wait(tid int, woken bool) error {
	t := tn.runner.threads[tid]
	if t == nil || !tn.runner.Buffer.used() {
		return nil
	}
	w := tn.waiter(t)
	if w == nil {
		return errors.New("more threads wait than can")
	}
	switch {
	case !tn.waitsInCache(t) && woken:
		w.SetState(translate.NotWaiting)
		return nil
	case !tn.waitsInCache(t):
		return tn.beginWait(t, w)
	case woken:
		_ = w.Change(translate.Waiting, translate.Woken) || w.Change(translate.Leaves, translate.WokenLeaves)
	}
	return nil
}

// beginWait makes a thread, which is stopped, wait in the cache.
func (tn *Turns) beginWait(t *thread, w translate.Waiter) error {
	c := translate.Call{Flags: t.Regs.EFlags, Next: t.Regs.RIP + syscallLength}
	for n, value := range generalRegisters(&t.Regs) {
		c.GPR[n] = *value
	}
	var err error
	c.Returns, err = tn.runner.space.cache.Enter(c.Next)
	sleeps, ok := tn.runner.space.cache.Sleeps()
	w.SetCall(&c, tn.runner.space.context().NextSince())
	if err != nil || !ok || t.inKernel() || len(t.deferred) > 0 || len(t.queue) > 0 {
		w.SetState(translate.StoppedWaits)
		return nil //nolint:nilerr // the thread that wakes it stops
	}
	regs := t.Regs
	regs.RIP, regs.RDI = sleeps, tn.waiterAddress(t)
	if err := tn.runner.tracer.SetRegs(t.tid, &regs); err != nil {
		return err
	}
	w.SetState(translate.Waiting)
	t.at, t.last = atStop, tn.runner.tracer.Cont
	return t.last(t.tid, 0)
}

// EndWait makes a thread stop that waits in the cache, if it does.
func (tn *Turns) EndWait(tid int) error {
	t := tn.runner.threads[tid]
	if t == nil || t.waiter == 0 {
		return nil
	}
	err := tn.takeBack(t)
	if tn.waiterState(t) == translate.StoppedWaits {
		tn.waiter(t).SetState(translate.NotWaiting)
	}
	return err
}

// TakeBackAll makes all threads stop that wait in the cache.
func (tn *Turns) TakeBackAll() error {
	var err error
	for _, t := range tn.runner.threads {
		err = errors.Join(err, tn.takeBack(t))
	}
	return err
}

// takeBack makes a thread stop that waits in the cache, if it does. The current thread must be
// stopped.
func (tn *Turns) takeBack(t *thread) error {
	if !tn.waitsInCache(t) {
		return nil
	}
	if err := tn.interruptThread(t); err != nil {
		return err
	}
	for tn.waitsInCache(t) && !tn.runner.end.Gone() && tn.runner.threads[t.tid] == t {
		e, err := tn.runner.tracer.Wait()
		if err != nil {
			return err
		}
		tn.runner.other(e)
	}
	return nil
}

// interruptThread makes a thread stop that waits in the cache.
func (tn *Turns) interruptThread(t *thread) error {
	if t.interrupted {
		return nil
	}
	t.interrupted, t.stale = true, false
	return tn.runner.tracer.Interrupt(t.tid)
}

// interrupt makes the thread that has the turn stop, and those that may just get it.
func (tn *Turns) interrupt() error {
	tn.runner.stale = false // the next event stop is wanted
	for _, t := range tn.runner.threads {
		if t != tn.runner.thread && (tn.waitsInCache(t) || tn.waiterState(t) == translate.HasTurn) {
			if err := tn.interruptThread(t); err != nil && !errors.Is(err, ptrace.ErrGone) {
				return err
			}
		}
	}
	return tn.runner.tracer.Interrupt(tn.runner.tid)
}

// stopped takes a thread back that has stopped while it waited in the cache. It returns false
// if the thread has the turn.
func (tn *Turns) stopped(t *thread, e ptrace.Event) bool {
	var regs ptrace.Regs
	if tn.runner.tracer.Regs(t.tid, &regs) != nil {
		return true // it was killed: the end of the process follows
	}
	w := tn.waiter(t)
	if part, instead := tn.runner.space.cache.BufferPart(regs.RIP); part == codecache.Passing && w.State() == translate.Waiting {
		regs.RIP = instead
		w.SetState(translate.HasTurn)
		_ = tn.runner.tracer.SetRegs(t.tid, &regs)
		return false
	}
	for !stopWaiter(w) {
		if w.State() == translate.HasTurn {
			return false
		}
	}
	tn.restore(t, w, &regs)
	if t.at = atStop; e.Kind == ptrace.Filtered {
		t.at = atEntry
	}
	t.stale = t.interrupted && e.Kind != ptrace.EventStop
	t.interrupted, t.restart, t.indirect = false, false, false
	if e.Kind == ptrace.SignalStop {
		tn.deferSignalOf(t)
	}
	_ = tn.runner.tracer.SetRegs(t.tid, &t.Regs) // so that it continues in its own code if this program dies
	return true
}

// stopWaiter changes the state of the waiter of a thread that has stopped. It returns false if
// the state has just changed.
func stopWaiter(w translate.Waiter) bool {
	switch s := w.State(); s {
	case translate.Waiting, translate.Leaves:
		return w.Change(s, translate.StoppedWaits)
	case translate.Woken, translate.WokenLeaves:
		return w.Change(s, translate.NotWaiting)
	}
	return false
}

// restore makes Regs of a thread the program's registers before the call of its waiter.
func (tn *Turns) restore(t *thread, w translate.Waiter, regs *ptrace.Regs) {
	call, changed := w.Call()
	t.Regs = *regs
	all := generalRegisters(&t.Regs)
	for _, n := range changed {
		*all[n] = call.GPR[n]
	}
	t.Regs.RIP, t.Regs.EFlags, t.Regs.OrigRAX = call.Next-syscallLength, call.Flags, ptrace.NoSyscall
}

// deferSignalOf defers the signal of a thread until the thread makes its system call again.
func (tn *Turns) deferSignalOf(t *thread) {
	info, err := tn.runner.tracer.SigInfo(t.tid)
	if err != nil {
		return
	}
	if t.raised && t.deferred[0].Signal() == info.Signal() {
		t.raised = false
		return
	}
	t.deferred = append(t.deferred, info)
}

// Signalled reports whether a signal waits for a thread that has stopped while it waited in
// the cache.
func (tn *Turns) Signalled(tid int) bool {
	t := tn.runner.threads[tid]
	return t != nil && len(t.deferred) > 0 && !t.raised
}
