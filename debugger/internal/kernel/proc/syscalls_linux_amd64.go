package proc

import (
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/guard"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// System calls are caught with PTRACE_SYSCALL, which stops a thread before and after
// each of them. A stop before a call is reported at the instruction that makes it:
// the kernel is made to skip the call, and the thread makes it when it continues. So a
// stopped thread is never inside of a call that it has not begun, and can be stepped,
// changed and detached from as at any other instruction.

// syscalls stops threads at the system calls that are caught.
type syscalls struct {
	tracer  *ptrace.Tracer
	tracee  *tracee
	queue   *eventQueue
	threads *threads
	rescue  *rescue

	caught func(number uint64) bool // the system calls to stop at; nil if none
}

// A callState holds the progress of a system call of a thread.
type callState struct {
	// inside means that the call has begun and not returned. If it was interrupted
	// it begins again, which is no other call.
	inside      bool
	interrupted bool // it is to begin again
	number      uint64
	// reported is the address after the instruction whose call was reported and
	// skipped, and is made now.
	reported uint64
}

// CatchSyscalls makes Resume stop before and after the system calls for which wanted
// returns true. It is called on the tracer's thread. A nil function ends that.
func (p *Process) CatchSyscalls(wanted func(number uint64) bool) error {
	return p.access.withTracerReadOnly(func() error {
		p.syscalls.caught = wanted
		return nil
	})
}

// catching reports whether threads stop at system calls.
func (sc *syscalls) catching() bool { return sc.caught != nil && !sc.tracee.runningFree }

// onSyscall handles a thread in a SyscallStop while system calls are caught.
func (sc *syscalls) onSyscall(t *thread) {
	if !sc.catching() {
		return
	}
	info, err := sc.info(t)
	if err != nil || !info.Native {
		return // the thread was killed, or calls as a 32-bit program does
	}
	if info.Exit {
		sc.onReturn(t)
		return
	}
	var r ptrace.Regs
	if !info.Entry || sc.tracer.Regs(t.id, &r) != nil {
		return
	}
	again := t.call.inside && (info.Number == t.call.number || info.Number == unix.SYS_RESTART_SYSCALL)
	shown := t.call.reported == r.RIP
	if t.call.inside, t.call.interrupted, t.call.reported = true, false, 0; again {
		return
	}
	if t.call.number = info.Number; !shown && sc.caught(info.Number) {
		sc.threads.report(t, Stop{Why: AtSyscall, Syscall: Syscall{Number: info.Number, Args: info.Args}})
	}
}

// noSyscallInfo is set in tests as if the kernel were older than Linux 5.3.
var noSyscallInfo bool

// info returns where in a system call a thread is.
func (sc *syscalls) info(t *thread) (ptrace.SyscallInfo, error) {
	info, err := sc.tracer.SyscallInfo(t.id)
	if !noSyscallInfo && !errors.Is(err, unix.EIO) {
		return info, err
	}
	var r ptrace.Regs
	err = sc.tracer.Regs(t.id, &r)
	return t.call.infer(&r), err
}

// infer returns where in a system call a thread with some registers is, for kernels that do
// not tell. Before a call, rax is the error ENOSYS, which the call may return, too.
func (c *callState) infer(r *ptrace.Regs) ptrace.SyscallInfo {
	entry := r.RAX == noSystemCall && (!c.inside || c.interrupted)
	info := ptrace.SyscallInfo{Entry: entry, Exit: !entry, Native: r.CS == longMode}
	if entry {
		info.Number, info.Args = r.OrigRAX, [6]uint64{r.RDI, r.RSI, r.RDX, r.R10, r.R8, r.R9}
	}
	return info
}

const (
	noSystemCall = ^uint64(unix.ENOSYS - 1)
	longMode     = 0x33 // the code segment of 64-bit programs
)

// onReturn handles a thread after a system call, which may have been interrupted.
func (sc *syscalls) onReturn(t *thread) {
	var r ptrace.Regs
	if !t.call.inside || sc.tracer.Regs(t.id, &r) != nil {
		return
	}
	if t.call.interrupted = r.Restarts(); t.call.interrupted {
		return
	}
	if t.call.inside = false; t.report == nil && sc.caught(t.call.number) {
		sc.threads.report(t, Stop{Why: AtSyscall, Syscall: Syscall{
			Number: t.call.number, Args: [6]uint64{r.RDI, r.RSI, r.RDX, r.R10, r.R8, r.R9}, Returned: true, Result: int64(r.RAX),
		}})
	}
}

// leave moves a thread out of a SyscallStop, when all threads have stopped.
func (sc *syscalls) leave(t *thread) error {
	if t.report != nil && t.report.stop.Why == AtSyscall && !t.report.stop.Syscall.Returned {
		return sc.takeBack(t, t.report.stop.Syscall.Number)
	}
	t.trap = true
	if sc.threads.leaveTrap(t); sc.catching() && !t.running {
		sc.onReturn(t)
	}
	return nil
}

// syscallSize is the size of the instruction syscall.
const syscallSize = 2

// takeBack moves a thread from the entry of a system call back to the instruction
// that makes it. If this program is killed meanwhile the guard does that.
func (sc *syscalls) takeBack(t *thread, number uint64) error {
	sc.rescue.prepare()
	var r ptrace.Regs
	if err := sc.tracer.Regs(t.id, &r); err != nil {
		return sc.tracee.checkEnded(err)
	}
	t.call = callState{reported: r.RIP}
	before := r
	before.RIP, before.RAX, before.OrigRAX = r.RIP-syscallSize, number, ptrace.NoSyscall
	if sc.rescue.address != 0 {
		j := sc.rescue.guard.Journal()
		begin, published := j.Length(), j.Published()
		j.Thread(t.id, &before, nil)
		j.Publish(guard.WorkThreads)
		defer func() { j.Republish(published); j.Truncate(begin) }()
		r = *sc.rescue.parkedRegs(r)
	}
	sc.skipCall(t, &r)
	if err := sc.tracer.SetRegs(t.id, &r); err != nil {
		return sc.tracee.checkEnded(err)
	}
	kind, err := sc.tracer.ToEventStop(t.id, sc.queue.add)
	if err != nil {
		t.running = true // until the event of its end
		return sc.tracee.checkEnded(err)
	}
	t.group, t.skipBreakpoint = kind == ptrace.GroupStop, true
	return sc.tracee.checkEnded(sc.tracer.SetRegs(t.id, &before))
}

// skipCall changes the registers of a thread at the entry of a system call so that the
// kernel does not make it. A filter of seccomp(2) sees a skipped call too and might end
// the process, so with a filter the call becomes a read(2) that fails, which every
// filter permits.
func (sc *syscalls) skipCall(t *thread, r *ptrace.Regs) {
	r.OrigRAX = ptrace.NoSyscall
	s, err := procfs.ReadStatus(fmt.Sprintf("/proc/%d/task/%d/status", sc.tracee.pid, t.id))
	if err == nil && s.Number("Seccomp") != 0 {
		r.OrigRAX, r.RDI, r.RSI, r.RDX = unix.SYS_READ, ^uint64(0), 0, 0
	}
}

// leaveAll moves threads out of the stops of caught system calls.
func (sc *syscalls) leaveAll() error {
	for _, id := range slices.Clone(sc.threads.ids()) {
		t := sc.threads.byID[id]
		if t == nil || !t.entered || t.running {
			continue
		}
		t.entered = false
		if err := sc.leave(t); err != nil {
			return err
		}
	}
	return nil
}
