package inplace

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/codecache"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/translate"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// translated runs the current thread in the cache.
type translated struct {
	runner *Runner

	executed int64 // instructions before the current Run
	quantum  int64 // instructions that the current Run executes at most
	leaving  bool  // the thread must leave the cache after the current block, see leave
}

// Executed returns the number of instructions that the thread has executed since New.
// A repeated string operation is one.
func (r *Runner) Executed() int64 { return r.translated.executed }

// executedNow is Executed during a Run.
func (tr *translated) executedNow() int64 {
	return tr.executed + tr.quantum - tr.runner.space.context().Left()
}

// Run executes up to n instructions, and stops earlier for all that it cannot do
// itself. If ctx is done, it stops after the current block, with the kind Done.
//
//	Run
//	├─ enter     the cache, where Regs.RIP is translated
//	├─ wait      until the thread stops
//	└─ handle    an exit, a system call, a signal: leads to a Stop, or to enter again
func (r *Runner) Run(ctx context.Context, n int64) (Stop, error) {
	n = min(n, translate.MaxLeft)
	r.translated.quantum = n
	r.space.context().SetLeft(n)
	stop, err := r.orEnd(r.translated.run(ctx))
	r.translated.stopLeaving() // also if the process has ended meanwhile
	r.translated.executed += n - r.space.context().Left()
	r.log.end()
	if err == nil {
		r.ClearDeadFlags()
	}
	return stop, err
}

// run is Run without its count. If Made fails, it goes on until the thread has the program's
// registers, because its stop is handled like any other.
func (tr *translated) run(ctx context.Context) (Stop, error) {
	running := false
	var failed error
	for {
		if !running {
			if failed != nil || tr.finished(ctx) {
				return Stop{Kind: Done}, failed
			}
			if tr.runner.Watch.stopsHere() {
				return Stop{Kind: Reached}, nil
			}
			if err := tr.enter(); err != nil {
				return Stop{}, err
			}
		}
		event, err := tr.wait(ctx)
		if err != nil {
			return Stop{}, errors.Join(failed, err)
		}
		failed = errors.Join(failed, tr.runner.Buffer.drain())
		var stop Stop
		if stop, running, err = tr.handle(event); stop.Kind != 0 || err != nil {
			return stop, errors.Join(failed, err)
		}
	}
}

// orEnd replaces the error of a request to a thread that was killed by the end of the
// process.
func (r *Runner) orEnd(stop Stop, err error) (Stop, error) {
	if !errors.Is(err, ptrace.ErrGone) {
		return stop, err
	}
	for {
		event, err := r.translated.next(context.Background())
		if err != nil {
			return Stop{}, err
		}
		if event.Gone() {
			stop, _, err := r.translated.handle(event)
			return stop, err
		}
	}
}

// finished reports whether the thread, which is outside of the cache, has executed
// enough.
func (tr *translated) finished(ctx context.Context) bool {
	return ctx.Err() != nil || tr.runner.Watch.reached && !tr.runner.native.copying || tr.runner.space.context().Left() <= tr.early() && !tr.runner.restart
}

// early returns the number of instructions that this Run may leave out. One that is to execute
// no more than those executes all.
func (tr *translated) early() int64 {
	if tr.quantum <= tr.runner.Early {
		return 0
	}
	return tr.runner.Early
}

// wait waits until the thread stops. When ctx is done, it makes the thread stop.
func (tr *translated) wait(ctx context.Context) (ptrace.Event, error) {
	if tr.runner.Buffer.used() && len(tr.runner.threads) > 1 {
		tr.runner.tracer.WhileWaiting(tr.runner.Buffer.interruptWaiting)
		defer tr.runner.tracer.WhileWaiting(nil)
	}
	event, err := tr.next(ctx)
	if !errors.Is(err, ptrace.ErrWoken) {
		return event, err
	}
	stale := tr.runner.stale
	if err := tr.runner.Turns.interrupt(); err != nil {
		return event, err
	}
	event, err = tr.next(context.Background())
	tr.runner.stale = stale || event.Kind != ptrace.EventStop // one comes when the thread continues, or none at all
	return event, err
}

// A request makes a stopped thread continue.
type request func(tid int, signal syscall.Signal) error

// resume makes the thread continue.
func (tr *translated) resume(f request, signal syscall.Signal) error {
	tr.runner.last = f
	return f(tr.runner.tid, signal)
}

