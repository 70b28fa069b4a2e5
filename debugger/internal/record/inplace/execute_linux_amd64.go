package inplace

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// Execute makes the system call of a stop of kind [Call], or waits for that of a stop of
// kind [Blocked]. The kind of the Stop is Done if it has returned, or will be restarted by
// the kernel; Signal if a signal arrived before it was made. It waits as long as the call
// does, and cannot be canceled.
func (r *Runner) Execute() (Stop, error) { return r.orEnd(r.execute(true)) }

// Start is Execute, except that the kind of the Stop is Blocked if the call waits in the
// kernel. Another thread can then execute instructions, see [Runner.Switch].
func (r *Runner) Start() (Stop, error) { return r.orEnd(r.execute(false)) }

func (r *Runner) execute(wait bool) (Stop, error) {
	if r.Replays {
		return Stop{}, errors.New("a replay makes no system calls")
	}
	if !r.inside {
		r.stopsNext = false
		if stop, err := r.enterCall(); stop.Kind != 0 || err != nil {
			return stop, err
		}
	}
	stop, err := r.endCall(wait)
	if stop.Kind == Blocked || err != nil {
		return stop, err
	}
	if r.inside = false; stop.Kind != Done {
		return stop, err
	}
	var regs ptrace.Regs
	if err := r.tracer.Regs(r.tid, &regs); err != nil {
		return Stop{}, err
	}
	if r.at = atStop; r.interruptedInVain(&regs) {
		r.Regs = r.before
		return r.execute(wait) // a signal without effect comes first
	}
	if r.Regs, r.restart = regs, regs.Restarts(); !r.restart {
		r.Regs.OrigRAX = ptrace.NoSyscall
	}
	r.executed++
	r.mapped(&r.before)
	return stop, r.awaitStarted()
}

// enterCall moves the thread into the system call.
func (r *Runner) enterCall() (Stop, error) {
	if r.withdrawn {
		if stop, err := r.restartWithdrawn(); stop.Kind != 0 || err != nil {
			return stop, err
		}
	} else {
		if r.sharesMemory() {
			return Stop{}, ErrThreads
		}
		call := r.Regs
		if stop, err := r.beginCall(); stop.Kind != 0 || err != nil {
			return stop, err
		}
		r.before = call
	}
	r.inside = true
	if err := r.resume(r.tracer.ToSyscall, 0); err != nil {
		return Stop{}, err
	}
	return Stop{}, r.raiseDeferred() // a thread that waited in the cache may have got some
}

// beginCall moves the thread to the entry of the system call.
func (r *Runner) beginCall() (Stop, error) {
	switch r.at {
	case atCall:
		return Stop{}, nil
	case atEntry:
		return Stop{}, r.enterFromCache()
	}
	if err := r.setRegs(); err != nil {
		return Stop{}, err
	}
	stops := 1
	if r.at == atEmulated {
		stops = 2 // the first is the end of the call that was not made
	}
	for range stops {
		event, err := r.toSyscallStop()
		if err != nil {
			return Stop{}, err
		}
		if event.Kind != ptrace.SyscallStop {
			return r.callPrevented(event)
		}
	}
	return Stop{}, nil
}

// toSyscallStop continues the thread to the next entry or end of a system call, or another
// event that is one of the program.
func (r *Runner) toSyscallStop() (ptrace.Event, error) {
	for {
		if err := r.resume(r.tracer.ToSyscall, 0); err != nil {
			return ptrace.Event{}, err
		}
		e, err := r.next(context.Background())
		if err != nil || e.Kind != ptrace.EventStop {
			return e, err
		}
	}
}

// enterFromCache makes the system call at whose entry the thread is, in the cache, one of
// the program's own code: the thread continues behind that afterwards.
func (r *Runner) enterFromCache() error {
	regs := r.Regs
	regs.RIP += syscallLength
	regs.OrigRAX, regs.RAX = regs.RAX, noResult
	regs.RCX, regs.R11 = regs.RIP, regs.EFlags
	r.at = atCall
	return r.tracer.SetRegs(r.tid, &regs)
}

