package proc

import (
	"bytes"
	"encoding/binary"
	"errors"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/guard"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// A thread at a breakpoint or after a step is in the signal-delivery stop of
// SIGTRAP. If this program is killed then, the signal is delivered and ends the
// process. So while the process has breakpoints or is stepped, its SIGTRAP handler is
// that of the rescue code or, without rescue code, a return instruction. The original
// handler is restored by Detach, in children, and before a SIGTRAP is delivered that
// was sent to the process.

// traps holds the handler of SIGTRAP that the process has while it is debugged.
type traps struct {
	tracee    *tracee
	threads   *threads
	rescue    *rescue
	injection *injection

	handler *trapHandler // nil unless it is installed
	none    bool         // it cannot be installed
}

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

// trapHandler holds the actions for SIGTRAP: the installed one and the original.
type trapHandler struct {
	ours, old sigaction
}

// install replaces the handler of SIGTRAP. A launched program needs none,
// because it is killed with this one. A process without code that returns from a
// handler cannot have one.
func (th *traps) install() error {
	if th.tracee.launched || th.handler != nil || th.none {
		return nil
	}
	th.rescue.prepare()
	ours, ok := th.action()
	if !ok {
		th.none = true
		th.tracee.log.Debug("the process has no code that returns from a signal's handler")
		return nil
	}
	t := th.threads.forCalls()
	if t == nil {
		return nil
	}
	old, err := th.swapAction(t.id, th.tracee.memory, &ours)
	if th.rescue.address != 0 && old[0] == ours[0] {
		old = sigaction{} // left behind by a debugger that was killed
	}
	if err == nil {
		th.handler = &trapHandler{ours, old}
	}
	t.trap, t.mask = false, trapMask{}
	return errors.Join(th.tracee.checkEnded(err), th.injection.redeliverDeferred(t))
}

// restore restores the original handler of the process.
func (th *traps) restore() error {
	if th.handler == nil || th.tracee.ended != nil {
		return nil
	}
	t := th.threads.forCalls()
	if t == nil {
		return nil
	}
	err := th.restoreOf(t.id, th.tracee.memory, th.handler)
	th.handler = nil
	t.trap, t.mask = false, trapMask{}
	return th.tracee.checkEnded(err)
}

// restoreOf restores the handler that h replaced, in the process or a child, unless
// the program has changed it. The kernel resets it to 0 (SIG_DFL) when a breakpoint is
// hit while SIGTRAP is blocked.
func (th *traps) restoreOf(tid int, m *ptrace.Memory, h *trapHandler) error {
	now, err := th.swapAction(tid, m, nil)
	if err != nil || now[0] != h.ours[0] && now[0] != 0 {
		return err
	}
	_, err = th.swapAction(tid, m, &h.old)
	return err
}

// swapAction returns the action for SIGTRAP, and replaces it unless next is nil.
func (th *traps) swapAction(tid int, m *ptrace.Memory, next *sigaction) (sigaction, error) {
	var old sigaction
	b := make([]byte, 2*sigactionSize)
	if next != nil {
		copy(b, next.bytes())
	}
	err := th.injection.borrowStack(tid, m, b, func(at uint64) error {
		args := [6]uint64{uint64(unix.SIGTRAP), at, at + sigactionSize, 8}
		if next == nil {
			args[1] = 0
		}
		_, err := th.injection.once(tid, unix.SYS_RT_SIGACTION, args, nil)
		return err
	})
	for i := range old {
		old[i] = binary.LittleEndian.Uint64(b[sigactionSize+8*i:])
	}
	return old, err
}

// restorers are the encodings of rt_sigreturn in C libraries and Go.
var restorers = [][]byte{
	{0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05}, // mov rax, 15; syscall
	{0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05},             // mov eax, 15; syscall
}

const retCode = 0xc3

// returnAction returns an action whose handler is a return instruction of the
// process, and false if there is no code for it.
func (th *traps) returnAction() (sigaction, bool) {
	maps, err := th.tracee.readMaps()
	if err != nil {
		return sigaction{}, false
	}
	for _, m := range maps {
		if !m.Execute || !m.Read || m.Write {
			continue
		}
		code := make([]byte, min(m.End-m.Start, 256<<20))
		n, _ := th.tracee.memory.Read(m.Start, code)
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

// deliver restores the original handler before a SIGTRAP is delivered that was
// sent to the process.
func (th *traps) deliver() error {
	var errs error
	for _, id := range th.threads.ids() {
		t := th.threads.byID[id]
		if th.handler == nil || t.signal.number != unix.SIGTRAP {
			continue
		}
		th.threads.deferSignal(t)
		errs = errors.Join(errs, th.restore(), th.injection.sendDeferred(t))
		t.reportedSignal = unix.SIGTRAP
	}
	return errs
}

// action returns the action for SIGTRAP that lets the process survive if this
// program is killed.
func (th *traps) action() (sigaction, bool) {
	if th.rescue.address == 0 {
		return th.returnAction()
	}
	// All other signals are blocked in the handler. A nested handler could block
	// SIGTRAP, and an int3 ends a process that blocks it.
	const noDefer = 0x40000000 // SA_NODEFER
	return sigaction{th.rescue.address + guard.RescueHandler, handlerFlags | noDefer, th.rescue.address + guard.RescueReturn, ^uint64(trapBit)}, true
}

// handlerFlags are SA_RESTORER, SA_ONSTACK, SA_RESTART and SA_SIGINFO. The handler
// uses the alternate signal stack, because stacks of goroutines may have no room.
const handlerFlags = 0x04000000 | 0x08000000 | 0x10000000 | 4