// next returns the next event of the current thread, see other for those of others.
func (tr *translated) next(ctx context.Context) (ptrace.Event, error) {
	for {
		event, err := tr.runner.event(ctx)
		switch {
		case err != nil || event == tr.runner.end:
			return event, err
		case event.Gone() && !tr.runner.exiting: // the end of the process follows
		case event.Kind == ptrace.EventStop && tr.runner.stale:
			tr.runner.stale = false
			if err := tr.resume(tr.runner.last, 0); err != nil {
				return event, err
			}
		default:
			return event, tr.restoreMask(event)
		}
	}
}

// restoreMask restores the signal mask after a step.
func (tr *translated) restoreMask(e ptrace.Event) error {
	if !tr.runner.unmasked || e.Gone() {
		return nil
	}
	tr.runner.unmasked = false
	return tr.runner.tracer.SetSigMask(tr.runner.tid, tr.runner.mask)
}

// enter makes the thread continue at Regs.RIP: in the translation, or in its own code
// if the kernel has yet to restart a system call there.
func (tr *translated) enter() error {
	if tr.runner.restart && !tr.runner.Replays {
		tr.runner.restart, tr.runner.at = false, atStop
		if len(tr.runner.queue) > 0 {
			return nil // it has continued already, see restartWithdrawn
		}
		return tr.resume(tr.runner.tracer.ToSyscall, 0)
	}
	address, err := tr.address()
	if errors.Is(err, codecache.ErrFull) {
		tr.runner.Forget()
		address, err = tr.address()
	}
	if err != nil {
		return err
	}
	if err := tr.runner.signals.raiseDeferred(); err != nil {
		return err
	}
	regs := tr.runner.Regs
	regs.RIP = address
	if err := tr.runner.tracer.SetRegs(tr.runner.tid, &regs); err != nil {
		return err
	}
	return tr.resumeTranslated()
}

// resumeTranslated makes the thread continue in the cache, up to its next system call. The
// kernel would make that call if the last stop was the end of one, so that the two need no
// further stops, see enterFromCache. From the entry of a system call the thread continues so
// that the kernel will not: there would be a stop at the end of the present call.
func (tr *translated) resumeTranslated() error {
	if tr.runner.Buffer.used() {
		tr.runner.Buffer.clear()
		tr.runner.makes, tr.runner.at = false, atStop
		tr.runner.space.context().SetMayWait(len(tr.runner.threads) == 1 || tr.runner.Buffer.MayWait)
		tr.runner.Turns.begin()
		return tr.resume(tr.runner.tracer.Cont, 0)
	}
	if tr.runner.log.state != nil {
		tr.runner.log.clear()
	}
	f := tr.runner.tracer.ToEmulated
	if tr.runner.makes = tr.runner.at == atStop && !tr.runner.Replays && !tr.runner.filtered; tr.runner.makes {
		f = tr.runner.tracer.ToSyscall
	}
	tr.runner.at = atStop
	return tr.resume(f, 0)
}

// address returns where the translation of the code at Regs.RIP is. If fewer
// instructions are left than a block may have, or there is a stop, it is a translation of
// its own. While the processor traps at unaligned accesses, every instruction is: code of
// the cache around it makes some.
func (tr *translated) address() (uint64, error) {
	indirect := tr.runner.indirect
	tr.runner.indirect = false
	switch left := tr.runner.space.context().Left(); {
	case tr.runner.native.copying:
		return tr.runner.space.cache.EnterCopy(tr.runner.Regs.RIP)
	case tr.runner.Watch.stops[tr.runner.Regs.RIP]:
		return tr.enterOnce(1)
	case tr.runner.Regs.EFlags&ptrace.AlignmentCheck != 0:
		tr.runner.space.context().SetLeave(true) // the code that makes system calls without a stop may trap
		return tr.runner.space.cache.EnterOnce(tr.runner.Regs.RIP, 1)
	case left < translate.Shortest:
		return tr.enterOnce(int(left))
	case indirect:
		return tr.runner.space.cache.EnterIndirect(tr.runner.Regs.RIP)
	}
	return tr.runner.space.cache.Enter(tr.runner.Regs.RIP)
}

