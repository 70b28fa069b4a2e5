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

// A CallBuffer has the system calls that the process makes without a stop.
type CallBuffer struct {
	// Made, unless nil, gets the calls, in their order, before Run returns. Run returns its error,
	// with the next stop.
	Made func(BufferedCall) error

	// MayWait says that such calls may wait, because no other thread can run. An event of
	// another thread sets it to false.
	MayWait bool

	runner  *Runner
	drained uint64 // bytes of the buffer that were passed to Made
}

// Use makes the process make frequent system calls without a stop from now on, and
// record them in memory that it shares with this program. Exits from the cache stop the
// thread all the same: a seccomp filter of the process reports them. The filter stays until
// the end of the process, and so does no_new_privs, which it needs unless the process is
// privileged. Installed says that the process has the filter already: its parent had it, or
// the program that it executed before.
//
// It must be called before the first Run, for a process that is traced with
// [ptrace.FilterEvents]. If it fails, the Runner does without.
func (cb *CallBuffer) Use(installed bool) error {
	if !installed {
		if err := cb.installFilter(); err != nil {
			return err
		}
	}
	cb.runner.space.cache.Rules = rules
	cb.clear()
	cb.runner.space.context().SetBuffered(true)
	return nil
}

// used reports whether the process makes system calls without a stop.
func (cb *CallBuffer) used() bool { return cb.runner.space.cache.Rules != nil }

// GuardFiles makes the process stop, after Use, when it may change one of some files: when
// it opens any file for writing, writes to one of the descriptors of these files, or duplicates a
// descriptor while there are such. If guard is false, there are no such files.
func (cb *CallBuffer) GuardFiles(guard bool, descriptors []int) {
	var kinds translate.Guard
	switch {
	case guard && len(descriptors) > 0:
		kinds = translate.Opens | translate.Writes | translate.Duplicates
	case guard:
		kinds = translate.Opens
	}
	cb.runner.space.context().SetGuard(kinds, descriptors)
}

// clear makes the buffer empty. No thread that has the turn may be in the code that makes
// system calls without a stop: it may have the address of the next record.
func (cb *CallBuffer) clear() {
	here, there := cb.runner.space.shared.buffer()
	c, end := cb.runner.space.context(), there+uint64(len(here))
	if c.StopsNext() {
		end = 0
	}
	c.SetRecords(there, end)
	cb.drained = 0
}

// stopped notes that a system call has made a stop, so that those that follow need not, see
// Context.StopsNext.
func (cb *CallBuffer) stopped() {
	if c := cb.runner.space.context(); cb.used() && c.StopsNext() {
		here, there := cb.runner.space.shared.buffer()
		c.SetRecords(c.Recorded(), there+uint64(len(here)))
	}
}

var errBuffer = errors.New("the program has changed the records of its system calls")

// drain passes the system calls that the threads have made since the last drain to Made, or reads
// the log.
func (cb *CallBuffer) drain() error {
	if cb.runner.log.state != nil {
		return cb.runner.log.read()
	}
	if !cb.used() {
		return nil
	}
	here, there := cb.runner.space.shared.buffer()
	length := cb.runner.space.context().Recorded() - there
	if length > uint64(len(here)) || length < cb.drained {
		return errBuffer
	}
	rest := here[cb.drained:length]
	cb.drained = length
	for follows := false; len(rest) > 0; follows = true {
		var c translate.BufferedCall
		var ok bool
		if rest, ok = c.Decode(rest); !ok {
			return errBuffer
		}
		if err := cb.made(&c, follows); err != nil {
			return err
		}
	}
	return nil
}

func (cb *CallBuffer) made(c *translate.BufferedCall, follows bool) error {
	if c.Returned != 0 {
		t := cb.runner.threads[c.Returned]
		if t == nil {
			return errBuffer
		}
		cb.runner.thread = t
	}
	b := BufferedCall{
		Executed: cb.runner.translated.executed + cb.runner.translated.quantum - c.Left - 1, Before: cb.runner.Regs, Address: c.Address, Written: c.Data,
		Waits: c.Waits, Woken: c.Woken, Returned: c.Returned != 0, Follows: follows,
	}
	for n, value := range generalRegisters(&b.Before) {
		*value = c.GPR[n]
	}
	b.Before.EFlags, b.Before.RIP, b.Before.OrigRAX = c.Flags, c.Next-syscallLength, ptrace.NoSyscall
	b.After = b.Before
	if c.Waits {
		cb.runner.Regs = b.Before
		return cb.pass(b)
	}
	b.After.RAX, b.After.RCX, b.After.R11, b.After.RIP = c.Result, c.Next, c.Flags, c.Next
	return cb.pass(b)
}

