package proc

import (
	"errors"
	"syscall"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/guard"
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
	err := p.access.withTracer(func() error {
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

// once is Tracer.Inject, journalled for the guard. If other is nil, events of other
// threads are queued.
func (in *injection) once(tid int, number uint64, args [6]uint64, other func(ptrace.Event)) (uint64, error) {
	if other == nil {
		other = in.queue.add
	}
	site, err := in.syscallSite()
	if err != nil {
		return 0, err
	}
	if in.rescue.address == 0 {
		return in.tracer.Inject(tid, site, number, args, other)
	}
	var regs ptrace.Regs
	if err := in.tracer.Regs(tid, &regs); err != nil {
		return 0, err
	}
	mask, err := in.tracer.SigMask(tid)
	if err != nil {
		return 0, err
	}
	j := in.rescue.guard.Journal()
	begin, before := j.Length(), j.Published() // perhaps a function is called
	j.Thread(tid, &regs, &mask)
	j.Publish(guard.WorkCall)
	defer func() { j.Republish(before); j.Truncate(begin) }()
	return in.tracer.Inject(tid, site, number, args, other)
}

// redeliverDeferred sends the deferred signals of a thread and continues it to their
// signal-delivery stop.
func (in *injection) redeliverDeferred(t *thread) error {
	if len(t.deferred) == 0 || in.tracee.ended != nil {
		return nil
	}
	t.reportedSignal = t.deferred[0].number
	if err := in.sendDeferred(t); err != nil {
		return err
	}
	return in.awaitDelivery(t)
}

// awaitDelivery continues a thread for which a signal waits to its signal-delivery stop.
func (in *injection) awaitDelivery(t *thread) error {
	if err := in.tracee.checkEnded(in.tracer.Cont(t.id, 0)); err != nil {
		return err
	}
	t.running = true
	for deadline := time.Now().Add(stopTimeout); t.running && in.tracee.ended == nil; {
		if err := in.tracee.events.awaitStop(deadline); err != nil {
			return err
		}
	}
	return nil
}

// sendAgain sends the signals of [Loan.Again]. A thread whose signal was reported is then in
// its signal-delivery stop, also if the signal still waits in the kernel.
func (in *injection) sendAgain(l *Loan) error {
	var err error
	for id, info := range l.Again {
		t := in.threads.byID[id]
		if t == nil {
			continue
		}
		t.deferred = []signalled{{info.Signal(), info}}
		if l.Reported[id] == info.Signal() {
			err = errors.Join(err, in.redeliverDeferred(t))
		} else {
			err = errors.Join(err, in.sendDeferred(t))
		}
	}
	for id, sig := range l.Reported {
		if t := in.threads.byID[id]; t != nil && t.signal.number == 0 && in.threads.awaitsSignal(t, sig) {
			t.reportedSignal = sig
			err = errors.Join(err, in.awaitDelivery(t))
		}
	}
	return err
}

// borrowStack writes b to unused memory of the process, calls f with its address,
// reads b back, and restores the memory.
func (in *injection) borrowStack(tid int, m *ptrace.Memory, b []byte, f func(at uint64) error) error {
	at, err := in.findScratch(tid, len(b))
	if err != nil {
		return err
	}
	saved := make([]byte, len(b))
	if _, err := m.Read(at, saved); err != nil {
		return err
	}
	if j := in.rescue.guard.Journal(); j != nil {
		begin := j.Length()
		j.Write(m.PID(), at, saved)
		defer j.Truncate(begin)
	}
	if _, err := m.Write(at, b); err != nil {
		return err
	}
	err = f(at)
	_, readErr := m.Read(at, b)
	_, writeErr := m.Write(at, saved)
	if errors.Is(err, ptrace.ErrGone) {
		return err
	}
	return errors.Join(err, readErr, writeErr)
}

// findScratch returns the address of n unused bytes: at the far end of the main
// stack or, if there is no room, below the red zone of a thread. The main stack is
// preferred because stacks of goroutines are small and have other data below them.
func (in *injection) findScratch(tid, n int) (uint64, error) {
	var r ptrace.Regs
	if err := in.tracer.Regs(tid, &r); err != nil {
		return 0, err
	}
	maps, err := in.tracee.readMaps()
	if err != nil {
		return 0, err
	}
	const room = 1 << 14
	for _, m := range maps {
		if m.Path == "[stack]" && m.Write && m.End-m.Start > 2*room && (r.RSP < m.Start || r.RSP-m.Start > room) {
			return m.Start, nil
		}
	}
	return (r.RSP - redZone - uint64(n)) &^ 15, nil
}
