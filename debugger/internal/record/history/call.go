package history

import (
	"fmt"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/syscalls"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
	"github.com/triptych-mcp/triptych/debugger/internal/record/memdiff"
)

// Numbers of system calls that need special treatment.
const (
	callMmap        = 9
	callBrk         = 12
	callSigaltstack = 131
	callArchPrctl   = 158
	callRseq        = 334
)

// threadBlock is the number of bytes of the thread control block that are saved
// when a thread ends: the kernel clears the thread id there (CLONE_CHILD_CLEARTID)
// and walks the list of robust futexes.
const threadBlock = 0x900

// prepareCall adds what a system call may change.
func (as *attempts) prepareCall(a *attempt, regs *ptrace.Regs, number uint64) {
	if a.kind != Signalled {
		a.kind, a.number = Called, number
	}
	a.differ = true
	a.call = syscalls.Call{Number: number, Args: [6]uint64{regs.RDI, regs.RSI, regs.RDX, regs.R10, regs.R8, regs.R9}}
	a.effect = syscalls.Of(a.call, func(addr uint64, b []byte) bool {
		n, _ := as.target.ReadMemory(addr, b)
		return n == len(b)
	})
	a.vector = a.vector || a.effect.Vector || a.effect.ThreadEnds // that of a thread that has ended cannot be read
	if a.effect.Unknown {
		as.prepareBarrier(a, fmt.Sprintf("system call %d", number))
		return
	}
	for _, s := range a.effect.Writes {
		a.spans = as.clip(a.spans, s)
	}
	switch {
	case number == callBrk:
		a.spans = as.clip(a.spans, as.shrunk(a.call.Args[0]))
	case a.effect.ThreadEnds && regs.FSBase != 0:
		a.spans = as.clip(a.spans, x86.Span{Addr: regs.FSBase, Len: threadBlock})
	}
}

// clip appends the mapped parts of a range.
func (as *attempts) clip(dst []x86.Span, s x86.Span) []x86.Span {
	s.Len = min(s.Len, 1<<63-min(s.Addr, 1<<63))
	for _, m := range as.recorder.view().maps {
		start := m.Start
		if m.Path == "[stack]" {
			start -= stackGrowth
		}
		if low, high, ok := memdiff.Overlap(s, x86.Span{Addr: start, Len: m.End - start}); ok {
			dst = append(dst, x86.Span{Addr: low, Len: high - low})
		}
	}
	return dst
}

// shrunk returns the memory that brk(2) releases. The heap may consist of
// several adjacent mappings.
func (as *attempts) shrunk(end uint64) x86.Span {
	top := end
	for _, m := range as.recorder.view().maps {
		if m.Path == "[heap]" && m.Contains(top) {
			top = m.End
		}
	}
	return x86.Span{Addr: end, Len: top - end}
}

// appendExtras appends the number of the system call or signal and the changes
// of mappings and threads.
func (rw *recordWriter) appendExtras(a *attempt, regs *ptrace.Regs) (int, error) {
	at, n := len(rw.buf), 0
	if a.kind == Called || a.kind == Signalled {
		rw.buf = appendExtra(rw.buf, extraNumber, appendNumber(nil, a.number))
		n++
	}
	if a.switches {
		rw.buf = appendExtra(rw.buf, extraSwitch, appendNumber(nil, uint64(rw.recorder.view().current)))
		n++
	}
	if len(a.removed)+len(a.added) > 0 {
		rw.buf = appendExtra(rw.buf, extraMaps, appendMaps(appendMaps(nil, a.removed), a.added))
		n++
	}
	if a.effect.Threads || a.before != nil {
		k, err := rw.appendThreads()
		if n += k; err != nil {
			return 0, err
		}
	}
	rw.recorder.updateKernelState(a, regs)
	if n > 0 {
		rw.buf = insertCount(rw.buf, at, n)
	}
	return n, nil
}

// updateKernelState follows changes of the signal stack and the rseq area.
func (r *Recorder) updateKernelState(a *attempt, regs *ptrace.Regs) {
	done := a.kind == Called && regs.RAX == 0
	switch {
	case a.input:
	case a.kind == Signalled:
		r.signals.checkFrame(a, regs)
	case done && a.number == callSigaltstack:
		r.signals.parseStackT(r.view().threads[a.thread].id, a.call.Args[0])
	case done && a.number == callArchPrctl:
		r.checkShadowStack()
	case done && a.number == callRseq:
		r.memory.Rseq = append(r.memory.Rseq, x86.Span{Addr: a.call.Args[0], Len: a.call.Args[1]})
	}
}

// appendThreads appends the new threads. A thread that is not yet at its first
// stop is added when it steps.
func (rw *recordWriter) appendThreads() (int, error) {
	infos, err := rw.target.Threads()
	if err != nil {
		return 0, err
	}
	n := 0
	for _, info := range infos {
		if rw.recorder.index(info.ID) >= 0 {
			continue
		}
		regs, err := rw.target.Regs(info.ID)
		if err != nil {
			continue
		}
		rw.buf = rw.appendThread(rw.buf, info.ID, regs)
		n++
	}
	return n, nil
}

// appendThread appends the creation of a thread.
func (rw *recordWriter) appendThread(b []byte, id int, regs ptrace.Regs) []byte {
	v := rw.recorder.view()
	v.threads = append(v.threads, thread{id: id, alive: true, regs: regs})
	rw.signals.byThread[id] = signalStack{known: true} // a new thread has no alternate stack, see sigaltstack(2)
	return appendExtra(b, extraThread, appendNumber(nil, uint64(len(v.threads)-1)))
}

// newThread appends a record that adds a thread to the table.
func (rw *recordWriter) newThread(id int, regs *ptrace.Regs) {
	var none ptrace.Regs
	h := head{kind: Changed, parts: partExtra, thread: rw.recorder.view().current}
	rw.buf = appendRegs(appendHead(rw.buf[:0], h), &none, &none)
	rw.buf = rw.appendThread(appendNumber(rw.buf, 1), id, *regs)
	rw.history.append(rw.buf)
}

// finishThread appends the record of a thread's end.
func (rw *recordWriter) finishThread(a *attempt) error {
	t := &rw.recorder.view().threads[a.thread]
	rw.buf = appendRegs(appendHead(rw.buf[:0], head{kind: Ended, thread: a.thread}), &t.regs, &t.regs)
	n, err := rw.appendMemory(a)
	if err != nil {
		return err
	}
	if n > 0 {
		rw.buf[0] |= partMemory
	}
	rw.buf[0] |= partExtra
	rw.buf = appendNumber(rw.buf, 1)
	rw.buf = appendExtra(rw.buf, extraThread, appendNumber(nil, uint64(a.thread)))
	t.alive = false
	rw.history.append(rw.buf)
	return nil
}

// endsProcess reports whether a system call would end the process.
func (as *attempts) endsProcess(e syscalls.Effect) bool {
	if !e.ThreadEnds {
		return e.Ends
	}
	infos, err := as.target.Threads()
	return err == nil && len(infos) == 1
}
