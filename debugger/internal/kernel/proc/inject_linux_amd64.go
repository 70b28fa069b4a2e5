package proc

import (
	"errors"
	"syscall"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// injection makes threads execute system calls, also to send themselves signals.
type injection struct {
	tracer  *ptrace.Tracer
	tracee  *tracee
	queue   *eventQueue
	code    *codeCache
	threads *threads
	rescue  *rescue

	site uint64 // address of a syscall instruction, 0 if not searched yet
}

// Inject makes a thread execute a system call, which must not block, and returns
// its result or its syscall.Errno. It restores the state of the thread.
func (p *Process) Inject(thread int, number uint64, args ...uint64) (uint64, error) {
	var result uint64
	err := p.withTracer(func() error {
		t, err := p.threads.find(thread)
		if err != nil {
			return err
		}
		if t.vfork {
			return errBusy
		}
		var all [6]uint64
		copy(all[:], args)
		p.threads.deferSignal(t)
		result, err = p.injection.inject(t, number, all)
		return errors.Join(err, p.injection.redeliverDeferred(t))
	})
	return result, err
}

// inject is Inject for a thread that is not in a signal-delivery stop.
func (in *injection) inject(t *thread, number uint64, args [6]uint64) (uint64, error) {
	in.rescue.prepare()
	if err := in.threads.restoreMask(t); err != nil {
		return 0, err
	}
	in.code.drop()
	result, err := in.once(t.id, number, args, nil)
	t.trap = false
	return result, in.tracee.checkEnded(err)
}

// syscallSite returns the address of a syscall instruction: in the rescue code, in
// the vdso, or in any other code.
func (in *injection) syscallSite() (uint64, error) {
	if err := in.tracee.require64Bit(); err != nil {
		return 0, err
	}
	if in.rescue.address != 0 {
		return in.rescue.address, nil
	}
	if in.site != 0 {
		return in.site, nil
	}
	maps, err := in.tracee.readMaps()
	if err != nil {
		return 0, err
	}
	for _, vdso := range []bool{true, false} {
		for _, m := range maps {
			if !m.Execute || !m.Read || (m.Path == "[vdso]") != vdso {
				continue
			}
			if at, ok := in.tracee.memory.FindSyscall(m.Start, m.End); ok {
				in.site = at
				return in.site, nil
			}
		}
	}
	return 0, errors.New("the process has no syscall instruction")
}

// deferSignal defers the signal of a thread's signal-delivery stop until
// sendDeferred.
func (ts *threads) deferSignal(t *thread) {
	if t.signal.number == 0 {
		return
	}
	t.deferred = append(t.deferred, t.signal)
	t.signal = signalled{}
}

// sendDeferred makes a thread send its deferred signals to itself, with their
// original siginfo_t.
func (in *injection) sendDeferred(t *thread) error {
	for len(t.deferred) > 0 {
		if err := in.requeueSignal(t, t.deferred[0]); err != nil {
			return err
		}
		t.deferred = t.deferred[1:]
	}
	return nil
}

// redZone is the size of the area that a function may use below its stack
// pointer (System V ABI for amd64, 3.2.2).
const redZone = 128

// requeueSignal injects rt_tgsigqueueinfo(2) into a thread. Only the process itself
// may send itself a signal whose si_code is that of the kernel.
func (in *injection) requeueSignal(t *thread, s signalled) error {
	err := in.borrowStack(t.id, in.tracee.memory, s.info[:], func(at uint64) error {
		args := [6]uint64{uint64(in.tracee.pid), uint64(t.id), uint64(s.number), at}
		_, err := in.inject(t, syscall.SYS_RT_TGSIGQUEUEINFO, args)
		return err
	})
	return in.tracee.checkEnded(err)
}
