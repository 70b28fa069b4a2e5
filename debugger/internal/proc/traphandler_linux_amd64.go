package proc

import (
	"bytes"
	"encoding/binary"
	"errors"
	"time"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/ptrace"
)

// A thread that has come to a breakpoint or done a step is about to get
// SIGTRAP. If this program is killed just then, the thread does get it, and
// the process dies. So while the process has breakpoints or is stepped, its handler
// of SIGTRAP is the one of the rescue code, or, where there is no room for that, a
// return instruction. Detach restores the handler that the process had; so it is in
// children, and before a SIGTRAP that was sent to the process is delivered.

// sigaction is the kernel's struct sigaction.
type sigaction [4]uint64 // handler, flags, restorer, mask

const sigactionSize = 32

func (a sigaction) bytes() []byte {
	b := make([]byte, 0, sigactionSize)
	for _, v := range a {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	return b
}

// trapHandler holds the state that installTrapHandler has changed.
type trapHandler struct {
	ours, old sigaction
}

// installTrapHandler replaces the handler of SIGTRAP. A launched program needs none, it is killed
// with us, and a process without the code that returns from handlers has none.
func (p *Process) installTrapHandler() error {
	if p.launched || p.trapHandler != nil || p.noTrapHandler {
		return nil
	}
	p.prepareRescue()
	ours, ok := p.trapAction()
	if !ok {
		p.noTrapHandler = true
		p.log.Debug("the process has no code that returns from a signal's handler")
		return nil
	}
	t := p.quietThread()
	if t == nil {
		return nil
	}
	old, err := p.exchange(t.id, p.memory, &ours)
	if p.rescue != 0 && old[0] == ours[0] {
		old = sigaction{} // left behind by a debugger that was killed
	}
	if err == nil {
		p.trapHandler = &trapHandler{ours, old}
	}
	t.trap, t.mask = false, trapMask{}
	return errors.Join(p.noticeEnd(err), p.recall(t))
}

// recall brings a thread whose signal was put off for a moment back to where
// it is about to get it.
func (p *Process) recall(t *thread) error {
	if len(t.held) == 0 || p.ended != nil {
		return nil
	}
	t.told = t.held[0].number
	if err := p.sendHeld(t); err != nil {
		return err
	}
	if err := p.noticeEnd(p.tracer.Cont(t.id, 0)); err != nil {
		return err
	}
	t.running = true
	for deadline := time.Now().Add(stopTimeout); t.running && p.ended == nil; {
		if err := p.awaitStop(deadline); err != nil {
			return err
		}
	}
	return nil
}

// restoreTrapHandler restores the handler of the process.
func (p *Process) restoreTrapHandler() error {
	if p.trapHandler == nil || p.ended != nil {
		return nil
	}
	t := p.quietThread()
	if t == nil {
		return nil
	}
	err := p.restoreTrapHandlerOf(t.id, p.memory)
	p.trapHandler = nil
	t.trap, t.mask = false, trapMask{}
	return p.noticeEnd(err)
}

// restoreTrapHandlerOf restores the handler in one process, unless it has changed it. The
// kernel sets it to 0 when a breakpoint is hit where SIGTRAP is blocked.
func (p *Process) restoreTrapHandlerOf(tid int, m *ptrace.Memory) error {
	now, err := p.exchange(tid, m, nil)
	if err != nil || now[0] != p.trapHandler.ours[0] && now[0] != 0 {
		return err
	}
	_, err = p.exchange(tid, m, &p.trapHandler.old)
	return err
}

// quietThread is a thread that can be made to do system calls. If there is only
// one that is about to get a signal, the signal is put off.
func (p *Process) quietThread() *thread {
	if t := p.idleThread(); t != nil {
		return t
	}
	t := p.threads[p.current]
	if t == nil || t.running || t.entered || t.vfork {
		return nil
	}
	p.hold(t)
	return t
}

// idleThread is a thread that system calls leave as it is: in no signal's stop
// and, if there is one, outside of system calls of its own.
func (p *Process) idleThread() *thread {
	var inside *thread
	for _, id := range p.ids() {
		t := p.threads[id]
		var r ptrace.Regs
		if t.running || t.entered || t.vfork || t.signal.number != 0 || p.tracer.Regs(id, &r) != nil {
			continue
		}
		if !r.InSyscall() {
			return t
		}
		inside = t
	}
	return inside
}

// exchange reads the action for SIGTRAP, and replaces it unless next is nil.
func (p *Process) exchange(tid int, m *ptrace.Memory, next *sigaction) (sigaction, error) {
	var old sigaction
	b := make([]byte, 2*sigactionSize)
	if next != nil {
		copy(b, next.bytes())
	}
	err := p.borrowStack(tid, m, b, func(at uint64) error {
		args := [6]uint64{uint64(unix.SIGTRAP), at, at + sigactionSize, 8}
		if next == nil {
			args[1] = 0
		}
		_, err := p.injectOnce(tid, unix.SYS_RT_SIGACTION, args)
		return err
	})
	for i := range old {
		old[i] = binary.LittleEndian.Uint64(b[sigactionSize+8*i:])
	}
	return old, err
}

// borrowStack puts b into memory that the process does not use while f runs,
// reads it back, and restores what was there.
func (p *Process) borrowStack(tid int, m *ptrace.Memory, b []byte, f func(at uint64) error) error {
	at, err := p.unused(tid, len(b))
	if err != nil {
		return err
	}
	saved := make([]byte, len(b))
	if _, err := m.Read(at, saved); err != nil {
		return err
	}
	if j := p.guard.Journal(); j != nil {
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

// unused finds n bytes: the far end of the main stack, or, if there is no such
// room, below the stack of a thread. Stacks of goroutines are small and have
// something else below them.
func (p *Process) unused(tid, n int) (uint64, error) {
	var r ptrace.Regs
	if err := p.tracer.Regs(tid, &r); err != nil {
		return 0, err
	}
	maps, err := p.readMaps()
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

// restorers are the ways to write rt_sigreturn that C libraries and Go use.
var restorers = [][]byte{
	{0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05}, // mov rax, 15; syscall
	{0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05},             // mov eax, 15; syscall
}

const retCode = 0xc3

// returning is an action whose handler returns at once. It runs on the
// thread's signal stack if that has one: stacks of Go have no room.
func (p *Process) returning() (sigaction, bool) {
	maps, err := p.readMaps()
	if err != nil {
		return sigaction{}, false
	}
	for _, m := range maps {
		if !m.Execute || !m.Read || m.Write {
			continue
		}
		code := make([]byte, min(m.End-m.Start, 256<<20))
		n, _ := p.memory.Read(m.Start, code)
		code = code[:n]
		ret := bytes.IndexByte(code, retCode)
		for _, pattern := range restorers {
			if at := bytes.Index(code, pattern); at >= 0 && ret >= 0 {
				return sigaction{m.Start + uint64(ret), handlerFlags, m.Start + uint64(at), 0}, true
			}
		}
	}
	return sigaction{}, false
}

// deliverTraps makes ready for a SIGTRAP that was sent to the process: it has
// to meet the process's own handler.
func (p *Process) deliverTraps() error {
	var errs error
	for _, id := range p.ids() {
		t := p.threads[id]
		if p.trapHandler == nil || t.signal.number != unix.SIGTRAP {
			continue
		}
		p.hold(t)
		errs = errors.Join(errs, p.restoreTrapHandler(), p.sendHeld(t))
		t.told = unix.SIGTRAP
	}
	return errs
}
