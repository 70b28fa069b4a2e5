package ptrace

import (
	"bytes"
	"errors"
	"fmt"
	"syscall"
)

// syscallCode is the instruction syscall.
var syscallCode = []byte{0x0f, 0x05}

// FindSyscall returns the address of a syscall instruction between two addresses. The vdso
// of every process has one.
func (m *Memory) FindSyscall(start, end uint64) (uint64, bool) {
	const most = 16 << 20
	code := make([]byte, min(end-start, most))
	n, _ := m.Read(start, code)
	at := bytes.Index(code[:n], syscallCode)
	return start + uint64(at), at >= 0
}

// Inject makes a stopped thread execute a system call at site, the address of a
// syscall instruction, and restores its registers and signal mask. Signals are
// blocked meanwhile. A call that fails returns its syscall.Errno.
//
// The thread must not be in a SignalStop, whose signal would be lost, and the call
// must not block. Afterwards the thread is in an EventStop. Inject calls other with
// events of other threads and with the end of this one, in which case it returns
// ErrGone.
func (t *Tracer) Inject(tid int, site, nr uint64, args [6]uint64, other func(Event)) (uint64, error) {
	var old Regs
	if err := t.Regs(tid, &old); err != nil {
		return 0, err
	}
	mask, err := t.SigMask(tid)
	if err != nil {
		return 0, err
	}
	if err := t.SetSigMask(tid, ^uint64(0)); err != nil {
		return 0, err
	}
	result, err := t.inject(tid, callRegs(old, site, nr, args), other)
	return result, errors.Join(err, t.restore(tid, &old, mask))
}

// callRegs returns the registers for a system call.
func callRegs(r Regs, site, nr uint64, args [6]uint64) *Regs {
	r.RIP, r.RAX, r.OrigRAX = site, nr, NoSyscall
	r.RDI, r.RSI, r.RDX, r.R10, r.R8, r.R9 = args[0], args[1], args[2], args[3], args[4], args[5]
	r.EFlags &^= TrapFlag
	return &r
}

// inject runs the call from its entry to its exit, and then to an EventStop, from
// which the kernel restarts a call that was interrupted before.
func (t *Tracer) inject(tid int, r *Regs, other func(Event)) (uint64, error) {
	if err := t.SetRegs(tid, r); err != nil {
		return 0, err
	}
	want := *r
	if err := t.untilSyscallStop(tid, other); err != nil {
		return 0, err
	}
	prevented := t.preventOther(tid, &want)
	if err := t.untilSyscallStop(tid, other); err != nil {
		return 0, errors.Join(prevented, err)
	}
	if err := t.Regs(tid, r); err != nil {
		return 0, err
	}
	result := int64(r.RAX)
	if _, err := t.ToEventStop(tid, other); prevented != nil || err != nil {
		return 0, errors.Join(prevented, err)
	}
	if result < 0 && result > -4096 {
		return 0, syscall.Errno(-result)
	}
	return uint64(result), nil
}

func (t *Tracer) untilSyscallStop(tid int, other func(Event)) error {
	if err := t.ToSyscall(tid, 0); err != nil {
		return err
	}
	_, err := t.until(tid, SyscallStop, t.ToSyscall, other)
	return err
}

// preventOther makes the kernel skip the system call at whose entry a thread is, and
// returns an error, if it is not the wanted one: the code at its site was changed.
func (t *Tracer) preventOther(tid int, want *Regs) error {
	var r Regs
	err := t.Regs(tid, &r)
	if err == nil && r.RIP == want.RIP+uint64(len(syscallCode)) && r.OrigRAX == want.RAX {
		return nil
	}
	r.OrigRAX = NoSyscall
	return errors.Join(fmt.Errorf("thread %d has reached another system call than the one at %#x", tid, want.RIP), err, t.SetRegs(tid, &r))
}

// restore undoes what Inject changed.
func (t *Tracer) restore(tid int, r *Regs, mask uint64) error {
	return errors.Join(t.SetRegs(tid, r), t.SetSigMask(tid, mask))
}

// ToEventStop moves a thread from any stop to an EventStop or GroupStop, without
// running an instruction, and returns which of the two it is. A signal of a
// SignalStop is dropped. If the tracer dies, a thread in an EventStop continues
// undisturbed, whereas the SIGTRAP of a step would kill it.
func (t *Tracer) ToEventStop(tid int, other func(Event)) (Kind, error) {
	if err := t.Interrupt(tid); err != nil {
		return 0, err
	}
	if err := t.Cont(tid, 0); err != nil {
		return 0, err
	}
	return t.until(tid, EventStop, t.Cont, other)
}

// until waits for a stop of the wanted kind; a GroupStop counts as an EventStop. It
// calls resume for other stops. Those cannot be signals, except SIGSTOP, which is
// passed on and leads to a GroupStop.
func (t *Tracer) until(tid int, want Kind, resume func(int, syscall.Signal) error, other func(Event)) (Kind, error) {
	for {
		e, err := t.Wait()
		switch {
		case err != nil:
			return 0, err
		case e.Thread != tid:
			other(e)
			continue
		case e.Gone():
			other(e)
			return 0, fmt.Errorf("thread %d: %w", tid, ErrGone)
		case e.Kind == want || want == EventStop && e.Kind == GroupStop:
			return e.Kind, nil
		case e.Kind == Clone, e.Kind == Fork, e.Kind == Vfork:
			other(e)
		}
		if err := resume(tid, e.Signal); err != nil {
			return 0, err
		}
	}
}
