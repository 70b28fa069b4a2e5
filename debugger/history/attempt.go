package history

import (
	"encoding/binary"
	"errors"
	"fmt"
	"syscall"

	"github.com/triptych-mcp/triptych/debugger/kernel"
	"github.com/triptych-mcp/triptych/debugger/proc"
	"github.com/triptych-mcp/triptych/debugger/ptrace"
	"github.com/triptych-mcp/triptych/debugger/x86"
)

// An attempt is a step that is about to be made, with what it may overwrite.
type attempt struct {
	thread int // in the table of threads
	kind   Kind
	number uint64     // of the system call or signal
	spans  []x86.Span // memory that may be written
	old    []byte     // what is there, one after the other
	differ bool       // record only what has changed of it
	vector bool       // the vector state may change
	frame  []x86.Span // where the frame of a signal may be
	effect kernel.Effect
	call   kernel.Call
	before *snapshot  // of everything, if it is not known what is written
	gone   proc.Maps  // mappings that the step has changed: as they were
	come   proc.Maps  // and as they are
	filled []x86.Span // of those, what is not zero as new memory is
	lost   string     // why the step cannot be recorded, or ""
}

// record makes a step of the thread that the stepper has, and its record.
//
//	record
//	├─ prepare            what may be written, and what is there
//	│  ├─ prepareCall     of a system call
//	│  ├─ prepareSignal   of the delivery of a signal
//	│  └─ save
//	├─ Stepper.Step
//	└─ finish             what has changed
//	   ├─ memory, vectors
//	   └─ extras          mappings, threads
func (r *Recorder) record(s Stepper) (proc.Outcome, error) {
	a := r.pending[s.Thread()]
	if a == nil {
		a = &r.fast
		if err := r.prepare(s, a); err != nil {
			return 0, err
		}
		if r.ends(a.effect) && r.exiting != r.history.End()+1 {
			r.exiting = r.history.End() + 1
			return stepExiting, nil
		}
	}
	outcome, err := s.Step()
	if err != nil {
		return 0, err
	}
	switch outcome {
	case proc.StepDone:
		delete(r.pending, s.Thread())
		return outcome, r.finish(s, a)
	case proc.StepBlocked:
		r.keep(s.Thread(), a)
	case proc.StepGone:
		delete(r.pending, s.Thread())
		return outcome, r.finishThread(a)
	case proc.StepSignal:
		delete(r.pending, s.Thread())
	}
	return outcome, nil
}

// stepExiting is the outcome of a step that was not made yet, because the
// process will be gone after it, and its history with it.
const stepExiting proc.Outcome = 100

// keep puts an attempt by until its system call ends.
func (r *Recorder) keep(id int, a *attempt) {
	if a == &r.fast {
		kept := r.fast
		r.fast = attempt{}
		r.pending[id] = &kept
	}
}

// prepare finds out what a step may change.
func (r *Recorder) prepare(s Stepper, a *attempt) error {
	*a = attempt{spans: a.spans[:0], old: a.old[:0], frame: a.frame[:0]}
	regs, err := s.Regs()
	if err != nil {
		return err
	}
	if r.index(s.Thread()) < 0 {
		r.meet(s.Thread(), regs)
	}
	a.thread = r.index(s.Thread())
	if sig := s.Signal(); sig != 0 {
		r.prepareSignal(a, regs, sig)
	}
	if err := r.prepareInstruction(a, regs); err != nil {
		return err
	}
	if a.vector {
		if err := r.learn(&r.view().threads[a.thread]); err != nil {
			return err
		}
	}
	return r.save(a)
}

// prepareInstruction adds what the instruction itself may change.
func (r *Recorder) prepareInstruction(a *attempt, regs *ptrace.Regs) error {
	if inSyscall(regs) {
		r.prepareCall(a, regs, regs.OrigRAX)
		return nil
	}
	in := r.code.at(regs.RIP)
	switch {
	case in.Class.Is(x86.Syscall):
		r.prepareCall(a, regs, regs.RAX)
	case in.Class.Is(x86.Barrier):
		a.vector = true
		r.prepareBarrier(a, in.Name())
	case in.Class.Is(x86.Store):
		if err := r.learn(&r.view().threads[a.thread]); err != nil { // for the length of xsave
			return err
		}
		addressing(regs, &r.addr)
		a.spans = in.Writes(a.spans, &r.addr, x86.OneIteration)
	}
	if in.Class.Is(x86.PopFlags) {
		r.popping(r.view().threads[a.thread].id, regs)
	}
	a.vector = a.vector || in.Class.Is(x86.FP)
	return nil
}

// prepareBarrier copies all memory that the process can write.
func (r *Recorder) prepareBarrier(a *attempt, what string) {
	var err error
	if a.before != nil || a.lost != "" {
		return
	}
	if a.before, err = r.snapshot(); err != nil {
		a.lost = fmt.Sprintf("%s: %v", what, err)
	}
}

