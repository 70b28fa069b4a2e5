package recording

import (
	"cmp"
	"encoding/binary"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/inplace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
)

// Threads hand over to each other by futexes, most often within microseconds. One thread
// executes instructions at a time, so the recorder can do without the kernel there: a thread
// that waits is parked at its system call, which a thread that wakes it makes return. Only
// private futexes are waited for like that: neither the kernel nor another process wakes
// their waiters.
//
// While others run, a parked thread waits in the code cache, where threads switch without the
// recorder: see buffered_linux_amd64.go.
//
// A parked thread handles no signals. So the kernel makes the call after all if no other thread
// can run, when the thread has been parked for maxParked or has got a signal, and before a call
// that wakes threads in another way. For the program it is as if the thread had been slow to
// make the call. If the recorder dies, a parked thread makes its call.
//
// The kernel also makes the first call after a signal was handled: were the thread parked again,
// no signal would ever interrupt its call.
const maxParked = 5 * time.Millisecond

// Operations on futexes, and system calls, that the package unix does not have.
const (
	futexWait       = 0
	futexWake       = 1
	futexRequeue    = 3 // with futexWakeOp, and one between them, an operation that wakes or moves waiters
	futexWakeOp     = 5
	futexWaitBitset = 9
	futexLast       = 12 // those from futexWaitBitset on wake or move waiters, too
	futexOperation  = 127
	futexPrivate    = 128
	futexRealtime   = 256
	futexAnyBit     = 1<<32 - 1
	futexWordSize   = 4

	sysFutexWaitv   = 449
	sysFutexWake    = 454
	sysFutexWait    = 455
	sysFutexRequeue = 456
)

// futexes lets threads wait for futexes and wakes them, without the kernel. It needs no lock: only the
// recorder uses it.
type futexes struct {
	log     *eventLog
	turns   *turns
	effects *effects
	result  *Result // counts them
}

// call does what a system call on a futex does, if the recorder can do it. Otherwise the
// Stop is of no kind.
func (f *futexes) call(c *call) (inplace.Stop, error) {
	g := &c.regs
	switch {
	case len(f.log.threads) == 1 || !changesWaiters(g):
		return inplace.Stop{}, nil
	case parks(g) && !f.log.current.handled && f.log.run.Turns.CanWait():
		return f.park(c)
	case wakesPrivate(g):
		return f.wake(c)
	case g.RAX == unix.SYS_FUTEX && g.RSI&(futexOperation|futexPrivate) == futexWake || !f.unpark():
		return inplace.Stop{}, nil
	}
	c.effect = f.effects.of(g)
	f.log.current.call = c // made when it is the thread's turn again, after those of the waiters
	return inplace.Stop{Kind: inplace.Blocked}, nil
}

// changesWaiters reports whether a system call begins to wait for a futex, or wakes or moves
// those that wait.
func changesWaiters(g *ptrace.Regs) bool {
	switch g.RAX {
	case sysFutexWake, sysFutexRequeue:
		return true
	case unix.SYS_FUTEX:
		op := g.RSI & futexOperation
		return op <= futexWake || futexRequeue <= op && op <= futexWakeOp || futexWaitBitset <= op && op <= futexLast
	}
	return false
}

// parks reports whether a system call waits for a private futex without a timeout.
func parks(g *ptrace.Regs) bool {
	op := g.RSI &^ futexRealtime
	return g.RAX == unix.SYS_FUTEX && g.R10 == 0 && g.RDI%futexWordSize == 0 &&
		(op == futexWait|futexPrivate || op == futexWaitBitset|futexPrivate && g.R9&futexAnyBit == futexAnyBit)
}

// wakesPrivate reports whether a system call wakes waiters of a private futex.
func wakesPrivate(g *ptrace.Regs) bool {
	return g.RAX == unix.SYS_FUTEX && g.RSI == futexWake|futexPrivate && int32(g.RDX) > 0 && g.RDI%futexWordSize == 0
}

// park lets the current thread wait, unless the futex has another value.
func (f *futexes) park(c *call) (inplace.Stop, error) {
	var word [futexWordSize]byte
	if _, err := f.log.run.Memory().Read(c.regs.RDI, word[:]); err != nil {
		return inplace.Stop{}, nil //nolint:nilerr // the kernel says what is wrong
	}
	if binary.LittleEndian.Uint32(word[:]) != uint32(c.regs.RDX) {
		again := unix.EAGAIN
		f.log.run.Skip(-uint64(again))
		return inplace.Stop{Kind: inplace.Done}, f.log.add(&c.event, c.regs)
	}
	c.parked = time.Now()
	f.result.parked++
	f.log.current.call = c
	return inplace.Stop{Kind: inplace.Blocked}, nil
}

