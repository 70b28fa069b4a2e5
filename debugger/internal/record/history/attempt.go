package history

import (
	"fmt"
	"slices"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/syscalls"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
	"github.com/triptych-mcp/triptych/debugger/internal/record/memdiff"
)

// An attempt is a single step about to be made, with the memory that it may
// overwrite.
type attempt struct {
	thread       int // index in the table of threads
	kind         Kind
	number       uint64     // of the system call or signal
	spans        []x86.Span // memory that may be written
	old          []byte     // its contents, concatenated
	absent       bool       // some of it is not mapped
	differ       bool       // record only the differences, behind the first bytes
	written      uint64     // number of those, which the call has written even if they are equal
	vector       bool       // the vector state may change
	frame        []x86.Span // where the signal frame may be
	effect       syscalls.Effect
	call         syscalls.Call
	before       *memdiff.Snapshot // of all memory, if it is unknown what is written
	removed      procfs.Maps       // mappings that the step removed or changed: before
	added        procfs.Maps       // and after the step
	filled       []x86.Span        // the parts of them that may not read as zero
	input        bool              // everything is known from an Input
	switches     bool              // only the current thread changes
	unrecordable string            // why the step cannot be recorded, or ""
}

// An attempts says what steps may change, and keeps what is known about steps that take long.
type attempts struct {
	recorder *Recorder
	target   Target
	options  Options
	memory   *memdiff.Copies
	signals  *signalStacks
	records  *recordWriter

	pending   map[int]*attempt // of threads that are in a system call, by id
	returning map[int]bool     // threads whose last step was a system call or signal, by id
	reusable  attempt          // of the thread that steps now
	oldTaken  int              // bytes that were taken from the room for the contents in attempts
}

// record single-steps the stepper's thread and appends the record.
//
//	record
//	├─ prepare            memory that may be written
//	│  ├─ prepareCall     by a system call
//	│  ├─ prepareSignal   by the delivery of a signal
//	│  └─ save            its contents
//	├─ Stepper.Step
//	└─ finish             the differences
//	   ├─ appendMemory, appendVectors
//	   └─ appendExtras    mappings, threads
func (r *Recorder) record(s Stepper) (proc.Outcome, error) {
	a := r.attempts.pending[s.Thread()]
	if a == nil {
		a = &r.attempts.reusable
		if err := r.attempts.prepare(s, a); err != nil {
			return 0, err
		}
		if r.attempts.endsProcess(a.effect) && r.exiting != r.history.End()+1 {
			r.exiting = r.history.End() + 1
			return stepExiting, nil
		}
	}
	outcome, err := s.Step()
	if err != nil {
		return 0, err
	}
	delete(r.attempts.returning, s.Thread())
	switch outcome {
	case proc.StepDone:
		r.attempts.drop(s.Thread())
		if a.kind != Stepped {
			r.attempts.returning[s.Thread()] = true
		}
		return outcome, r.records.finish(s, a)
	case proc.StepBlocked:
		r.attempts.hold(s.Thread(), a)
	case proc.StepGone:
		r.attempts.drop(s.Thread())
		return outcome, r.records.finishThread(a)
	case proc.StepSignal:
		r.attempts.drop(s.Thread())
	}
	return outcome, nil
}

// stepExiting is the outcome of a step that was not made because it would end
// the process, and with it the history.
const stepExiting proc.Outcome = 100

// hold stores an attempt until its system call ends.
func (as *attempts) hold(id int, a *attempt) {
	if a == &as.reusable {
		kept := as.reusable
		as.reusable = attempt{}
		as.pending[id] = &kept
		as.recorder.invalidatePages()
	}
}

// drop removes the stored attempt of a thread, if there is one.
func (as *attempts) drop(id int) {
	if as.pending[id] != nil {
		delete(as.pending, id)
		as.recorder.invalidatePages()
	}
}

// invalidatePages makes the interpreter load its pages again, because the set of
// buffers of blocked system calls has changed.
func (r *Recorder) invalidatePages() {
	if r.interpreter != nil {
		r.interpreter.dropPages()
	}
}