func (cb *CallBuffer) pass(b BufferedCall) error {
	if cb.Made == nil {
		return nil
	}
	return cb.Made(b)
}

// filteredExit handles the stop that the filter has made of an exit. The kernel has not
// made its system call yet.
func (cb *CallBuffer) filteredExit() (Stop, error) {
	var regs ptrace.Regs
	if err := cb.runner.tracer.Regs(cb.runner.tid, &regs); err != nil {
		return Stop{}, err
	}
	if !cb.runner.space.cache.Contains(regs.RIP) {
		return Stop{}, errors.New("a seccomp filter of the program reports a system call to a tracer")
	}
	cb.runner.at = atEntry
	return cb.runner.translated.exit(&regs)
}

// behind reports whether the thread is just behind a system call that it makes
// without a stop.
func (cb *CallBuffer) behind(regs *ptrace.Regs) bool {
	part, _ := cb.runner.space.cache.BufferPart(regs.RIP)
	return part == codecache.Making
}

// waits reports whether the thread waits in such a call, and the kernel would restart
// it.
func (cb *CallBuffer) waits(regs *ptrace.Regs) bool {
	return cb.behind(regs) && regs.Restarts()
}

// interruptWaiting interrupts the thread that has the turn if it waits in a system call: others
// could not run. The rules permit calls that wait in rare cases, such as open(2) of a FIFO.
func (cb *CallBuffer) interruptWaiting() {
	if t := cb.runner.Turns.owner(); t != nil && cb.runner.Turns.sleeps(t) {
		_ = cb.runner.tracer.Interrupt(t.tid) // it may have been killed
	}
}

// endWait ends a call that waits, and MayWait: another thread can run.
func (cb *CallBuffer) endWait() {
	cb.MayWait = false
	if cb.used() {
		cb.runner.space.context().SetMayWait(len(cb.runner.threads) == 1)
		cb.interruptWaiting()
	}
}

// behindCall returns the address behind the system call that the thread makes without a
// stop.
func (cb *CallBuffer) behindCall() uint64 {
	return cb.runner.space.cache.Word(cb.runner.space.context().Site())
}

// withdraw makes Regs the program's registers before the system call in which the
// thread waits.
func (cb *CallBuffer) withdraw(regs *ptrace.Regs) {
	context := cb.runner.space.context()
	regs.RAX, regs.RCX, regs.R11 = regs.OrigRAX, context.Saved(1), context.Saved(11)
	cb.runner.at = atStop
	cb.runner.translated.take(regs, cb.behindCall()-syscallLength, 1)
}

// interrupt handles a signal that interrupts a system call in which the thread
// waits, as if the call had been made in the program's own code.
func (cb *CallBuffer) interrupt(regs *ptrace.Regs) (Stop, bool, error) {
	before := *regs
	cb.withdraw(&before)
	b := BufferedCall{Executed: cb.runner.translated.executedNow(), Before: cb.runner.Regs, After: *regs}
	behind := b.Before.RIP + syscallLength
	b.After.RIP, b.After.RCX, b.After.R11 = behind, behind, b.Before.EFlags
	cb.runner.Regs = b.After
	cb.runner.space.context().SetLeft(cb.runner.space.context().Left() - 1) // the call is counted
	if err := errors.Join(cb.runner.setRegs(), cb.pass(b)); err != nil {
		return Stop{}, false, err
	}
	cb.runner.restart = true
	return cb.runner.signals.deliverable()
}

// refuseFutex makes the thread refuse a system call, if it has failed to read its futex.
func (cb *CallBuffer) refuseFutex(regs *ptrace.Regs) bool {
	part, refuses := cb.runner.space.cache.BufferPart(regs.RIP)
	if part != codecache.Loading {
		return false
	}
	regs.RIP = refuses
	return true
}

// leave continues the thread, which is anywhere in the cache, so that it makes no
// system call before it leaves the cache.
func (cb *CallBuffer) leave() error {
	cb.runner.space.context().SetLeave(true)
	var regs ptrace.Regs
	if err := cb.runner.tracer.Regs(cb.runner.tid, &regs); err != nil {
		return err
	}
	if part, check := cb.runner.space.cache.BufferPart(regs.RIP); part == codecache.Checked {
		regs.RIP = check
		if err := cb.runner.tracer.SetRegs(cb.runner.tid, &regs); err != nil {
			return err
		}
	}
	return cb.runner.translated.resume(cb.runner.tracer.Cont, 0)
}