// wake wakes parked threads, in the order in which they were parked. If there are too few,
// the kernel wakes some of those that wait there.
func (f *futexes) wake(c *call) (inplace.Stop, error) {
	most := int(int32(c.regs.RDX))
	woken := f.wakeParked(c.regs.RDI, most)
	if c.wakes = uint64(woken); woken == most || !f.inKernel() {
		f.log.run.Skip(c.wakes)
		f.turns.cut()
		return inplace.Stop{Kind: inplace.Done}, f.log.add(&c.event, c.regs)
	}
	f.log.run.Regs.RDX, c.altered = uint64(most-woken), true
	return inplace.Stop{}, nil
}

// wakeParked wakes threads that are parked at a futex, and returns their number.
func (f *futexes) wakeParked(futex uint64, most int) int {
	parked := f.parkedCalls(func(p *call) bool { return p.regs.RDI == futex })
	parked = parked[:max(0, min(most, len(parked)))]
	for _, p := range parked {
		f.wakeCall(p)
	}
	return len(parked)
}

// wakeCall wakes the thread of a call, which is parked.
func (f *futexes) wakeCall(c *call) {
	c.parked, c.woken = time.Time{}, true
	f.result.woken++
}

// inKernel reports whether a thread waits for a futex in the kernel.
func (f *futexes) inKernel() bool {
	for tid, t := range f.log.threads {
		if t.call == nil || !f.log.run.Waits(tid) {
			continue
		}
		switch t.call.regs.RAX {
		case unix.SYS_FUTEX, sysFutexWaitv, sysFutexWait:
			return true
		}
	}
	return false
}

// parkedCalls returns the calls of parked threads of which a function reports true, in the
// order in which they were parked.
func (f *futexes) parkedCalls(wanted func(c *call) bool) []*call {
	var list []*call
	for _, t := range f.log.threads {
		if c := t.call; c != nil && !c.parked.IsZero() && wanted(c) {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(a, b *call) int {
		return cmp.Or(a.parked.Compare(b.parked), cmp.Compare(a.event.Position, b.event.Position))
	})
	return list
}

// unpark makes parked threads able to run, so that they make their calls. It reports whether
// there were any.
func (f *futexes) unpark() bool {
	list := f.parkedCalls(func(*call) bool { return true })
	for _, c := range list {
		c.parked = time.Time{}
	}
	return len(list) > 0
}

// unparkOld is unpark for threads that have been parked for long, or have a signal.
func (f *futexes) unparkOld() {
	now := time.Now()
	for tid, t := range f.log.threads {
		if f.log.parked(tid) && (f.parkedLong(t.call, now) || f.log.run.Turns.Signalled(tid)) {
			t.call.parked = time.Time{}
		}
	}
}

// parkedLong reports whether a thread has been parked for long. With chaos that does not depend on
// the time.
func (f *futexes) parkedLong(c *call, now time.Time) bool {
	if f.turns.scheduler.chaos != nil {
		return f.log.position() > c.event.Position+1<<longestSlice
	}
	return now.Sub(c.parked) > maxParked
}

// returnWoken makes the system call of the current thread, which was parked and woken,
// return.
func (f *futexes) returnWoken(c *call) error {
	f.log.current.call = nil
	f.log.run.Skip(0)
	if err := f.log.show(f.log.position() - 1); err != nil {
		return err
	}
	c.event.Position = f.log.position() - 1
	return f.log.add(&c.event, c.regs)
}

// errTurns reports records of system calls on futexes that do not follow from each other.
var errTurns = cutError("the program has changed the records of its system calls")

// waitsItself parks the current thread, which has passed the turn to another one.
func (f *futexes) waitsItself(c *inplace.BufferedCall) error {
	f.log.current.call = &call{
		event: recfile.Event{Kind: recfile.Call, Number: c.Before.RAX, Hash: recfile.HashRegisters(&c.Before)},
		regs:  c.Before, parked: time.Now(),
	}
	f.log.current.regs = c.Before
	f.result.parked++
	return nil
}

// wakeThread wakes a parked thread.
func (f *futexes) wakeThread(tid int) error {
	if !f.log.parked(tid) {
		return errTurns
	}
	f.wakeCall(f.log.threads[tid].call)
	return nil
}

// returnsItself makes the thread that has got the turn the current one, and records the end of
// its system call.
func (f *futexes) returnsItself(c *inplace.BufferedCall) error {
	t := f.log.threads[f.log.run.Thread()]
	if t == nil || t.call == nil || !t.call.woken || f.log.current.call == nil {
		return errTurns
	}
	f.log.current = t
	k := t.call
	t.call = nil
	if err := f.log.show(f.log.positionAfter(c.Executed)); err != nil {
		return err
	}
	before := &k.regs
	if k.event.Immediate {
		before = &f.log.current.after
	}
	k.event.Position = f.log.positionAfter(c.Executed) // a switch may have come before it
	k.event.Registers = recfile.ChangedRegisters(before, &c.After)
	f.log.current.waiting, f.log.current.after = false, c.After
	f.log.recorded = k.event.Position + 1
	f.result.turns++
	return f.log.out.Add(&k.event)
}