// enterOnce returns the address of a translation of at most limit instructions, which another
// thread may replace: no thread may wait there in the cache.
func (tr *translated) enterOnce(limit int) (uint64, error) {
	if len(tr.runner.threads) > 1 {
		tr.runner.space.context().SetLeave(true)
	}
	return tr.runner.space.cache.EnterOnce(tr.runner.Regs.RIP, limit)
}

// Forget makes the Runner translate all code again. It must be called when the
// program's code has been changed by someone else than the program.
func (r *Runner) Forget() {
	_ = r.Turns.TakeBackAll() // an error is that of a process that ends
	r.space.cache.Clear()
	r.space.code.drop()
	r.space.known = nil
	r.space.forgotten++
}

// ExecuteInPlace makes Run stop, with the kind [Native], before instructions of which a function reports
// true, most times. nil stands for none.
func (r *Runner) ExecuteInPlace(f func(in *x86.Inst) bool) {
	r.space.cache.InPlace = f
	r.Forget()
}

// handle returns the Stop that an event leads to, or one of no kind, and whether the
// thread is running again.
func (tr *translated) handle(e ptrace.Event) (stop Stop, running bool, err error) {
	switch e.Kind {
	case ptrace.Exited:
		return Stop{Kind: Exited, Status: e.Status}, false, nil
	case ptrace.Killed:
		return Stop{Kind: Exited, Status: -1, Killed: int(e.Signal)}, false, nil
	case ptrace.SyscallStop:
		stop, err = tr.call()
		return stop, false, err
	case ptrace.Filtered:
		stop, err = tr.runner.Buffer.filteredExit()
		return stop, false, err
	case ptrace.SignalStop:
		return tr.runner.signals.arrived()
	case ptrace.EventStop, ptrace.GroupStop:
		return tr.interrupted()
	}
	return Stop{}, false, fmt.Errorf("thread %d has an unexpected stop: %v", tr.runner.tid, e.Kind)
}

// call handles the stop at a system call: an exit, or one of the program.
func (tr *translated) call() (Stop, error) {
	var regs ptrace.Regs
	if err := tr.runner.tracer.Regs(tr.runner.tid, &regs); err != nil {
		return Stop{}, err
	}
	regs.RAX = regs.OrigRAX
	if !tr.runner.space.cache.Contains(regs.RIP) { // the kernel has restarted it, or a step of a replay has reached it
		if tr.runner.Regs, tr.runner.at = regs, atCall; tr.runner.Replays {
			tr.runner.at = atEmulated
		}
		tr.runner.Regs.RIP, tr.runner.Regs.OrigRAX = regs.RIP-syscallLength, ptrace.NoSyscall
		return Stop{Kind: Call}, nil
	}
	if tr.runner.at = atEmulated; tr.runner.makes {
		tr.runner.at = atEntry
	}
	position, inBlock := tr.runner.space.cache.Position(regs.RIP - syscallLength)
	if !inBlock {
		return tr.exit(&regs)
	}
	tr.adopt(&regs, position)
	if tr.runner.signals.first() {
		return Stop{}, nil
	}
	return Stop{Kind: Call}, nil
}

// syscallLength is the length of a syscall instruction.
const syscallLength = 2

// adopt makes Regs the registers of the program at a position in the cache.
func (tr *translated) adopt(regs *ptrace.Regs, p codecache.Position) {
	context := tr.runner.space.context()
	for n, value := range generalRegisters(regs) {
		if p.Saved>>n&1 != 0 {
			*value = context.Saved(n)
		}
	}
	tr.take(regs, p.PC, p.Undone)
}

// take makes Regs the registers at an address of the program, and subtracts the
// instructions that were counted but not executed.
func (tr *translated) take(regs *ptrace.Regs, pc uint64, undone int) {
	tr.runner.Regs = *regs
	tr.runner.Regs.RIP, tr.runner.Regs.OrigRAX = pc, ptrace.NoSyscall
	tr.stopLeaving()
	context := tr.runner.space.context()
	context.SetLeft(context.Left() + int64(undone))
}