// noResult is the value of rax during a system call: -ENOSYS.
const noResult = ^uint64(unix.ENOSYS) + 1

// callPrevented handles an event before a system call: most often a signal.
func (r *Runner) callPrevented(event ptrace.Event) (Stop, error) {
	stop, _, err := r.handle(event)
	if err == nil && stop.Kind == 0 {
		err = fmt.Errorf("a system call of thread %d led to %v", r.tid, event.Kind)
	}
	return stop, err
}

// endCall waits for the end of the system call, or until it waits in the kernel.
func (r *Runner) endCall(wait bool) (Stop, error) {
	for {
		event, ok, err := r.nextInside(wait)
		if err != nil {
			return Stop{}, err
		}
		if !ok {
			return Stop{Kind: Blocked}, nil
		}
		switch event.Kind {
		case ptrace.SyscallStop:
			return Stop{Kind: Done}, nil
		case ptrace.Exec:
			return Stop{Kind: Exec}, nil
		case ptrace.Clone:
			r.started = int(event.Message)
		case ptrace.Fork, ptrace.Vfork, ptrace.VforkDone, ptrace.Exiting, ptrace.EventStop:
		default:
			stop, _, err := r.handle(event)
			return stop, err
		}
		if err := r.resume(r.tracer.ToSyscall, 0); err != nil {
			return Stop{}, err
		}
	}
}

// Skip does as if the system call of a stop of kind [Call] had returned.
func (r *Runner) Skip(result uint64) {
	r.Regs.RIP += syscallLength
	r.Regs.RAX, r.Regs.RCX, r.Regs.R11 = result, r.Regs.RIP, r.Regs.EFlags
	if r.at == atCall { // the thread gets other registers before it continues
		r.at = atEmulated
	}
	r.executed++
}

// cloneFlags returns the flags of a system call that makes a thread or a process, or 0.
func (r *Runner) cloneFlags() uint64 {
	switch r.Regs.RAX {
	case unix.SYS_CLONE:
		return r.Regs.RDI
	case unix.SYS_CLONE3:
		var b [8]byte
		_, _ = r.memory.Read(r.Regs.RDI, b[:]) // the kernel fails too
		return binary.LittleEndian.Uint64(b[:])
	}
	return 0
}

// sharesMemory reports whether the system call would make another process in the same
// memory that the program does not wait for.
func (r *Runner) sharesMemory() bool {
	flags := r.cloneFlags()
	return flags&unix.CLONE_VM != 0 && flags&(unix.CLONE_VFORK|unix.CLONE_THREAD) == 0
}

// mapped forgets translations if a system call has changed the memory that they are
// made of.
func (r *Runner) mapped(call *ptrace.Regs) {
	switch call.RAX {
	case unix.SYS_MMAP, unix.SYS_MUNMAP, unix.SYS_MPROTECT, unix.SYS_PKEY_MPROTECT, unix.SYS_MADVISE:
		anywhere := call.RAX == unix.SYS_MMAP && call.RDI == 0
		r.changed(!anywhere && r.code.copied(call.RDI, call.RSI))
	case unix.SYS_MREMAP:
		target := call.R10&unix.MREMAP_FIXED != 0 && r.code.copied(call.R8, call.RDX)
		r.changed(target || r.code.copied(call.RDI, call.RSI))
	case unix.SYS_SHMAT, unix.SYS_SHMDT, unix.SYS_REMAP_FILE_PAGES:
		r.changed(true)
	case unix.SYS_BRK:
		r.changed(false)
	}
}

// changed forgets translations if code has changed, and else only what is known of
// other memory.
func (r *Runner) changed(code bool) {
	if code {
		r.Forget()
		return
	}
	r.code.dropMaps()
}
