package inplace

import (
	"errors"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/codecache"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/translate"
)

// A BufferedCall is a system call that the process has made without a stop.
type BufferedCall struct {
	Executed      int64       // instructions before it, see [Runner.Executed]
	Before, After ptrace.Regs // the program's
	Address       uint64      // of what it has written
	Written       []byte      // valid until Made returns
	Follows       bool        // the process has not stopped since the call before

	// Waits says that the thread has begun to wait for a futex, and another one has the turn.
	Waits bool
	// Woken is a thread that waits for a futex and that the call has woken, or 0.
	Woken int
	// Returned says that the thread was woken and has got the turn: it is the current one.
	Returned bool
}

// BufferCalls makes the process make frequent system calls without a stop from now on, and
// record them in memory that it shares with this program. Exits from the cache stop the
// thread all the same: a seccomp filter of the process reports them. The filter stays until
// the end of the process, and so does no_new_privs, which it needs unless the process is
// privileged. Installed says that the process has the filter already: its parent had it, or
// the program that it executed before.
//
// It must be called before the first Run, for a process that is traced with
// [ptrace.FilterEvents]. If it fails, the Runner does without.
func (r *Runner) BufferCalls(installed bool) error {
	if !installed {
		if err := r.installFilter(); err != nil {
			return err
		}
	}
	r.cache.Rules = rules
	r.clearBuffer()
	r.context().SetBuffered(true)
	return nil
}

// buffers reports whether the process makes system calls without a stop.
func (r *Runner) buffers() bool { return r.cache.Rules != nil }

// GuardFiles makes the process stop, after BufferCalls, when it may change one of some files: when
// it opens any file for writing, writes to one of the descriptors of these files, or duplicates a
// descriptor while there are such. If guard is false, there are no such files.
func (r *Runner) GuardFiles(guard bool, descriptors []int) {
	var kinds translate.Guard
	switch {
	case guard && len(descriptors) > 0:
		kinds = translate.Opens | translate.Writes | translate.Duplicates
	case guard:
		kinds = translate.Opens
	}
	r.context().SetGuard(kinds, descriptors)
}

// clearBuffer makes the buffer empty. No thread that has the turn may be in the code that makes
// system calls without a stop: it may have the address of the next record.
func (r *Runner) clearBuffer() {
	here, there := r.shared.buffer()
	end := there + uint64(len(here))
	if r.stopsNext = r.stopsNext || r.context().StopsNext(); r.stopsNext {
		end = 0
	}
	r.context().SetRecords(there, end)
	r.drained = 0
}

var errBuffer = errors.New("the program has changed the records of its system calls")

// drain passes the system calls that the threads have made since the last drain to Made, or reads
// the log.
func (r *Runner) drain() error {
	if r.log != nil {
		return r.readLog()
	}
	if !r.buffers() {
		return nil
	}
	here, there := r.shared.buffer()
	length := r.context().Recorded() - there
	if length > uint64(len(here)) || length < r.drained {
		return errBuffer
	}
	rest := here[r.drained:length]
	r.drained = length
	for follows := false; len(rest) > 0; follows = true {
		var c translate.BufferedCall
		var ok bool
		if rest, ok = c.Decode(rest); !ok {
			return errBuffer
		}
		if err := r.made(&c, follows); err != nil {
			return err
		}
	}
	return nil
}

func (r *Runner) made(c *translate.BufferedCall, follows bool) error {
	if c.Returned != 0 {
		t := r.threads[c.Returned]
		if t == nil {
			return errBuffer
		}
		r.thread = t
	}
	b := BufferedCall{
		Executed: r.executed + r.quantum - c.Left - 1, Before: r.Regs, Address: c.Address, Written: c.Data,
		Waits: c.Waits, Woken: c.Woken, Returned: c.Returned != 0, Follows: follows,
	}
	for n, value := range generalRegisters(&b.Before) {
		*value = c.GPR[n]
	}
	b.Before.EFlags, b.Before.RIP, b.Before.OrigRAX = c.Flags, c.Next-syscallLength, ptrace.NoSyscall
	b.After = b.Before
	if c.Waits {
		r.Regs = b.Before
		return r.pass(b)
	}
	b.After.RAX, b.After.RCX, b.After.R11, b.After.RIP = c.Result, c.Next, c.Flags, c.Next
	return r.pass(b)
}