// save reads what may be overwritten. Memory that cannot be read is zero: a
// stack may be about to grow.
func (r *Recorder) save(a *attempt) error {
	total := 0
	for _, s := range a.spans {
		total += int(s.Len)
	}
	if total > r.options.MaxSnapshot {
		a.lost, a.spans = fmt.Sprintf("%d bytes may be overwritten at once", total), a.spans[:0]
		return nil
	}
	a.old = grow(a.old, total)
	at := 0
	for _, s := range a.spans {
		if err := r.fill(s.Addr, a.old[at:at+int(s.Len)]); err != nil {
			return err
		}
		at += int(s.Len)
	}
	return nil
}

// fill reads memory; what cannot be read is zero.
func (r *Recorder) fill(addr uint64, b []byte) error {
	n, err := r.target.ReadMemory(addr, b)
	if err == nil || isAccess(err) {
		for n < len(b) { // page by page past what is not there
			clear(b[n:])
			skip := int(pageSize - (addr+uint64(n))%pageSize)
			if n+skip >= len(b) {
				break
			}
			n += skip
			k, err := r.target.ReadMemory(addr+uint64(n), b[n:])
			if n += k; err != nil && !isAccess(err) {
				return err
			}
		}
		return nil
	}
	return err
}

// isAccess says whether an error is about memory that is not there.
func isAccess(err error) bool {
	_, ok := errors.AsType[*ptrace.AccessError](err)
	return ok && !errors.Is(err, syscall.ESRCH)
}

// grow returns a slice of n bytes, b if it is long enough.
func grow(b []byte, n int) []byte {
	if cap(b) < n {
		return make([]byte, n)
	}
	return b[:n]
}

// finish makes the record of a step that is done.
func (r *Recorder) finish(s Stepper, a *attempt) error {
	stopped, err := s.Regs()
	if err != nil {
		return err
	}
	shown := r.shown(s.Thread(), stopped)
	regs := &shown
	t := &r.view().threads[a.thread]
	h := head{kind: a.kind, thread: a.thread}
	r.buf = appendRegs(appendHead(r.buf[:0], h), &t.regs, regs)
	parts, err := r.finishParts(a, t, regs)
	if err != nil {
		return err
	}
	r.buf[0] |= parts
	t = &r.view().threads[a.thread] // the table may have grown
	t.regs = *regs
	r.view().current = a.thread
	r.history.append(r.buf)
	if a.lost != "" {
		r.restart(a.lost)
	}
	return nil
}

// finishParts appends the parts behind the registers and says which they are.
func (r *Recorder) finishParts(a *attempt, t *thread, regs *ptrace.Regs) (parts byte, err error) {
	if a.effect.Maps || a.before != nil {
		if err := r.remap(a); err != nil {
			return 0, err
		}
	}
	n, err := r.appendMemory(a)
	if err != nil {
		return 0, err
	}
	if n > 0 {
		parts |= partMemory
	}
	if a.vector {
		n, err := r.appendVectors(t)
		if err != nil {
			return 0, err
		}
		if n > 0 {
			parts |= partVector
		}
	}
	if a.kind != Stepped || a.before != nil {
		n, err := r.appendExtras(a, regs)
		if err != nil {
			return 0, err
		}
		if n > 0 {
			parts |= partExtra
		}
	}
	return parts, nil
}

// appendMemory appends what was overwritten and returns how many pieces that
// is. Nothing is appended when there are none.
func (r *Recorder) appendMemory(a *attempt) (int, error) {
	at := len(r.buf)
	n := 0
	if !a.differ && a.before == nil {
		if len(a.spans) == 0 {
			return 0, nil
		}
		r.buf = binary.AppendUvarint(r.buf, uint64(len(a.spans)))
		old := a.old
		for _, s := range a.spans {
			r.buf = appendSpan(r.buf, s.Addr, old[:s.Len])
			old = old[s.Len:]
			r.wrote(s.Addr, s.Len)
		}
		return len(a.spans), nil
	}
	keep := func(addr uint64, old []byte) {
		r.buf = appendSpan(r.buf, addr, old)
		r.wrote(addr, uint64(len(old)))
		n++
	}
	if err := errors.Join(r.differences(a, keep), r.appendFilled(a, keep)); err != nil {
		return 0, err
	}
	if n > 0 {
		r.buf = insertCount(r.buf, at, n)
	}
	return n, nil
}

// differences calls keep for each piece of what was saved that has changed.
func (r *Recorder) differences(a *attempt, keep func(uint64, []byte)) error {
	if a.before != nil {
		return r.compare(a.before, keep)
	}
	old := a.old
	for _, s := range a.spans {
		if err := r.comparePages(s.Addr, old[:s.Len], keep); err != nil {
			return err
		}
		old = old[s.Len:]
	}
	return nil
}

// appendVectors appends how the vector state has changed, if it has.
func (r *Recorder) appendVectors(t *thread) (int, error) {
	now, err := r.target.XState(t.id, r.vector)
	if err != nil {
		return 0, err
	}
	r.vector = now
	at := len(r.buf)
	b, n := appendVector(r.buf, t.vector, now)
	if r.buf = b; n == 0 {
		r.buf = r.buf[:at]
		return 0, nil
	}
	t.vector = append(t.vector[:0], now...)
	return n, nil
}
