package history

import (
	"encoding/binary"
	"fmt"
	"log/slog"
	"syscall"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// A signalStack is the alternate signal stack of a thread, see sigaltstack(2).
type signalStack struct {
	known bool
	addr  uint64
	size  uint64 // 0 if there is none
}

// redZone is the size of the area that a function may use below its stack
// pointer (System V ABI, AMD64 supplement, 3.2.2); a signal's frame is below
// it.
const redZone = 128

// frameSlack is an upper limit for the size of a signal frame without the vector
// state.
const frameSlack = 2048

// A signalStacks knows where the frames of signals may be.
type signalStacks struct {
	recorder *Recorder
	target   Target
	log      *slog.Logger
	byThread map[int]signalStack // by id
}

// prepareSignal adds the memory that the delivery of a signal writes: the signal
// frame, on the ordinary or the alternate stack.
func (as *attempts) prepareSignal(a *attempt, regs *ptrace.Regs, sig syscall.Signal) {
	a.kind, a.number = Signalled, uint64(sig)
	a.differ, a.vector = true, true
	t := &as.recorder.view().threads[a.thread]
	if as.recorder.loadVectorState(t) != nil {
		as.prepareBarrier(a, "signal")
		return
	}
	n := uint64(len(t.vector)) + frameSlack + redZone
	a.frame = append(a.frame, x86.Span{Addr: regs.RSP - n, Len: n})
	s := as.signals.byThread[t.id]
	if !s.known {
		as.prepareBarrier(a, "signal")
	} else if s.size > 0 {
		k := min(n, s.size)
		a.frame = append(a.frame, x86.Span{Addr: s.addr + s.size - k, Len: k})
	}
	for _, f := range a.frame {
		a.spans = as.clip(a.spans, f)
	}
}

// checkFrame verifies that the signal frame is at one of the expected places. If
// not, it is unknown which memory was overwritten.
func (ss *signalStacks) checkFrame(a *attempt, regs *ptrace.Regs) {
	if a.before != nil || a.unrecordable != "" {
		return
	}
	const near = 1 << 12 // no handler was called: an instruction was done
	usual := a.frame[0]
	if d := regs.RSP - (usual.Addr + usual.Len); d < near {
		return
	}
	for _, f := range a.frame {
		if regs.RSP-f.Addr < f.Len {
			return
		}
	}
	a.unrecordable = fmt.Sprintf("the frame of signal %d is at %#x, which was not expected", a.number, regs.RSP)
}

// stackSize is the size of a stack_t: address, flags, size.
const stackSize = 24

// read reads the alternate signal stacks that are not known yet. It
// is called only when steps are about to be recorded, because it injects a
// system call: if this program is killed meanwhile, the process may be harmed.
func (ss *signalStacks) read() {
	threads := ss.recorder.view().threads
	for i := range threads {
		if t := &threads[i]; t.alive && !ss.byThread[t.id].known {
			ss.readOne(t.id, &t.regs)
		}
	}
}

// readOne injects sigaltstack(2) into a thread. The result is written
// below the thread's stack pointer, where the contents are restored afterwards.
func (ss *signalStacks) readOne(id int, regs *ptrace.Regs) {
	if regs.Restarts() {
		return
	}
	at := (regs.RSP - redZone - 2*stackSize) &^ 15
	var old [stackSize]byte
	if n, _ := ss.target.ReadMemory(at, old[:]); n != stackSize {
		return
	}
	if _, err := ss.target.Inject(id, callSigaltstack, 0, at); err == nil {
		ss.parseStackT(id, at)
	}
	if _, err := ss.target.WriteMemory(at, old[:]); err != nil {
		ss.log.Error("memory was not put back", "addr", at, "err", err)
	}
}

// parseStackT reads a stack_t.
func (ss *signalStacks) parseStackT(id int, addr uint64) {
	var b [stackSize]byte
	if addr == 0 {
		return // the call was a query
	}
	if n, _ := ss.target.ReadMemory(addr, b[:]); n != stackSize {
		delete(ss.byThread, id)
		return
	}
	const disabled = 2
	s := signalStack{known: true}
	if binary.LittleEndian.Uint32(b[8:])&disabled == 0 {
		s.addr, s.size = binary.LittleEndian.Uint64(b[:]), binary.LittleEndian.Uint64(b[16:])
	}
	ss.byThread[id] = s
}

func appendNumber(b []byte, n uint64) []byte { return binary.AppendUvarint(b, n) }
