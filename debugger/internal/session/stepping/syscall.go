package stepping

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/syscalls"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
	"github.com/triptych-mcp/triptych/debugger/internal/session/failure"
)

// Syscalls are the system calls at which a breakpoint stops, before and after them.
type Syscalls struct {
	all     bool
	numbers []uint64
}

// has reports whether a call is among them.
func (c *Syscalls) has(number uint64) bool {
	return c != nil && (c.all || slices.Contains(c.numbers, number))
}

// catchSyscall begins the sites of breakpoints at system calls: it is one alone, or
// is followed by a colon and their names or numbers.
const catchSyscall = "syscall"

// parseSyscalls returns the system calls of an event, nil if it is another event.
func parseSyscalls(event string) (*Syscalls, error) {
	list, some := strings.CutPrefix(event, catchSyscall+":")
	if !some {
		if event == catchSyscall {
			return &Syscalls{all: true}, nil
		}
		return nil, nil
	}
	c := &Syscalls{}
	for name := range strings.SplitSeq(list, ",") {
		name = strings.TrimPrefix(strings.TrimSpace(name), catchSyscall+":")
		number, known := syscalls.Number(name)
		if !known {
			n, err := strconv.ParseUint(name, 10, 16)
			if err != nil {
				return nil, failure.Breakpointf("there is no system call %q", name)
			}
			number = n
		}
		c.numbers = append(c.numbers, number)
	}
	return c, nil
}

// isCatch reports whether there is an event with a name.
func isCatch(event string) bool {
	_, known := catchFunctions[event]
	return known || event == catchSyscall || strings.HasPrefix(event, catchSyscall+":")
}

// CheckCatch returns an error unless there is an event with a name.
func CheckCatch(event string) error {
	if !isCatch(event) {
		return failure.Breakpointf("there is no event %q; there are %s, syscall and syscall:NAME,NAME", event, strings.Join(slices.Sorted(maps.Keys(catchFunctions)), ", "))
	}
	_, err := parseSyscalls(event)
	return err
}

// catchSyscalls has the process stop at the system calls of all breakpoints.
func (bs *Breakpoints) catchSyscalls() error {
	if bs.target.Process == nil {
		return nil
	}
	var all []*Syscalls
	for _, b := range bs.ByID {
		if b.Syscalls != nil {
			all = append(all, b.Syscalls)
		}
	}
	if len(all) == 0 {
		return bs.target.Process.CatchSyscalls(nil)
	}
	return bs.target.Process.CatchSyscalls(func(number uint64) bool {
		return slices.ContainsFunc(all, func(c *Syscalls) bool { return c.has(number) })
	})
}

// atSyscall reports whether a breakpoint stops at the system call of a stop, and
// returns the stop with that breakpoint.
func (bs *Breakpoints) atSyscall(stop proc.Stop) (proc.Stop, bool) {
	for _, b := range bs.Sorted() {
		if !b.Syscalls.has(stop.Syscall.Number) || b.Thread != 0 && b.Thread != stop.Thread {
			continue
		}
		if b.Holds != nil {
			holds, err := b.Holds(proc.Hit{Thread: stop.Thread, Breakpoint: b.ID, Address: stop.Address})
			if err == nil && !holds {
				continue
			}
			stop.Err = err
		}
		if b.StepHits++; stop.Err != nil || b.StepHits > b.Ignore {
			stop.Breakpoint = -b.ID
			return stop, true
		}
	}
	return stop, false
}

// syscallSize is the size of the instruction syscall.
const syscallSize = 2

// A syscallWatch finds system calls while steps are recorded or replayed.
type syscallWatch struct {
	breakpoints []*Breakpoint
	calls       map[uint64]bool      // whether the instruction at an address is one
	pending     map[int]proc.Syscall // by thread: the call that its step makes
	from        map[int]uint64       // by thread: the address after its instruction
	found       proc.Syscall         // of the stop
}

// reaches returns the system call at which the current thread of a view is: one that
// its next step makes or, forward, that its last step has made.
func (w *syscallWatch) reaches(v *history.View, forward bool) (proc.Syscall, bool) {
	thread, pc := v.Thread(), v.PC()
	if call, pends := w.pending[thread]; pends && forward && pc == w.from[thread] {
		delete(w.pending, thread)
		if r, err := v.Regs(0); err == nil {
			call.Returned, call.Result = true, int64(r.RAX)
			return call, true
		}
	}
	is, known := w.calls[pc]
	if !known {
		var code [syscallSize]byte
		n, _ := v.ReadMemory(pc, code[:])
		is = n == len(code) && code == [...]byte{0x0f, 0x05}
		w.calls[pc] = is
	}
	if !is {
		return proc.Syscall{}, false
	}
	r, err := v.Regs(0)
	if err != nil {
		return proc.Syscall{}, false
	}
	call := proc.Syscall{Number: r.RAX, Args: [6]uint64{r.RDI, r.RSI, r.RDX, r.R10, r.R8, r.R9}}
	w.pending[thread], w.from[thread] = call, pc+syscallSize
	return call, true
}

// stopsAtSyscall reports whether a breakpoint stops at the system call where the view
// is.
func (l *stopConditions) stopsAtSyscall(v *history.View, forward bool) bool {
	if len(l.syscalls.breakpoints) == 0 {
		return false
	}
	call, there := l.syscalls.reaches(v, forward)
	if !there {
		return false
	}
	for _, b := range l.syscalls.breakpoints {
		if b.Syscalls.has(call.Number) && l.counts(b, v.Thread(), v.PC()) {
			l.syscalls.found = call
			return true
		}
	}
	return false
}
