package inplace

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/ptrace"
)

// Execute makes the system call of a stop of kind [Call]. The kind of the Stop is Done
// if it has returned, or will be restarted by the kernel; Signal if a signal arrived
// before it was made. It waits as long as the call does, and cannot be canceled.
func (r *Runner) Execute() (Stop, error) { return r.orEnd(r.execute()) }

func (r *Runner) execute() (Stop, error) {
	if r.Replays {
		return Stop{}, errors.New("a replay makes no system calls")
	}
	if r.startsThread() {
		return Stop{}, ErrThreads
	}
	call := r.Regs
	if stop, err := r.beginCall(); stop.Kind != 0 || err != nil {
		return stop, err
	}
	stop, err := r.endCall()
	if stop.Kind != Done || err != nil {
		return stop, err
	}
	if err := r.tracer.Regs(r.tid, &r.Regs); err != nil {
		return Stop{}, err
	}
	r.at, r.restart = atStop, r.Regs.Restarts()
	if !r.restart {
		r.Regs.OrigRAX = ptrace.NoSyscall
	}
	r.executed++
	r.mapped(&call)
	return stop, nil
}

// beginCall moves the thread to the entry of the system call.
func (r *Runner) beginCall() (Stop, error) {
	if r.at == atCall {
		return Stop{}, nil
	}
	if err := r.setRegs(); err != nil {
		return Stop{}, err
	}
	stops := 1
	if r.at == atEmulated {
		stops = 2 // the first is the end of the call that was not made
	}
	for range stops {
		if err := r.resume(r.tracer.ToSyscall, 0); err != nil {
			return Stop{}, err
		}
		event, err := r.next(context.Background())
		if err != nil {
			return Stop{}, err
		}
		if event.Kind != ptrace.SyscallStop {
			return r.callPrevented(event)
		}
	}
	return Stop{}, nil
}

// callPrevented handles an event before a system call: most often a signal.
func (r *Runner) callPrevented(event ptrace.Event) (Stop, error) {
	stop, _, err := r.handle(event)
	if err == nil && stop.Kind == 0 {
		err = fmt.Errorf("a system call of thread %d led to %v", r.tid, event.Kind)
	}
	return stop, err
}

// endCall makes the system call.
func (r *Runner) endCall() (Stop, error) {
	for {
		if err := r.resume(r.tracer.ToSyscall, 0); err != nil {
			return Stop{}, err
		}
		event, err := r.next(context.Background())
		if err != nil {
			return Stop{}, err
		}
		switch event.Kind {
		case ptrace.SyscallStop:
			return Stop{Kind: Done}, nil
		case ptrace.Exec:
			return Stop{Kind: Exec}, nil
		case ptrace.Fork, ptrace.Vfork, ptrace.VforkDone, ptrace.Clone, ptrace.Exiting, ptrace.EventStop:
			continue
		}
		stop, _, err := r.handle(event)
		return stop, err
	}
}

// Skip does as if the system call of a stop of kind [Call] had returned.
func (r *Runner) Skip(result uint64) {
	r.Regs.RIP += syscallLength
	r.Regs.RAX, r.Regs.RCX, r.Regs.R11 = result, r.Regs.RIP, r.Regs.EFlags
	r.executed++
}

// startsThread reports whether the system call would make a thread, or another process
// in the same memory that the program does not wait for.
func (r *Runner) startsThread() bool {
	flags := uint64(0)
	switch r.Regs.RAX {
	case unix.SYS_CLONE:
		flags = r.Regs.RDI
	case unix.SYS_CLONE3:
		var b [8]byte
		_, _ = r.memory.Read(r.Regs.RDI, b[:]) // the kernel fails too
		flags = binary.LittleEndian.Uint64(b[:])
	}
	return flags&unix.CLONE_VM != 0 && flags&unix.CLONE_VFORK == 0
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