// prepare determines what a step may change.
func (as *attempts) prepare(s Stepper, a *attempt) error {
	*a = attempt{spans: a.spans[:0], old: a.old[:0], frame: a.frame[:0]}
	regs, err := s.Regs()
	if err != nil {
		return err
	}
	if as.recorder.index(s.Thread()) < 0 {
		as.records.newThread(s.Thread(), regs)
	}
	a.thread = as.recorder.index(s.Thread())
	if err := as.prepareStep(s, a, regs); err != nil {
		return err
	}
	if a.vector {
		if err := as.recorder.loadVectorState(&as.recorder.view().threads[a.thread]); err != nil {
			return err
		}
	}
	return as.save(a)
}

// prepareStep adds what the next step may change.
func (as *attempts) prepareStep(s Stepper, a *attempt, regs *ptrace.Regs) error {
	if known, ok := s.(InputStepper); ok {
		if in, ok := known.Input(); ok {
			as.prepareInput(a, &in)
			return nil
		}
	}
	if sig := s.Signal(); sig != 0 {
		as.prepareSignal(a, regs, sig)
	}
	return as.prepareInstruction(a, regs)
}

// prepareInstruction adds what the instruction itself may change.
func (as *attempts) prepareInstruction(a *attempt, regs *ptrace.Regs) error {
	if regs.Restarts() {
		as.prepareCall(a, regs, regs.OrigRAX)
		return nil
	}
	in := as.recorder.code.at(regs.RIP)
	switch {
	case in.Class.Is(x86.Syscall):
		as.prepareCall(a, regs, regs.RAX)
	case in.Class.Is(x86.Barrier):
		a.vector = true
		as.prepareBarrier(a, in.Name())
	case in.Class.Is(x86.Store):
		if err := as.recorder.loadVectorState(&as.recorder.view().threads[a.thread]); err != nil { // for the length of xsave
			return err
		}
		Addressing(regs, &as.recorder.addr)
		a.spans = in.Writes(a.spans, &as.recorder.addr, x86.RepeatMode(as.options.WholeRepeats))
	}
	a.vector = a.vector || in.Class.Is(x86.FP)
	return nil
}

// prepareBarrier takes a snapshot, because it is unknown what the step writes.
func (as *attempts) prepareBarrier(a *attempt, what string) {
	var err error
	if a.before != nil || a.unrecordable != "" {
		return
	}
	if a.before, err = as.memory.Snapshot(); err != nil {
		a.unrecordable = fmt.Sprintf("%s: %v", what, err)
	}
}

// save reads the contents of the spans. Memory that cannot be read counts as
// zero, because a stack may be about to grow; see [Recorder.dropAbsent].
func (as *attempts) save(a *attempt) error {
	total := 0
	for _, s := range a.spans {
		total += int(s.Len)
	}
	if total > as.options.MaxSnapshot {
		a.unrecordable, a.spans = fmt.Sprintf("%d bytes may be overwritten at once", total), a.spans[:0]
		return nil
	}
	if total > cap(a.old) {
		if err := take(as.options.Room, total); err != nil {
			return err
		}
		give(as.options.Room, as.oldTaken)
		as.oldTaken = total
	}
	a.old = slices.Grow(a.old[:0], total)[:total]
	at := 0
	for _, s := range a.spans {
		old := a.old[at:][:s.Len]
		if n, _ := as.target.ReadMemory(s.Addr, old); n < len(old) {
			a.absent = true
			if err := as.memory.ReadOrZero(s.Addr, old); err != nil {
				return err
			}
		}
		at += int(s.Len)
	}
	return nil
}

// dropAbsent removes the pages from the spans that still are not mapped after the step: the
// instruction may have written less than the spans say.
func (rw *recordWriter) dropAbsent(a *attempt) {
	spans, rest := a.spans, a.old
	a.spans, a.old = nil, nil
	for _, s := range spans {
		var old []byte
		old, rest = rest[:s.Len], rest[s.Len:]
		for len(old) > 0 {
			n := min(len(old), int(pageSize-s.Addr%pageSize))
			if k, _ := rw.target.ReadMemory(s.Addr, make([]byte, 1)); k == 1 {
				a.spans, a.old = append(a.spans, x86.Span{Addr: s.Addr, Len: uint64(n)}), append(a.old, old[:n]...)
			}
			s.Addr, old = s.Addr+uint64(n), old[n:]
		}
	}
	a.absent = false
}
