package proc

import (
	"errors"
	"syscall"
)

// Inject makes a thread execute a system call, which must not block, and returns
// its result or its syscall.Errno. It restores the state of the thread.
func (p *Process) Inject(thread int, number uint64, args ...uint64) (uint64, error) {
	var result uint64
	err := p.withTracer(func() error {
		t, err := p.thread(thread)
		if err != nil {
			return err
		}
		if t.vfork {
			return errBusy
		}
		var all [6]uint64
		copy(all[:], args)
		p.deferSignal(t)
		result, err = p.inject(t, number, all)
		return errors.Join(err, p.redeliverDeferred(t))
	})
	return result, err
}

// inject is Inject for a thread that is not in a signal-delivery stop.
func (p *Process) inject(t *thread, number uint64, args [6]uint64) (uint64, error) {
	p.prepareRescue()
	if err := p.restoreMask(t); err != nil {
		return 0, err
	}
	p.code.drop()
	result, err := p.injectOnce(t.id, number, args, nil)
	t.trap = false
	return result, p.checkEnded(err)
}

// syscallSite returns the address of a syscall instruction: in the rescue code, in
// the vdso, or in any other code.
func (p *Process) syscallSite() (uint64, error) {
	if err := p.require64Bit(); err != nil {
		return 0, err
	}
	if p.rescue != 0 {
		return p.rescue, nil
	}
	if p.site != 0 {
		return p.site, nil
	}
	maps, err := p.readMaps()
	if err != nil {
		return 0, err
	}
	for _, vdso := range []bool{true, false} {
		for _, m := range maps {
			if !m.Execute || !m.Read || (m.Path == "[vdso]") != vdso {
				continue
			}
			if at, ok := p.memory.FindSyscall(m.Start, m.End); ok {
				p.site = at
				return p.site, nil
			}
		}
	}
	return 0, errors.New("the process has no syscall instruction")
}

// deferSignal defers the signal of a thread's signal-delivery stop until
// sendDeferred.
func (p *Process) deferSignal(t *thread) {
	if t.signal.number == 0 {
		return
	}
	t.deferred = append(t.deferred, t.signal)
	t.signal = signalled{}
}

// sendDeferred makes a thread send its deferred signals to itself, with their
// original siginfo_t.
func (p *Process) sendDeferred(t *thread) error {
	for len(t.deferred) > 0 {
		if err := p.requeueSignal(t, t.deferred[0]); err != nil {
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
func (p *Process) requeueSignal(t *thread, s signalled) error {
	err := p.borrowStack(t.id, p.memory, s.info[:], func(at uint64) error {
		args := [6]uint64{uint64(p.pid), uint64(t.id), uint64(s.number), at}
		_, err := p.inject(t, syscall.SYS_RT_TGSIGQUEUEINFO, args)
		return err
	})
	return p.checkEnded(err)
}
