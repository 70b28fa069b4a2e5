package recording

import (
	"cmp"
	"encoding/binary"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/inplace"
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

// futex does what a system call on a futex does, if the recorder can do it. Otherwise the
// Stop is of no kind.
func (r *recorder) futex(c *call) (inplace.Stop, error) {
	g := &c.regs
	switch {
	case len(r.log.threads) == 1 || !changesWaiters(g):
		return inplace.Stop{}, nil
	case parks(g) && !r.log.current.handled && r.run.CanWait():
		return r.park(c)
	case wakesPrivate(g):
		return r.wake(c)
	case g.RAX == unix.SYS_FUTEX && g.RSI&(futexOperation|futexPrivate) == futexWake || !r.unpark(func(*call) bool { return true }):
		return inplace.Stop{}, nil
	}
	c.effect = r.effects.of(g)
	r.log.current.call = c // made when it is the thread's turn again, after those of the waiters
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
func (r *recorder) park(c *call) (inplace.Stop, error) {
	var word [futexWordSize]byte
	if _, err := r.run.Memory().Read(c.regs.RDI, word[:]); err != nil {
		return inplace.Stop{}, nil //nolint:nilerr // the kernel says what is wrong
	}
	if binary.LittleEndian.Uint32(word[:]) != uint32(c.regs.RDX) {
		again := unix.EAGAIN
		r.run.Skip(-uint64(again))
		return inplace.Stop{Kind: inplace.Done}, r.log.add(&c.event, c.regs)
	}
	c.parked = time.Now()
	r.result.parked++
	r.log.current.call = c
	return inplace.Stop{Kind: inplace.Blocked}, nil
}

// wake wakes parked threads, in the order in which they were parked. If there are too few,
// the kernel wakes some of those that wait there.
func (r *recorder) wake(c *call) (inplace.Stop, error) {
	most := int(int32(c.regs.RDX))
	woken := r.wakeParked(c.regs.RDI, most)
	if c.wakes = uint64(woken); woken == most || !r.futexInKernel() {
		r.run.Skip(c.wakes)
		r.turns.cut()
		return inplace.Stop{Kind: inplace.Done}, r.log.add(&c.event, c.regs)
	}
	r.run.Regs.RDX, c.altered = uint64(most-woken), true
	return inplace.Stop{}, nil
}

// wakeParked wakes threads that are parked at a futex, and returns their number.
func (r *recorder) wakeParked(futex uint64, most int) int {
	parked := r.parkedCalls(func(p *call) bool { return p.regs.RDI == futex })
	parked = parked[:max(0, min(most, len(parked)))]
	for _, p := range parked {
		r.wakeCall(p)
	}
	return len(parked)
}

// wakeCall wakes the thread of a call, which is parked.
func (r *recorder) wakeCall(c *call) {
	c.parked, c.woken = time.Time{}, true
	r.result.woken++
}

// futexInKernel reports whether a thread waits for a futex in the kernel.
func (r *recorder) futexInKernel() bool {
	for tid, t := range r.log.threads {
		if t.call == nil || !r.run.Waits(tid) {
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
func (r *recorder) parkedCalls(wanted func(c *call) bool) []*call {
	var list []*call
	for _, t := range r.log.threads {
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
func (r *recorder) unpark(wanted func(c *call) bool) bool {
	list := r.parkedCalls(wanted)
	for _, c := range list {
		c.parked = time.Time{}
	}
	return len(list) > 0
}

// unparkOld is unpark for threads that have been parked for long, or have a signal.
func (r *recorder) unparkOld() {
	now := time.Now()
	for tid, t := range r.log.threads {
		if r.log.parked(tid) && (r.parkedLong(t.call, now) || r.run.Signalled(tid)) {
			t.call.parked = time.Time{}
		}
	}
}

// parkedLong reports whether a thread has been parked for long. With chaos that does not depend on
// the time.
func (r *recorder) parkedLong(c *call, now time.Time) bool {
	if r.turns.scheduler.chaos != nil {
		return r.log.position() > c.event.Position+1<<longestSlice
	}
	return now.Sub(c.parked) > maxParked
}

// returnWoken makes the system call of the current thread, which was parked and woken,
// return.
func (r *recorder) returnWoken(c *call) error {
	r.log.current.call = nil
	r.run.Skip(0)
	if err := r.log.show(r.log.position() - 1); err != nil {
		return err
	}
	c.event.Position = r.log.position() - 1
	return r.log.add(&c.event, c.regs)
}
