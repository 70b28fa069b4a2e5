package recording

import (
	"encoding/binary"
	"time"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
)

// For half of the seeds timeouts expire early. For the program that is as if all else, this
// process and the others, had been slow meanwhile: the clocks that it reads are ahead from then on,
// by the time that it has not waited. A program that waits longer than longestHaste, as for a test
// that hangs, waits that time.
const (
	longestHaste = time.Second
	mostAhead    = 2 * time.Second
)

// A timeout is the one of a system call.
type timeout struct {
	inRegister *uint64       // has it in milliseconds, if it has no address
	address    uint64        // where it is in memory
	unit       time.Duration // of the second number there
	clock      int32         // of an absolute time, or relative
	isResult   bool          // the kernel writes what is left
	sleeps     bool          // the call does not look for anything else: see returnsEarly
}

const relative = -1

// timeoutOf returns the timeout of a system call.
func timeoutOf(g *ptrace.Regs) timeout {
	t := timeout{unit: time.Nanosecond, clock: relative}
	switch g.RAX {
	case unix.SYS_NANOSLEEP, unix.SYS_CLOCK_NANOSLEEP, unix.SYS_FUTEX:
		t.sleeps = true
	}
	switch g.RAX {
	case unix.SYS_POLL:
		t.inRegister = &g.RDX
	case unix.SYS_EPOLL_WAIT, unix.SYS_EPOLL_PWAIT:
		t.inRegister = &g.R10
	case unix.SYS_NANOSLEEP:
		t.address = g.RDI
	case unix.SYS_CLOCK_NANOSLEEP:
		if t.address = g.RDX; g.RSI&unix.TIMER_ABSTIME != 0 {
			t.clock = int32(g.RDI)
		}
	case unix.SYS_PPOLL:
		t.address, t.isResult = g.RDX, true
	case unix.SYS_SELECT:
		t.address, t.unit, t.isResult = g.R8, time.Microsecond, true
	case unix.SYS_PSELECT6:
		t.address, t.isResult = g.R8, true
	case unix.SYS_EPOLL_PWAIT2:
		t.address = g.R10
	case unix.SYS_RT_SIGTIMEDWAIT:
		t.address = g.RDX
	case unix.SYS_FUTEX:
		return futexTimeout(g, t)
	}
	return t
}

// futexTimeout is timeoutOf for a system call on a futex.
func futexTimeout(g *ptrace.Regs, t timeout) timeout {
	switch g.RSI & futexOperation {
	case futexWait:
		t.address = g.R10
	case futexWaitBitset:
		if t.address, t.clock = g.R10, unix.CLOCK_MONOTONIC; g.RSI&futexRealtime != 0 {
			t.clock = unix.CLOCK_REALTIME
		}
	}
	return t
}

// timeLeft returns how long a system call waits at most.
func (a *adjuster) timeLeft(t *timeout) (left time.Duration, ok bool) {
	if t.inRegister != nil {
		left = time.Duration(int32(*t.inRegister)) * time.Millisecond
		return left, left > 0
	}
	left, ok = a.readTime(t.address, t.unit)
	if ok && t.clock != relative {
		var now time.Duration
		now, ok = clock(t.clock)
		left -= now + a.scheduler.chaos.ahead
	}
	return left, ok
}

// clock returns the time of a clock that goes on while a process does not run, and whether it
// is one.
func clock(id int32) (time.Duration, bool) {
	switch id {
	case unix.CLOCK_REALTIME, unix.CLOCK_MONOTONIC, unix.CLOCK_BOOTTIME, unix.CLOCK_TAI,
		unix.CLOCK_REALTIME_COARSE, unix.CLOCK_MONOTONIC_COARSE, unix.CLOCK_MONOTONIC_RAW:
		var t unix.Timespec
		err := unix.ClockGettime(id, &t)
		return time.Duration(t.Nano()), err == nil
	}
	return 0, false
}

// hastens reports whether a timeout is to expire early, and adds it to the clocks if so.
func (s *scheduler) hastens(left time.Duration) bool {
	x := s.chaos
	if !x.hastens || left <= 0 || left > longestHaste || x.ahead+left > mostAhead || !s.chance(2) {
		return false
	}
	x.ahead += left
	return true
}

// expires reports whether the timeout of a system call expires before the call is made.
func (a *adjuster) expires(g *ptrace.Regs) bool {
	t := timeoutOf(g)
	left, ok := a.timeLeft(&t)
	return ok && a.scheduler.hastens(left)
}

// hasten makes the timeout of a system call that is about to be made expire early, until the
// function that it returns is called. A time of a clock that is ahead is made one of the kernel's.
func (a *adjuster) hasten(c *call) (restore func() error, err error) {
	x := a.scheduler.chaos
	t := timeoutOf(&a.log.run.Regs)
	left, ok := a.timeLeft(&t)
	if !ok || !x.hastens {
		return unchanged, nil
	}
	switch {
	case !t.sleeps && a.scheduler.hastens(left):
		left = 0
	case t.clock == relative || x.ahead == 0:
		return unchanged, nil
	}
	if t.inRegister != nil {
		*t.inRegister, c.altered = 0, true
		return unchanged, nil
	}
	if t.clock != relative {
		now, _ := clock(t.clock)
		left = max(0, now+left)
	}
	restore, err = a.replaceTime(t.address, t.unit, left)
	if t.isResult {
		restore = unchanged
	}
	return restore, err
}

// advanceClock adds to the result of a system call that reads a clock by how much it is ahead.
func (a *adjuster) advanceClock(g *ptrace.Regs) error {
	x := a.scheduler.chaos
	if x == nil || x.ahead == 0 {
		return nil
	}
	address, unit := g.RDI, time.Microsecond
	switch g.RAX {
	case unix.SYS_CLOCK_GETTIME:
		if _, ok := clock(int32(g.RDI)); !ok {
			return nil
		}
		address, unit = g.RSI, time.Nanosecond
	case unix.SYS_TIME:
		return a.advanceTime(g)
	case unix.SYS_GETTIMEOFDAY:
	default:
		return nil
	}
	now, ok := a.readTime(address, unit)
	if !ok || a.log.run.Regs.RAX != 0 {
		return nil
	}
	_, err := a.replaceTime(address, unit, now+x.ahead)
	return err
}

// advanceTime is advanceClock for time(2).
func (a *adjuster) advanceTime(g *ptrace.Regs) error {
	if int64(a.log.run.Regs.RAX) < 0 {
		return nil
	}
	now := uint64(time.Now().Add(a.scheduler.chaos.ahead).Unix())
	if a.log.run.Regs.RAX = now; g.RDI == 0 {
		return nil
	}
	return a.log.put(recfile.Write{Address: g.RDI, Data: binary.LittleEndian.AppendUint64(nil, now)})
}
