package proc

import (
	"errors"
	"syscall"

	"github.com/triptych-mcp/triptych/debugger/internal/ptrace"
)

// Inject makes a thread do a system call, which must not block, and returns
// its result or its syscall.Errno. The thread is as it was afterwards.
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
		p.hold(t)
		result, err = p.inject(t, number, all)
		return errors.Join(err, p.recall(t))
	})
	return result, err
}

// inject is Inject for a thread that is in no signal's stop.
func (p *Process) inject(t *thread, number uint64, args [6]uint64) (uint64, error) {
	p.prepareRescue()
	if err := p.restoreMask(t); err != nil {
		return 0, err
	}
	p.code.drop()
	result, err := p.injectOnce(t.id, number, args)
	t.trap = false
	return result, p.noticeEnd(err)
}

// syscallSite finds a syscall instruction in the process: in the vdso, or in
// any other code.
func (p *Process) syscallSite() (uint64, error) {
	if err := p.wide(); err != nil {
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
			code := make([]byte, min(m.End-m.Start, 16<<20))
			n, _ := p.memory.Read(m.Start, code)
			if at, ok := ptrace.FindSyscall(code[:n]); ok {
				p.site = m.Start + uint64(at)
				return p.site, nil
			}
		}
	}
	return 0, errors.New("the process has no syscall instruction")
}

// hold takes the signal that a thread is about to get and puts it off. The
// thread leaves the signal's stop.
func (p *Process) hold(t *thread) {
	if t.signal.number == 0 {
		return
	}
	t.held = append(t.held, t.signal)
	t.signal = signalled{}
}

// sendHeld gives a thread the signals that were put off, as if they came now:
// it sends them to itself, with all that belonged to them.
func (p *Process) sendHeld(t *thread) error {
	for len(t.held) > 0 {
		if err := p.sendAgain(t, t.held[0]); err != nil {
			return err
		}
		t.held = t.held[1:]
	}
	return nil
}

// redZone is the size of the area that a function may use below its stack
// pointer (System V ABI for amd64, 3.2.2).
const redZone = 128

// sendAgain lends a piece of the thread's stack to rt_tgsigqueueinfo. Only the
// process itself may send a signal that says it comes from the kernel.
func (p *Process) sendAgain(t *thread, s signalled) error {
	err := p.borrowStack(t.id, p.memory, s.info[:], func(at uint64) error {
		args := [6]uint64{uint64(p.pid), uint64(t.id), uint64(s.number), at}
		_, err := p.inject(t, syscall.SYS_RT_TGSIGQUEUEINFO, args)
		return err
	})
	return p.noticeEnd(err)
}
