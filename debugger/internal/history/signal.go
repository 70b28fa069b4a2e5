package history

import (
	"encoding/binary"
	"fmt"
	"syscall"

	"github.com/triptych-mcp/triptych/debugger/internal/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/x86"
)

// A stack is one that a thread has for its signals.
type stack struct {
	known bool
	addr  uint64
	size  uint64 // 0: none
}

// redZone is the size of the area that a function may use below its stack
// pointer (System V ABI, AMD64 supplement, 3.2.2); a signal's frame is below
// it.
const redZone = 128

// frameSlack is more than a signal's frame has beside the vector state.
const frameSlack = 2048

// prepareSignal adds what the delivery of a signal writes: the frame of its
// handler, on one of two stacks.
func (r *Recorder) prepareSignal(a *attempt, regs *ptrace.Regs, sig syscall.Signal) {
	a.kind, a.number = Signalled, uint64(sig)
	a.differ, a.vector = true, true
	t := &r.view().threads[a.thread]
	if r.learn(t) != nil {
		r.prepareBarrier(a, "signal")
		return
	}
	n := uint64(len(t.vector)) + frameSlack + redZone
	a.frame = append(a.frame, x86.Span{Addr: regs.RSP - n, Len: n})
	s := r.stacks[t.id]
	if !s.known {
		r.prepareBarrier(a, "signal")
	} else if s.size > 0 {
		k := min(n, s.size)
		a.frame = append(a.frame, x86.Span{Addr: s.addr + s.size - k, Len: k})
	}
	for _, f := range a.frame {
		a.spans = r.clip(a.spans, f)
	}
}

// checkFrame verifies that the frame is at the expected address. If it is not,
// the memory that it has overwritten is unknown.
func (r *Recorder) checkFrame(a *attempt, regs *ptrace.Regs) {
	if a.before != nil || a.lost != "" {
		return
	}
	const near = 1 << 12 // no handler: an instruction was done
	usual := a.frame[0]
	if d := regs.RSP - (usual.Addr + usual.Len); d < near {
		return
	}
	for _, f := range a.frame {
		if regs.RSP-f.Addr < f.Len {
			return
		}
	}
	a.lost = fmt.Sprintf("the frame of signal %d is at %#x, which was not expected", a.number, regs.RSP)
}

// stackSize is that of a stack_t: address, flags, size.
const stackSize = 24

// learnStacks asks the threads of which it is not known for their stacks for
// signals. That is not done before there are steps to record: if this program is
// killed while a thread is asked, the process bears it badly.
func (r *Recorder) learnStacks() {
	threads := r.view().threads
	for i := range threads {
		if t := &threads[i]; t.alive && !r.stacks[t.id].known {
			r.learnStack(t.id, &t.regs)
		}
	}
}

// learnStack asks a thread for its stack for signals. The call needs a little
// of its ordinary stack, which is put back.
func (r *Recorder) learnStack(id int, regs *ptrace.Regs) {
	if inSyscall(regs) {
		return
	}
	at := (regs.RSP - redZone - 2*stackSize) &^ 15
	var old [stackSize]byte
	if n, _ := r.target.ReadMemory(at, old[:]); n != stackSize {
		return
	}
	if _, err := r.target.Inject(id, callSigaltstack, 0, at); err == nil {
		r.readStack(id, at)
	}
	if _, err := r.target.WriteMemory(at, old[:]); err != nil {
		r.log.Error("memory was not put back", "addr", at, "err", err)
	}
}

// readStack reads a stack_t.
func (r *Recorder) readStack(id int, addr uint64) {
	var b [stackSize]byte
	if addr == 0 {
		return // only asked
	}
	if n, _ := r.target.ReadMemory(addr, b[:]); n != stackSize {
		delete(r.stacks, id)
		return
	}
	const disabled = 2
	s := stack{known: true}
	if binary.LittleEndian.Uint32(b[8:])&disabled == 0 {
		s.addr, s.size = binary.LittleEndian.Uint64(b[:]), binary.LittleEndian.Uint64(b[16:])
	}
	r.stacks[id] = s
}

func appendNumber(b []byte, n uint64) []byte { return binary.AppendUvarint(b, n) }
