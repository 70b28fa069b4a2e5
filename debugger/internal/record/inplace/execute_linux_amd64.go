package inplace

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// calls makes the system calls at which the process stops.
type calls struct{ runner *Runner }

// Execute makes the system call of a stop of kind [Call], or waits for that of a stop of
// kind [Blocked]. The kind of the Stop is Done if it has returned, or will be restarted by
// the kernel; Signal if a signal arrived before it was made. It waits as long as the call
// does, and cannot be canceled.
func (r *Runner) Execute() (Stop, error) { return r.orEnd(r.calls.execute(true)) }

// Start is Execute, except that the kind of the Stop is Blocked if the call waits in the
// kernel. Another thread can then execute instructions, see [Runner.Switch].
func (r *Runner) Start() (Stop, error) { return r.orEnd(r.calls.execute(false)) }

func (cl *calls) execute(wait bool) (Stop, error) {
	if cl.runner.Replays {
		return Stop{}, errors.New("a replay makes no system calls")
	}
	if !cl.runner.inside {
		cl.runner.Buffer.stopped()
		if stop, err := cl.enter(); stop.Kind != 0 || err != nil {
			return stop, err
		}
	}
	stop, err := cl.end(wait)
	if stop.Kind == Blocked || err != nil {
		return stop, err
	}
	if cl.runner.inside = false; stop.Kind != Done {
		return stop, err
	}
	var regs ptrace.Regs
	if err := cl.runner.tracer.Regs(cl.runner.tid, &regs); err != nil {
		return Stop{}, err
	}
	if cl.runner.at = atStop; cl.runner.signals.interruptedInVain(&regs) {
		cl.runner.Regs = cl.runner.before
		return cl.execute(wait) // a signal without effect comes first
	}
	if cl.runner.Regs, cl.runner.restart = regs, regs.Restarts(); !cl.runner.restart {
		cl.runner.Regs.OrigRAX = ptrace.NoSyscall
	}
	cl.runner.translated.executed++
	cl.mapped(&cl.runner.before)
	return stop, cl.runner.awaitStarted()
}

// enter moves the thread into the system call.
func (cl *calls) enter() (Stop, error) {
	if cl.runner.withdrawn {
		if stop, err := cl.runner.Turns.restartWithdrawn(); stop.Kind != 0 || err != nil {
			return stop, err
		}
	} else {
		if cl.sharesMemory() {
			return Stop{}, ErrThreads
		}
		call := cl.runner.Regs
		if stop, err := cl.begin(); stop.Kind != 0 || err != nil {
			return stop, err
		}
		cl.runner.before = call
	}
	cl.runner.inside = true
	if err := cl.runner.translated.resume(cl.runner.tracer.ToSyscall, 0); err != nil {
		return Stop{}, err
	}
	return Stop{}, cl.runner.signals.raiseDeferred() // a thread that waited in the cache may have got some
}

// begin moves the thread to the entry of the system call.
func (cl *calls) begin() (Stop, error) {
	switch cl.runner.at {
	case atCall:
		return Stop{}, nil
	case atEntry:
		return Stop{}, cl.enterFromCache()
	}
	if err := cl.runner.setRegs(); err != nil {
		return Stop{}, err
	}
	stops := 1
	if cl.runner.at == atEmulated {
		stops = 2 // the first is the end of the call that was not made
	}
	for range stops {
		event, err := cl.toSyscallStop()
		if err != nil {
			return Stop{}, err
		}
		if event.Kind != ptrace.SyscallStop {
			return cl.prevented(event)
		}
	}
	return Stop{}, nil
}

// toSyscallStop continues the thread to the next entry or end of a system call, or another
// event that is one of the program.
func (cl *calls) toSyscallStop() (ptrace.Event, error) {
	for {
		if err := cl.runner.translated.resume(cl.runner.tracer.ToSyscall, 0); err != nil {
			return ptrace.Event{}, err
		}
		e, err := cl.runner.translated.next(context.Background())
		if err != nil || e.Kind != ptrace.EventStop {
			return e, err
		}
	}
}

// enterFromCache makes the system call at whose entry the thread is, in the cache, one of
// the program's own code: the thread continues behind that afterwards.
func (cl *calls) enterFromCache() error {
	regs := cl.runner.Regs
	regs.RIP += syscallLength
	regs.OrigRAX, regs.RAX = regs.RAX, noResult
	regs.RCX, regs.R11 = regs.RIP, regs.EFlags
	cl.runner.at = atCall
	return cl.runner.tracer.SetRegs(cl.runner.tid, &regs)
}

// noResult is the value of rax during a system call: -ENOSYS.
const noResult = ^uint64(unix.ENOSYS) + 1

// prevented handles an event before a system call: most often a signal.
func (cl *calls) prevented(event ptrace.Event) (Stop, error) {
	stop, _, err := cl.runner.translated.handle(event)
	if err == nil && stop.Kind == 0 {
		err = fmt.Errorf("a system call of thread %d led to %v", cl.runner.tid, event.Kind)
	}
	return stop, err
}

// end waits for the end of the system call, or until it waits in the kernel.
func (cl *calls) end(wait bool) (Stop, error) {
	for {
		event, ok, err := cl.runner.Turns.nextInside(wait)
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
			cl.runner.started = int(event.Message)
		case ptrace.Fork, ptrace.Vfork, ptrace.VforkDone, ptrace.Exiting, ptrace.EventStop:
		default:
			stop, _, err := cl.runner.translated.handle(event)
			return stop, err
		}
		if err := cl.runner.translated.resume(cl.runner.tracer.ToSyscall, 0); err != nil {
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
	r.translated.executed++
}

// cloneFlags returns the flags of a system call that makes a thread or a process, or 0.
func (cl *calls) cloneFlags() uint64 {
	switch cl.runner.Regs.RAX {
	case unix.SYS_CLONE:
		return cl.runner.Regs.RDI
	case unix.SYS_CLONE3:
		var b [8]byte
		_, _ = cl.runner.memory.Read(cl.runner.Regs.RDI, b[:]) // the kernel fails too
		return binary.LittleEndian.Uint64(b[:])
	}
	return 0
}

// sharesMemory reports whether the system call would make another process in the same
// memory that the program does not wait for.
func (cl *calls) sharesMemory() bool {
	flags := cl.cloneFlags()
	return flags&unix.CLONE_VM != 0 && flags&(unix.CLONE_VFORK|unix.CLONE_THREAD) == 0
}

// mapped forgets translations if a system call has changed the memory that they are
// made of.
func (cl *calls) mapped(call *ptrace.Regs) {
	switch call.RAX {
	case unix.SYS_MMAP, unix.SYS_MUNMAP, unix.SYS_MPROTECT, unix.SYS_PKEY_MPROTECT, unix.SYS_MADVISE:
		anywhere := call.RAX == unix.SYS_MMAP && call.RDI == 0
		cl.changed(!anywhere && cl.runner.space.code.copied(call.RDI, call.RSI))
	case unix.SYS_MREMAP:
		target := call.R10&unix.MREMAP_FIXED != 0 && cl.runner.space.code.copied(call.R8, call.RDX)
		cl.changed(target || cl.runner.space.code.copied(call.RDI, call.RSI))
	case unix.SYS_SHMAT, unix.SYS_SHMDT, unix.SYS_REMAP_FILE_PAGES:
		cl.changed(true)
	case unix.SYS_BRK:
		cl.changed(false)
	}
}

// changed forgets translations if code has changed, and else only what is known of
// other memory.
func (cl *calls) changed(code bool) {
	if code {
		cl.runner.Forget()
		return
	}
	cl.runner.space.code.dropMaps()
}
