package recording

import (
	"encoding/binary"
	"errors"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/inplace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
)

// An eventLog is the recording of a program while it is written, and what a replay of it has so
// far: its position, and the registers of its threads. It needs no lock: only the recorder uses it.
type eventLog struct {
	out *recfile.Writer
	run *inplace.Runner // of the program, or nil between two of them

	base     uint64 // positions before this image
	recorded uint64 // position up to which everything is recorded
	extra    uint64 // positions in this image that the Runner does not count: signals and switches

	current *thread // the current one of the Runner
	threads map[int]*thread
	shown   int // the current thread of a replay, so far
}

// A thread is a thread of the recorded program.
type thread struct {
	regs    ptrace.Regs // while another one is the current one: those that a replay has
	after   ptrace.Regs // registers that a replay has, if waiting
	waiting bool        // the last system call was interrupted, see Event.Immediate
	call    *call       // that has not returned, or nil
	handled bool        // it has handled a signal, and has made no system call on a futex since
	clear   uint64      // address of the thread id that the kernel clears at its end, or 0

	postponedTo uint64 // position at which a signal is delivered that was postponed, or 0
	sentAt      uint64 // position after its last system call that may have sent it a signal
}

// position returns the number of instructions and signals so far.
func (l *eventLog) position() uint64 {
	if l.run == nil {
		return l.base
	}
	return l.positionAfter(l.run.Executed())
}

// positionAfter returns the position after a number of instructions of the Runner, as long as
// no other event is added.
func (l *eventLog) positionAfter(executed int64) uint64 { return l.base + uint64(executed) + l.extra }

// event returns an event at the current position.
func (l *eventLog) event(kind recfile.Kind) recfile.Event {
	before := l.run.Regs
	if l.current.waiting {
		before = l.current.after
	}
	return recfile.Event{Kind: kind, Position: l.position(), Immediate: l.current.waiting, Hash: recfile.HashRegisters(&before)}
}

// add adds an event that has led to the registers of the Runner.
func (l *eventLog) add(e *recfile.Event, before ptrace.Regs) error {
	if e.Immediate {
		before = l.current.after
	}
	e.Registers = recfile.ChangedRegisters(&before, &l.run.Regs)
	l.current.waiting, l.current.after = l.run.Regs.Restarts(), l.run.Regs
	l.recorded = l.position()
	l.noteWritten(e.Writes)
	return l.out.Add(e)
}

// show records the switch to the current thread, at a position, unless the recording
// shows it already.
func (l *eventLog) show(position uint64) error {
	tid := l.run.Thread()
	if l.shown == tid {
		return nil
	}
	e := recfile.Event{Kind: recfile.Switch, Position: position, Number: uint64(tid)}
	if from := l.threads[l.shown]; from != nil {
		if e.Immediate = from.waiting; !e.Immediate {
			e.Hash = recfile.HashRegisters(&from.regs)
		}
	}
	l.shown = tid
	l.extra++
	l.recorded = position + 1
	return l.out.Add(&e)
}

// immediate reports whether the next event is one before which no instruction can run.
func (l *eventLog) immediate() bool {
	t := l.threads[l.shown]
	return t != nil && t.waiting
}

// switchTo makes a thread the current one of the Runner.
func (l *eventLog) switchTo(tid int) error {
	from := l.current
	if tid == l.run.Thread() {
		return nil
	}
	switch {
	case from.call != nil:
		from.regs = from.call.regs
	case !from.waiting:
		l.run.ClearDeadFlags() // as a replay does
		fallthrough
	default:
		from.regs = l.run.Regs
	}
	if err := l.run.Switch(tid); err != nil {
		return err
	}
	l.current = l.threads[tid]
	return nil
}

// atRest reports whether all threads are stopped outside of the kernel, with registers that
// a replay has.
func (l *eventLog) atRest() bool {
	if l.run == nil || l.current.waiting || l.shown != l.run.Thread() || l.current.call != nil {
		return false
	}
	return !slices.ContainsFunc(l.run.Threads(), func(tid int) bool { return l.run.Waits(tid) || l.threads[tid] == nil })
}

// noteWritten notes what an input has written, so that it is not taken for an effect of the
// calls that wait, nor written back when they are withdrawn.
func (l *eventLog) noteWritten(writes []recfile.Write) {
	for _, t := range l.threads {
		if t.call == nil {
			continue
		}
		for _, w := range writes {
			if t.call.all != nil {
				t.call.all.apply(w)
			}
			if t == l.current {
				continue // what exchange writes is only for the kernel
			}
			for _, old := range t.call.changed {
				overlay(old, w)
			}
		}
	}
}

// put writes memory that a replay need not know. What is not there is left out.
func (l *eventLog) put(w recfile.Write) error {
	_, err := l.run.Memory().Write(w.Address, w.Data)
	if errors.As(err, new(*ptrace.AccessError)) {
		return nil
	}
	l.noteWritten([]recfile.Write{w})
	return err
}

// deadlocked reports whether all threads wait without a timeout for private futexes, or for each
// other's ends.
func (l *eventLog) deadlocked() bool {
	for _, t := range l.threads {
		if t.call == nil || !parks(&t.call.regs) && !l.joins(&t.call.regs) {
			return false
		}
	}
	return true
}

// joins reports whether a system call waits without a timeout for the end of a thread: for the
// futex that the kernel wakes then.
func (l *eventLog) joins(g *ptrace.Regs) bool {
	if op := g.RSI & futexOperation; g.RAX != unix.SYS_FUTEX || op != futexWait && op != futexWaitBitset || g.R10 != 0 {
		return false
	}
	for _, t := range l.threads {
		if t.clear != 0 && t.clear == g.RDI {
			return true
		}
	}
	return false
}

// maxRobust limits the futexes of a thread that the kernel marks when it ends.
const maxRobust = 2048

// clearedAtEnd returns the addresses of words that the kernel may write at the end of the
// current thread: its id, and its robust futexes, see get_robust_list(2).
func (l *eventLog) clearedAtEnd() []uint64 {
	var list []uint64
	if l.current.clear != 0 {
		list = append(list, l.current.clear)
	}
	var head, length uint64
	if _, _, errno := unix.Syscall(unix.SYS_GET_ROBUST_LIST, uintptr(l.run.Thread()),
		uintptr(unsafe.Pointer(&head)), uintptr(unsafe.Pointer(&length))); errno != 0 || head == 0 {
		return list
	}
	word := func(at uint64) uint64 {
		var b [8]byte
		_, _ = l.run.Memory().Read(at, b[:])
		return binary.LittleEndian.Uint64(b[:])
	}
	offset := word(head + 8)
	if pending := word(head+16) &^ 1; pending != 0 {
		list = append(list, pending+offset)
	}
	for at := word(head) &^ 1; at != head && at != 0 && len(list) < maxRobust; at = word(at) &^ 1 {
		list = append(list, at+offset)
	}
	return list
}

// parked reports whether a thread is parked.
func (l *eventLog) parked(tid int) bool {
	t := l.threads[tid]
	return t != nil && t.call != nil && !t.call.parked.IsZero()
}
