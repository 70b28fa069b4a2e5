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
	return p.withTracerReadOnly(func() error {
		p.caught = wanted
		return nil
	})
}

// catching reports whether threads stop at system calls.
func (p *Process) catching() bool { return p.caught != nil && !p.runningFree }

// onSyscall handles a thread in a SyscallStop while system calls are caught.
func (p *Process) onSyscall(t *thread) {
	if !p.catching() {
		return
	}
	info, err := p.syscallInfo(t)
	if err != nil || !info.Native {
		return // the thread was killed, or calls as a 32-bit program does
	}
	if info.Exit {
		p.onReturn(t)
		return
	}
	var r ptrace.Regs
	if !info.Entry || p.tracer.Regs(t.id, &r) != nil {
		return
	}
	again := t.call.inside && (info.Number == t.call.number || info.Number == unix.SYS_RESTART_SYSCALL)
	shown := t.call.reported == r.RIP
	if t.call.inside, t.call.interrupted, t.call.reported = true, false, 0; again {
		return
	}
	if t.call.number = info.Number; !shown && p.caught(info.Number) {
		p.recordStop(t, Stop{Why: AtSyscall, Syscall: Syscall{Number: info.Number, Args: info.Args}})
	}
}

// noSyscallInfo is set in tests as if the kernel were older than Linux 5.3.
var noSyscallInfo bool

// syscallInfo returns where in a system call a thread is.
func (p *Process) syscallInfo(t *thread) (ptrace.SyscallInfo, error) {
	info, err := p.tracer.SyscallInfo(t.id)
	if !noSyscallInfo && !errors.Is(err, unix.EIO) {
		return info, err
	}
	var r ptrace.Regs
	err = p.tracer.Regs(t.id, &r)
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
func (p *Process) onReturn(t *thread) {
	var r ptrace.Regs
	if !t.call.inside || p.tracer.Regs(t.id, &r) != nil {
		return
	}
	if t.call.interrupted = r.Restarts(); t.call.interrupted {
		return
	}
	if t.call.inside = false; t.report == nil && p.caught(t.call.number) {
		p.recordStop(t, Stop{Why: AtSyscall, Syscall: Syscall{
			Number: t.call.number, Args: [6]uint64{r.RDI, r.RSI, r.RDX, r.R10, r.R8, r.R9}, Returned: true, Result: int64(r.RAX),
		}})
	}
}

// leaveSyscall moves a thread out of a SyscallStop, when all threads have stopped.
func (p *Process) leaveSyscall(t *thread) error {
	if t.report != nil && t.report.stop.Why == AtSyscall && !t.report.stop.Syscall.Returned {
		return p.takeBack(t, t.report.stop.Syscall.Number)
	}
	t.trap = true
	if p.leaveTrap(t); p.catching() && !t.running {
		p.onReturn(t)
	}
	return nil
}

// syscallSize is the size of the instruction syscall.
const syscallSize = 2

// takeBack moves a thread from the entry of a system call back to the instruction
// that makes it. If this program is killed meanwhile the guard does that.
func (p *Process) takeBack(t *thread, number uint64) error {
	p.prepareRescue()
	var r ptrace.Regs
	if err := p.tracer.Regs(t.id, &r); err != nil {
		return p.checkEnded(err)
	}
	t.call = callState{reported: r.RIP}
	before := r
	before.RIP, before.RAX, before.OrigRAX = r.RIP-syscallSize, number, ptrace.NoSyscall
	if p.rescue != 0 {
		j := p.guard.Journal()
		begin, published := j.Length(), j.Published()
		j.Thread(t.id, &before, nil)
		j.Publish(guard.WorkThreads)
		defer func() { j.Republish(published); j.Truncate(begin) }()
		r = *p.parkedRegs(r)
	}
	p.skipCall(t, &r)
	if err := p.tracer.SetRegs(t.id, &r); err != nil {
		return p.checkEnded(err)
	}
	kind, err := p.tracer.ToEventStop(t.id, p.enqueue)
	if err != nil {
		t.running = true // until the event of its end
		return p.checkEnded(err)
	}
	t.group, t.skipBreakpoint = kind == ptrace.GroupStop, true
	return p.checkEnded(p.tracer.SetRegs(t.id, &before))
}

// skipCall changes the registers of a thread at the entry of a system call so that the
// kernel does not make it. A filter of seccomp(2) sees a skipped call too and might end
// the process, so with a filter the call becomes a read(2) that fails, which every
// filter permits.
func (p *Process) skipCall(t *thread, r *ptrace.Regs) {
	r.OrigRAX = ptrace.NoSyscall
	s, err := procfs.ReadStatus(fmt.Sprintf("/proc/%d/task/%d/status", p.pid, t.id))
	if err == nil && s.Number("Seccomp") != 0 {
		r.OrigRAX, r.RDI, r.RSI, r.RDX = unix.SYS_READ, ^uint64(0), 0, 0
	}
}

// leaveSyscalls moves threads out of the stops of caught system calls.
func (p *Process) leaveSyscalls() error {
	for _, id := range slices.Clone(p.ids()) {
		t := p.threads[id]
		if t == nil || !t.entered || t.running {
			continue
		}
		t.entered = false
		if err := p.leaveSyscall(t); err != nil {
			return err
		}
	}
	return nil
}

// handles reports whether the process has a handler for a signal.
func (p *Process) handles(t *thread, sig signalNumber) bool {
	s, err := procfs.ReadStatus(fmt.Sprintf("/proc/%d/task/%d/status", p.pid, t.id))
	return err != nil || s.Bits("SigCgt")>>(sig-1)&1 != 0
}
