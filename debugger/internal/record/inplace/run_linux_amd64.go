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

// Executed returns the number of instructions that the thread has executed since New.
// A repeated string operation is one.
func (r *Runner) Executed() int64 { return r.executed }

// executedNow is Executed during a Run.
func (r *Runner) executedNow() int64 { return r.executed + r.quantum - r.context().Left() }

// Run executes up to n instructions, and stops earlier for all that it cannot do
// itself. If ctx is done, it stops after the current block, with the kind Done.
//
//	Run
//	├─ enter     the cache, where Regs.RIP is translated
//	├─ wait      until the thread stops
//	└─ handle    an exit, a system call, a signal: leads to a Stop, or to enter again
func (r *Runner) Run(ctx context.Context, n int64) (Stop, error) {
	n = min(n, translate.MaxLeft)
	r.quantum = n
	r.context().SetLeft(n)
	stop, err := r.orEnd(r.run(ctx))
	r.stopLeaving() // also if the process has ended meanwhile
	r.executed += n - r.context().Left()
	r.endLog()
	if err == nil {
		r.ClearDeadFlags()
	}
	return stop, err
}

// run is Run without its count. If Made fails, it goes on until the thread has the program's
// registers, because its stop is handled like any other.
func (r *Runner) run(ctx context.Context) (Stop, error) {
	running := false
	var failed error
	for {
		if !running {
			if failed != nil || r.finished(ctx) {
				return Stop{Kind: Done}, failed
			}
			if r.stopsHere() {
				return Stop{Kind: Reached}, nil
			}
			if err := r.enter(); err != nil {
				return Stop{}, err
			}
		}
		event, err := r.wait(ctx)
		if err != nil {
			return Stop{}, errors.Join(failed, err)
		}
		failed = errors.Join(failed, r.drain())
		var stop Stop
		if stop, running, err = r.handle(event); stop.Kind != 0 || err != nil {
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
		event, err := r.next(context.Background())
		if err != nil {
			return Stop{}, err
		}
		if event.Gone() {
			stop, _, err := r.handle(event)
			return stop, err
		}
	}
}

// finished reports whether the thread, which is outside of the cache, has executed
// enough.
func (r *Runner) finished(ctx context.Context) bool {
	return ctx.Err() != nil || r.watch.reached && !r.copying || r.context().Left() <= r.early() && !r.restart
}

// early returns the number of instructions that this Run may leave out. One that is to execute
// no more than those executes all.
func (r *Runner) early() int64 {
	if r.quantum <= r.Early {
		return 0
	}
	return r.Early
}

// wait waits until the thread stops. When ctx is done, it makes the thread stop.
func (r *Runner) wait(ctx context.Context) (ptrace.Event, error) {
	if r.buffers() && len(r.threads) > 1 {
		r.tracer.WhileWaiting(r.interruptWaiting)
		defer r.tracer.WhileWaiting(nil)
	}
	event, err := r.next(ctx)
	if !errors.Is(err, ptrace.ErrWoken) {
		return event, err
	}
	stale := r.stale
	if err := r.interrupt(); err != nil {
		return event, err
	}
	event, err = r.next(context.Background())
	r.stale = stale || event.Kind != ptrace.EventStop // one comes when the thread continues, or none at all
	return event, err
}

// A request makes a stopped thread continue.
type request func(tid int, signal syscall.Signal) error

// resume makes the thread continue.
func (r *Runner) resume(f request, signal syscall.Signal) error {
	r.last = f
	return f(r.tid, signal)
}

// next returns the next event of the current thread, see other for those of others.
func (r *Runner) next(ctx context.Context) (ptrace.Event, error) {
	for {
		event, err := r.event(ctx)
		switch {
		case err != nil || event == r.end:
			return event, err
		case event.Gone() && !r.exiting: // the end of the process follows
		case event.Kind == ptrace.EventStop && r.stale:
			r.stale = false
			if err := r.resume(r.last, 0); err != nil {
				return event, err
			}
		default:
			return event, r.restoreMask(event)
		}
	}
}

// restoreMask restores the signal mask after a step.
func (r *Runner) restoreMask(e ptrace.Event) error {
	if !r.unmasked || e.Gone() {
		return nil
	}
	r.unmasked = false
	return r.tracer.SetSigMask(r.tid, r.mask)
}

// enter makes the thread continue at Regs.RIP: in the translation, or in its own code
// if the kernel has yet to restart a system call there.
func (r *Runner) enter() error {
	if r.restart && !r.Replays {
		r.restart, r.at = false, atStop
		if len(r.queue) > 0 {
			return nil // it has continued already, see restartWithdrawn
		}
		return r.resume(r.tracer.ToSyscall, 0)
	}
	address, err := r.address()
	if errors.Is(err, codecache.ErrFull) {
		r.Forget()
		address, err = r.address()
	}
	if err != nil {
		return err
	}
	if err := r.raiseDeferred(); err != nil {
		return err
	}
	regs := r.Regs
	regs.RIP = address
	if err := r.tracer.SetRegs(r.tid, &regs); err != nil {
		return err
	}
	return r.resumeTranslated()
}

// resumeTranslated makes the thread continue in the cache, up to its next system call. The
// kernel would make that call if the last stop was the end of one, so that the two need no
// further stops, see enterFromCache. From the entry of a system call the thread continues so
// that the kernel will not: there would be a stop at the end of the present call.
func (r *Runner) resumeTranslated() error {
	if r.buffers() {
		r.clearBuffer()
		r.makes, r.at = false, atStop
		r.context().SetMayWait(len(r.threads) == 1 || r.MayWait)
		r.beginTurn()
		return r.resume(r.tracer.Cont, 0)
	}
	if r.log != nil {
		r.clearLog()
	}
	f := r.tracer.ToEmulated
	if r.makes = r.at == atStop && !r.Replays && !r.filtered; r.makes {
		f = r.tracer.ToSyscall
	}
	r.at = atStop
	return r.resume(f, 0)
}

// address returns where the translation of the code at Regs.RIP is. If fewer
// instructions are left than a block may have, or there is a stop, it is a translation of
// its own. While the processor traps at unaligned accesses, every instruction is: code of
// the cache around it makes some.
func (r *Runner) address() (uint64, error) {
	indirect := r.indirect
	r.indirect = false
	switch left := r.context().Left(); {
	case r.copying:
		return r.cache.EnterCopy(r.Regs.RIP)
	case r.watch.stops[r.Regs.RIP]:
		return r.enterOnce(1)
	case r.Regs.EFlags&ptrace.AlignmentCheck != 0:
		r.context().SetLeave(true) // the code that makes system calls without a stop may trap
		return r.cache.EnterOnce(r.Regs.RIP, 1)
	case left < translate.Shortest:
		return r.enterOnce(int(left))
	case indirect:
		return r.cache.EnterIndirect(r.Regs.RIP)
	}
	return r.cache.Enter(r.Regs.RIP)
}

// enterOnce returns the address of a translation of at most limit instructions, which another
// thread may replace: no thread may wait there in the cache.
func (r *Runner) enterOnce(limit int) (uint64, error) {
	if len(r.threads) > 1 {
		r.context().SetLeave(true)
	}
	return r.cache.EnterOnce(r.Regs.RIP, limit)
}

// Forget makes the Runner translate all code again. It must be called when the
// program's code has been changed by someone else than the program.
func (r *Runner) Forget() {
	_ = r.TakeBack() // an error is that of a process that ends
	r.cache.Clear()
	r.code.drop()
}

// ExecuteInPlace makes Run stop, with the kind [Native], before instructions of which a function reports
// true, most times. nil stands for none.
func (r *Runner) ExecuteInPlace(f func(in *x86.Inst) bool) {
	r.cache.InPlace = f
	r.Forget()
}

// handle returns the Stop that an event leads to, or one of no kind, and whether the
// thread is running again.
func (r *Runner) handle(e ptrace.Event) (stop Stop, running bool, err error) {
	switch e.Kind {
	case ptrace.Exited:
		return Stop{Kind: Exited, Status: e.Status}, false, nil
	case ptrace.Killed:
		return Stop{Kind: Exited, Status: -1, Killed: int(e.Signal)}, false, nil
	case ptrace.SyscallStop:
		stop, err = r.call()
		return stop, false, err
	case ptrace.Filtered:
		stop, err = r.filteredExit()
		return stop, false, err
	case ptrace.SignalStop:
		return r.signalled()
	case ptrace.EventStop, ptrace.GroupStop:
		return r.interrupted()
	}
	return Stop{}, false, fmt.Errorf("thread %d has an unexpected stop: %v", r.tid, e.Kind)
}

// call handles the stop at a system call: an exit, or one of the program.
func (r *Runner) call() (Stop, error) {
	var regs ptrace.Regs
	if err := r.tracer.Regs(r.tid, &regs); err != nil {
		return Stop{}, err
	}
	regs.RAX = regs.OrigRAX
	if !r.cache.Contains(regs.RIP) { // the kernel has restarted it, or a step of a replay has reached it
		if r.Regs, r.at = regs, atCall; r.Replays {
			r.at = atEmulated
		}
		r.Regs.RIP, r.Regs.OrigRAX = regs.RIP-syscallLength, ptrace.NoSyscall
		return Stop{Kind: Call}, nil
	}
	if r.at = atEmulated; r.makes {
		r.at = atEntry
	}
	position, inBlock := r.cache.Position(regs.RIP - syscallLength)
	if !inBlock {
		return r.exit(&regs)
	}
	r.adopt(&regs, position)
	if r.signalFirst() {
		return Stop{}, nil
	}
	return Stop{Kind: Call}, nil
}

// syscallLength is the length of a syscall instruction.
const syscallLength = 2

// adopt makes Regs the registers of the program at a position in the cache.
func (r *Runner) adopt(regs *ptrace.Regs, p codecache.Position) {
	context := r.context()
	for n, value := range generalRegisters(regs) {
		if p.Saved>>n&1 != 0 {
			*value = context.Saved(n)
		}
	}
	r.take(regs, p.PC, p.Undone)
}

// take makes Regs the registers at an address of the program, and subtracts the
// instructions that were counted but not executed.
func (r *Runner) take(regs *ptrace.Regs, pc uint64, undone int) {
	r.Regs = *regs
	r.Regs.RIP, r.Regs.OrigRAX = pc, ptrace.NoSyscall
	r.stopLeaving()
	context := r.context()
	context.SetLeft(context.Left() + int64(undone))
}

// exit handles an exit from the cache.
func (r *Runner) exit(regs *ptrace.Regs) (Stop, error) {
	context, leaving := r.context(), r.leaving
	x, err := r.cache.Exit(context.Exit())
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
	r.take(regs, x.Target, x.Undone)
	r.indirect = x.Kind == translate.ExitIndirect || x.Kind == translate.ExitJump
	switch x.Kind {
	case translate.ExitChanged:
		r.cache.Changed(x.Target)
	case translate.ExitLeft:
		context.Ensure(x.Counter)
	}
	switch {
	case x.Kind == translate.ExitCall && leaving:
		return Stop{}, nil
	case x.Kind != translate.ExitNative && x.Kind != translate.ExitCall && (!r.indirect || jumped || r.follow()):
		return Stop{}, nil
	case r.signalFirst() || r.context().Left() <= 0 || r.stopsHere():
		return Stop{}, nil // the end comes first, too
	case x.Kind == translate.ExitCall || r.atSyscall():
		return Stop{Kind: Call}, nil
	}
	return Stop{Kind: Native}, nil
}

// atSyscall reports whether Regs.RIP is the address of a syscall instruction.
func (r *Runner) atSyscall() bool {
	var b [syscallLength]byte
	_, err := r.memory.Read(r.Regs.RIP, b[:])
	return err == nil && b == [syscallLength]byte{0x0f, 0x05}
}

// interrupted handles a stop that is no event of the program.
func (r *Runner) interrupted() (stop Stop, running bool, err error) {
	var regs ptrace.Regs
	if err := r.tracer.Regs(r.tid, &regs); err != nil {
		return Stop{}, false, err
	}
	if r.waitsBuffered(&regs) || r.behindBuffered(&regs) && r.interruptedForNothing(&regs) {
		r.withdrawBuffered(&regs)
		return Stop{Kind: Call}, false, nil
	}
	if r.cache.Contains(regs.RIP) {
		return Stop{}, true, r.leave()
	}
	r.stopLeaving()
	pc, flags := r.Regs.RIP, r.Regs.EFlags
	r.Regs, r.at, r.restart = regs, atStop, regs.Restarts()
	if regs.RIP == pc {
		r.keepTrapFlag(flags)
	}
	return Stop{}, false, nil
}

// leave makes the thread, which is stopped anywhere, leave the cache after the current
// block, and continues it. The thread may just have a copy of a counter in rcx.
func (r *Runner) leave() error {
	if !r.leaving {
		r.leaving = true
		var regs ptrace.Regs
		if err := r.tracer.Regs(r.tid, &regs); err != nil {
			return err
		}
		r.context().Leave()
		if r.cache.CountsInRCX(regs.RIP) {
			regs.RCX = translate.LeaveInRCX(regs.RCX)
			if err := r.tracer.SetRegs(r.tid, &regs); err != nil {
				return err
			}
		}
	}
	if r.buffers() {
		return r.leaveBuffer()
	}
	r.makes = false
	return r.resume(r.tracer.ToEmulated, 0)
}

// stopLeaving undoes what leave has done, after the thread has left the cache.
func (r *Runner) stopLeaving() {
	context := r.context()
	if r.leaving {
		context.SetLeft(context.Left())
	}
	context.SetLeave(false)
	r.leaving = false
}

// ClearDeadFlags clears the flags that the program overwrites before it reads them, as Run
// does.
func (r *Runner) ClearDeadFlags() {
	r.Regs.EFlags &^= translate.DeadFlags(r.code.fetch, r.Regs.RIP)
}

// generalRegisters returns the general registers by the numbers that encode them.
func generalRegisters(r *ptrace.Regs) [16]*uint64 {
	return [16]*uint64{
		&r.RAX, &r.RCX, &r.RDX, &r.RBX, &r.RSP, &r.RBP, &r.RSI, &r.RDI,
		&r.R8, &r.R9, &r.R10, &r.R11, &r.R12, &r.R13, &r.R14, &r.R15,
	}
}