// exit handles an exit from the cache.
func (tr *translated) exit(regs *ptrace.Regs) (Stop, error) {
	context, leaving := tr.runner.space.context(), tr.leaving
	x, err := tr.runner.space.cache.Exit(context.Exit())
	if err != nil {
		return Stop{}, err
	}
	regs.RAX, regs.RCX, regs.R11, regs.RDI = context.Saved(0), context.Saved(1), context.Saved(11), context.Saved(7)
	jumped := x.Kind == translate.ExitJump && canonical(context.Target())
	if jumped {
		x.Target, x.Undone = context.Target(), 0
	} else {
		regs.RSP -= uint64(x.Popped)
	}
	tr.take(regs, x.Target, x.Undone)
	tr.runner.indirect = x.Kind == translate.ExitIndirect || x.Kind == translate.ExitJump
	switch x.Kind {
	case translate.ExitChanged:
		tr.runner.space.cache.Changed(x.Target)
	case translate.ExitLeft:
		context.Ensure(x.Counter)
	}
	switch {
	case x.Kind == translate.ExitCall && leaving:
		return Stop{}, nil
	case x.Kind != translate.ExitNative && x.Kind != translate.ExitCall && (!tr.runner.indirect || jumped || tr.follow()):
		return Stop{}, nil
	case tr.runner.signals.first() || tr.runner.space.context().Left() <= 0 || tr.runner.Watch.stopsHere():
		return Stop{}, nil // the end comes first, too
	case x.Kind == translate.ExitCall || tr.atSyscall():
		return Stop{Kind: Call}, nil
	}
	return Stop{Kind: Native}, nil
}

// atSyscall reports whether Regs.RIP is the address of a syscall instruction.
func (tr *translated) atSyscall() bool {
	var b [syscallLength]byte
	_, err := tr.runner.memory.Read(tr.runner.Regs.RIP, b[:])
	return err == nil && b == [syscallLength]byte{0x0f, 0x05}
}

// interrupted handles a stop that is no event of the program.
func (tr *translated) interrupted() (stop Stop, running bool, err error) {
	var regs ptrace.Regs
	if err := tr.runner.tracer.Regs(tr.runner.tid, &regs); err != nil {
		return Stop{}, false, err
	}
	if tr.runner.Buffer.waits(&regs) || tr.runner.Buffer.behind(&regs) && tr.runner.signals.interruptedForNothing(&regs) {
		tr.runner.Buffer.withdraw(&regs)
		return Stop{Kind: Call}, false, nil
	}
	if tr.runner.space.cache.Contains(regs.RIP) {
		return Stop{}, true, tr.leave()
	}
	tr.stopLeaving()
	pc, flags := tr.runner.Regs.RIP, tr.runner.Regs.EFlags
	tr.runner.Regs, tr.runner.at, tr.runner.restart = regs, atStop, regs.Restarts()
	if regs.RIP == pc {
		tr.runner.native.keepTrapFlag(flags)
	}
	return Stop{}, false, nil
}

// leave makes the thread, which is stopped anywhere, leave the cache after the current
// block, and continues it. The thread may just have a copy of a counter in rcx.
func (tr *translated) leave() error {
	if !tr.leaving {
		tr.leaving = true
		var regs ptrace.Regs
		if err := tr.runner.tracer.Regs(tr.runner.tid, &regs); err != nil {
			return err
		}
		tr.runner.space.context().Leave()
		if tr.runner.space.cache.CountsInRCX(regs.RIP) {
			regs.RCX = translate.LeaveInRCX(regs.RCX)
			if err := tr.runner.tracer.SetRegs(tr.runner.tid, &regs); err != nil {
				return err
			}
		}
	}
	if tr.runner.Buffer.used() {
		return tr.runner.Buffer.leave()
	}
	tr.runner.makes = false
	return tr.resume(tr.runner.tracer.ToEmulated, 0)
}

// stopLeaving undoes what leave has done, after the thread has left the cache.
func (tr *translated) stopLeaving() {
	context := tr.runner.space.context()
	if tr.leaving {
		context.SetLeft(context.Left())
	}
	context.SetLeave(false)
	tr.leaving = false
}

// ClearDeadFlags clears the flags that the program overwrites before it reads them, as Run
// does.
func (r *Runner) ClearDeadFlags() {
	r.Regs.EFlags &^= translate.DeadFlags(r.space.code.fetch, r.Regs.RIP)
}

// generalRegisters returns the general registers by the numbers that encode them.
func generalRegisters(r *ptrace.Regs) [16]*uint64 {
	return [16]*uint64{
		&r.RAX, &r.RCX, &r.RDX, &r.RBX, &r.RSP, &r.RBP, &r.RSI, &r.RDI,
		&r.R8, &r.R9, &r.R10, &r.R11, &r.R12, &r.R13, &r.R14, &r.R15,
	}
}
