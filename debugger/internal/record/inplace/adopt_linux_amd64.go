package inplace

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// An Injector makes a thread in an event stop execute a system call. It passes events of
// other threads to other, or keeps them if other is nil.
type Injector func(tid int, number uint64, args [6]uint64, other func(ptrace.Event)) (uint64, error)

// Adopt returns a Runner for all threads of a process that has run before. They must be
// in event stops. The current thread is the first one of the process. A thread that was
// interrupted in a system call makes it again when it runs. The system calls that the Runner
// needs are made by inject, which keeps the events of other threads until Adopt returns. It
// goes on with a translation of the process, unless that is nil, and closes it.
func Adopt(tracer *ptrace.Tracer, pid int, tids []int, inject Injector, before *Translation) (*Runner, error) {
	memory, err := ptrace.OpenMemory(pid)
	if err != nil {
		return nil, errors.Join(err, before.Close())
	}
	r := newRunner(tracer, pid, memory)
	r.injector, r.adopting = inject, true
	for _, tid := range tids {
		t := &thread{tid: tid}
		r.threads[tid] = t
		err = errors.Join(err, tracer.Regs(tid, &t.Regs))
		if t.restart = t.Regs.Restarts(); !t.restart {
			t.Regs.OrigRAX = ptrace.NoSyscall
		}
	}
	if r.thread = r.threads[pid]; r.thread == nil && err == nil {
		err = errors.New("its first thread has ended")
	}
	if err == nil {
		err = r.space.start(before)
		r.adopting = false
	}
	if err != nil {
		err = errors.Join(err, before.Close())
		return nil, errors.Join(fmt.Errorf("translate process %d: %w", pid, err), r.Close())
	}
	return r, nil
}

// Park moves the current thread to an event stop in its own code, from which another
// tracer than a Runner can continue it. If it is in a signal-delivery stop, it stays there,
// and Park returns the signal.
func (r *Runner) Park() (signal ptrace.SigInfo, waits bool, err error) {
	deferred := r.signals.deferred()
	if r.deferred = nil; r.at == atSignal {
		r.signals.sendAllFromHere(deferred)
		return r.signal, true, r.setRegs()
	}
	if len(r.queue) > 0 && r.queue[0].Kind == ptrace.SignalStop {
		r.signals.sendAllFromHere(deferred)
		signal, err = r.tracer.SigInfo(r.tid)
		return signal, true, err
	}
	if !r.inKernel() {
		return signal, false, errors.Join(r.toEventStop(), r.signals.sendAgain(deferred))
	}
	r.stale = false
	_, err = r.tracer.ToEventStop(r.tid, r.beside)
	return signal, false, errors.Join(err, r.signals.sendAgain(deferred))
}

// Requeue moves the current thread, which Park has left in a signal-delivery stop, to an event
// stop, and sends it the signal again.
func (r *Runner) Requeue(signal ptrace.SigInfo) error {
	if r.at == atSignal {
		r.at = atStop
	} else if len(r.queue) > 0 {
		r.queue = r.queue[1:]
	}
	if _, err := r.tracer.ToEventStop(r.tid, r.beside); err != nil || raisedAgain(&signal) {
		return err
	}
	return r.signals.sendAgain([]ptrace.SigInfo{signal})
}

// Unmap unmaps the code cache. All threads must be parked. It must be the last call before
// Close or Keep.
func (r *Runner) Unmap() error {
	return unmap(r.space.shared.mapped, r.space.inject)
}

// unmap unmaps the code cache from a process, whose system calls are made by inject.
func unmap(mapped []mapping, inject func(number uint64, args ...uint64) (uint64, error)) error {
	var err error
	for _, m := range mapped {
		_, failed := inject(unix.SYS_MUNMAP, m.Start, m.Len())
		err = errors.Join(err, failed)
	}
	return err
}
