package history

import (
	"errors"
	"fmt"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel"
	"github.com/triptych-mcp/triptych/debugger/internal/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/x86"
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
	before *snapshot   // of everything, if it is not known what is written
	gone   procfs.Maps // mappings that the step has changed: as they were
	come   procfs.Maps // and as they are
	filled []x86.Span  // of those, what is not zero as new memory is
	lost   string      // why the step cannot be recorded, or ""
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
	delete(r.returning, s.Thread())
	switch outcome {
	case proc.StepDone:
		r.forgetAttempt(s.Thread())
		if a.kind != Stepped {
			r.returning[s.Thread()] = true
		}
		return outcome, r.finish(s, a)
	case proc.StepBlocked:
		r.keep(s.Thread(), a)
	case proc.StepGone:
		r.forgetAttempt(s.Thread())
		return outcome, r.finishThread(a)
	case proc.StepSignal:
		r.forgetAttempt(s.Thread())
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
		r.forgetMemory()
	}
}

// forgetAttempt is the opposite, and does nothing if the thread does not wait.
func (r *Recorder) forgetAttempt(id int) {
	if r.pending[id] != nil {
		delete(r.pending, id)
		r.forgetMemory()
	}
}

// forgetMemory makes the interpreter read memory again, because it is another
// part of it that the kernel may write to.
func (r *Recorder) forgetMemory() {
	if r.interpreter != nil {
		r.interpreter.forget()
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
		Addressing(regs, &r.addr)
		a.spans = in.Writes(a.spans, &r.addr, x86.OneIteration)
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

// isAccess says whether an error is about memory that is not there, and not
// about the process.
func isAccess(err error) bool {
	return !errors.Is(err, proc.ErrExited) && !errors.Is(err, proc.ErrDetached) && !errors.Is(err, proc.ErrRunning)
}

// grow returns a slice of n bytes, b if it is long enough.
func grow(b []byte, n int) []byte {
	if cap(b) < n {
		return make([]byte, n)
	}
	return b[:n]
}