func (r *Runner) pass(b BufferedCall) error {
	if r.Made == nil {
		return nil
	}
	return r.Made(b)
}

// filteredExit handles the stop that the filter has made of an exit. The kernel has not
// made its system call yet.
func (r *Runner) filteredExit() (Stop, error) {
	var regs ptrace.Regs
	if err := r.tracer.Regs(r.tid, &regs); err != nil {
		return Stop{}, err
	}
	if !r.cache.Contains(regs.RIP) {
		return Stop{}, errors.New("a seccomp filter of the program reports a system call to a tracer")
	}
	r.at = atEntry
	return r.exit(&regs)
}

// behindBuffered reports whether the thread is just behind a system call that it makes
// without a stop.
func (r *Runner) behindBuffered(regs *ptrace.Regs) bool {
	part, _ := r.cache.BufferPart(regs.RIP)
	return part == codecache.Making
}

// waitsBuffered reports whether the thread waits in such a call, and the kernel would restart
// it.
func (r *Runner) waitsBuffered(regs *ptrace.Regs) bool {
	return r.behindBuffered(regs) && regs.Restarts()
}

// interruptWaiting interrupts the thread that has the turn if it waits in a system call: others
// could not run. The rules permit calls that wait in rare cases, such as open(2) of a FIFO.
func (r *Runner) interruptWaiting() {
	if t := r.withTurn(); t != nil && r.sleeps(t) {
		_ = r.tracer.Interrupt(t.tid) // it may have been killed
	}
}

// endWait ends a call that waits, and MayWait: another thread can run.
func (r *Runner) endWait() {
	r.MayWait = false
	if r.buffers() {
		r.context().SetMayWait(len(r.threads) == 1)
		r.interruptWaiting()
	}
}

// behindCall returns the address behind the system call that the thread makes without a
// stop.
func (r *Runner) behindCall() uint64 { return r.cache.Word(r.context().Site()) }

// withdrawBuffered makes Regs the program's registers before the system call in which the
// thread waits.
func (r *Runner) withdrawBuffered(regs *ptrace.Regs) {
	context := r.context()
	regs.RAX, regs.RCX, regs.R11 = regs.OrigRAX, context.Saved(1), context.Saved(11)
	r.at = atStop
	r.take(regs, r.behindCall()-syscallLength, 1)
}

// interruptBuffered handles a signal that interrupts a system call in which the thread
// waits, as if the call had been made in the program's own code.
func (r *Runner) interruptBuffered(regs *ptrace.Regs) (Stop, bool, error) {
	before := *regs
	r.withdrawBuffered(&before)
	b := BufferedCall{Executed: r.executedNow(), Before: r.Regs, After: *regs}
	behind := b.Before.RIP + syscallLength
	b.After.RIP, b.After.RCX, b.After.R11 = behind, behind, b.Before.EFlags
	r.Regs = b.After
	r.context().SetLeft(r.context().Left() - 1) // the call is counted
	if err := errors.Join(r.setRegs(), r.pass(b)); err != nil {
		return Stop{}, false, err
	}
	r.restart = true
	return r.deliverable()
}

// refuseFutex makes the thread refuse a system call, if it has failed to read its futex.
func (r *Runner) refuseFutex(regs *ptrace.Regs) bool {
	part, refuses := r.cache.BufferPart(regs.RIP)
	if part != codecache.Loading {
		return false
	}
	regs.RIP = refuses
	return true
}

// leaveBuffer continues the thread, which is anywhere in the cache, so that it makes no
// system call before it leaves the cache.
func (r *Runner) leaveBuffer() error {
	r.context().SetLeave(true)
	var regs ptrace.Regs
	if err := r.tracer.Regs(r.tid, &regs); err != nil {
		return err
	}
	if part, check := r.cache.BufferPart(regs.RIP); part == codecache.Checked {
		regs.RIP = check
		if err := r.tracer.SetRegs(r.tid, &regs); err != nil {
			return err
		}
	}
	return r.resume(r.tracer.Cont, 0)
}
