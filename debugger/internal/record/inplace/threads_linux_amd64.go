package inplace

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// A thread is a thread of the process.
type thread struct {
	Regs ptrace.Regs // the program's

	tid      int
	at       place
	indirect bool           // Regs.RIP is the target of an indirect branch
	restart  bool           // the kernel may restart a system call when the thread continues
	signal   ptrace.SigInfo // of the stop of kind Signal

	deferred []ptrace.SigInfo // signals that arrived in the middle of a block
	raised   bool             // the first of them has been sent again
	held     bool             // they are not sent again before SendPostponed

	makes bool    // the kernel makes the system call at which the thread stops next, see resumeTranslated
	last  request // with which the thread was resumed
	stale bool    // an event stop may come that no call waits for

	unmasked bool   // SIGTRAP is not blocked during a step, though the program blocks it
	mask     uint64 // if so: the program's mask

	before    ptrace.Regs // before the last system call
	inside    bool        // of this call: it has not returned
	withdrawn bool        // the kernel restarts the call when the thread continues
	restarts  ptrace.Regs // if so: with which it does
	exiting   bool        // the thread executes exit(2)
	started   int         // the thread that a call has started, before its first stop, or 0

	waiter      int  // number of its waiter and 1, or 0; see turn
	interrupted bool // an event stop was requested while it waits in the cache

	queue []ptrace.Event // that came while another thread was the current one
}

// inKernel reports whether the kernel will make or restart a system call when the thread
// continues.
func (t *thread) inKernel() bool { return t.inside || t.withdrawn || t.restart || t.at == atCall }

// Threads returns the ids of the threads, in ascending order.
func (r *Runner) Threads() []int { return slices.Sorted(maps.Keys(r.threads)) }

// Switch makes another thread the current one. The last stop of the current thread must
// be of kind Done or Blocked, or it must have ended by [Runner.EndThread].
func (r *Runner) Switch(tid int) error {
	t := r.threads[tid]
	if t == nil {
		return fmt.Errorf("process %d has no thread %d", r.pid, tid)
	}
	if r.threads[r.tid] == r.thread && !r.inKernel() {
		if err := r.setRegs(); err != nil { // so that it continues in its own code if this program dies
			return err
		}
	}
	r.Turns.end()
	if err := r.Turns.takeBack(t); err != nil {
		return err
	}
	r.thread = t
	return nil
}

// event returns the next event of the current thread, or the end of the process.
func (r *Runner) event(ctx context.Context) (ptrace.Event, error) {
	for {
		if r.end.Gone() {
			return r.end, nil
		}
		if len(r.queue) > 0 {
			e := r.queue[0]
			r.queue = r.queue[1:]
			return e, nil
		}
		e, err := r.tracer.Next(ctx, nil)
		if err != nil {
			return e, err
		}
		r.other(e)
		r.children.handleAll()
		if err := r.Turns.follow(e); err != nil {
			return e, err
		}
		if r.Buffer.MayWait && e.Thread != r.tid {
			r.Buffer.endWait()
		}
	}
}

// other stores an event of a thread, or the end of the process. It detaches from
// children of the process, which have stopped before their first instruction, unless they
// are followed.
func (r *Runner) other(e ptrace.Event) {
	if e.Kind == ptrace.Exec && e.Thread == r.pid {
		r.executes(int(e.Message))
	}
	t := r.threads[e.Thread]
	switch {
	case e.Gone() && e.Thread == r.pid:
		r.end = e
	case e.Gone() && t != nil:
		if t.queue = append(t.queue, e); t != r.thread {
			delete(r.threads, e.Thread)
		}
	case r.Follow != nil && t == nil && !r.has(e.Thread):
		r.children.births = append(r.children.births, e)
	case e.Gone():
	case t != nil && r.Turns.waitsInCache(t) && r.Turns.stopped(t, e):
	case t != nil:
		if t.interrupted {
			t.interrupted, t.stale = false, e.Kind != ptrace.EventStop
		}
		t.queue = append(t.queue, e)
	case r.has(e.Thread):
		r.threads[e.Thread] = &thread{tid: e.Thread, queue: []ptrace.Event{e}}
	default:
		_ = r.tracer.Detach(e.Thread, 0) // it may have been killed
	}
}

// beside is other for the events that come while the current thread executes an injected
// system call.
func (r *Runner) beside(e ptrace.Event) {
	if e.Thread != r.tid || e.Gone() {
		r.other(e)
	}
}

// executes handles an exec: its thread is the only one from now on, and has the id of the
// process.
func (r *Runner) executes(tid int) {
	r.injector = nil // the guard's code is gone
	if t := r.threads[tid]; t != nil {
		t.tid = r.pid
		r.threads = map[int]*thread{r.pid: t}
	}
}

// has reports whether a thread is one of the process.
func (r *Runner) has(tid int) bool {
	_, err := os.Stat(fmt.Sprintf("/proc/%d/task/%d", r.pid, tid))
	return err == nil
}

// awaitStarted waits for the first stop of a thread that the last system call has
// started.
func (r *Runner) awaitStarted() error {
	tid := r.started
	r.started = 0
	if tid == 0 || r.before.RAX != unix.SYS_CLONE && r.before.RAX != unix.SYS_CLONE3 {
		return nil
	}
	for r.threads[tid] == nil && r.has(tid) && !r.end.Gone() {
		e, err := r.tracer.Wait()
		if err != nil {
			return err
		}
		r.other(e)
	}
	t := r.threads[tid]
	if t == nil { // a process, or killed
		return nil
	}
	t.queue = nil
	if err := r.tracer.Regs(tid, &t.Regs); err != nil {
		return err
	}
	t.Regs.OrigRAX = ptrace.NoSyscall
	return nil
}

// Collect stores the events that have come.
func (r *Runner) Collect() error {
	for {
		e, ok, err := r.tracer.Poll()
		if r.end.Gone() && errors.Is(err, ptrace.ErrNoThreads) {
			return nil
		}
		if !ok || err != nil {
			return err
		}
		r.other(e)
		r.children.handleAll()
	}
}

// Await waits for an event of any thread, or until ctx is done.
func (r *Runner) Await(ctx context.Context) error {
	if r.end.Gone() {
		return nil
	}
	e, err := r.tracer.Next(ctx, nil)
	if err != nil {
		return err
	}
	r.other(e)
	r.children.handleAll()
	return nil
}

// Waits reports whether a thread waits in the kernel: its system call has not returned.
func (r *Runner) Waits(tid int) bool {
	t := r.threads[tid]
	return t != nil && t.inside && len(t.queue) == 0
}

// Inside reports whether the current thread is inside of a system call, which may have
// returned meanwhile.
func (r *Runner) Inside() bool { return r.inside }

// Detach lets the current thread continue in its own code, without a tracer. A signal
// that waits is delivered. It must not wait in the kernel, see [Runner.Withdraw].
func (r *Runner) Detach() error {
	inKernel := r.inKernel()
	if err := r.Release(); err != nil {
		return err
	}
	for n, s := range r.deferred {
		if inKernel && (n > 0 || !r.raised) {
			r.signals.sendFromHere(s)
		}
	}
	signal := syscall.Signal(0)
	if len(r.queue) > 0 && r.queue[0].Kind == ptrace.SignalStop {
		signal = r.queue[0].Signal
	}
	delete(r.threads, r.tid) // its registers are its own
	return r.tracer.Detach(r.tid, signal)
}

// EndThread makes the system call exit of a stop of kind [Call], in one of several
// threads. The kind of the Stop is Done if the thread has ended: another one must be
// made the current one.
func (r *Runner) EndThread() (Stop, error) { return r.orEnd(r.endThread()) }

func (r *Runner) endThread() (Stop, error) {
	if stop, err := r.calls.begin(); stop.Kind != 0 || err != nil {
		return stop, err
	}
	r.exiting = true
	if err := r.translated.resume(r.tracer.Cont, 0); err != nil {
		return Stop{}, err
	}
	if err := r.awaitExit(); err != nil || r.end.Gone() {
		return Stop{}, err
	}
	r.translated.executed++
	delete(r.threads, r.tid)
	return Stop{Kind: Done}, r.replaceMemory()
}

// awaitExit waits for the end of the thread. That of the first thread is reported only
// with the end of the process.
func (r *Runner) awaitExit() error {
	for r.tid == r.pid && !r.end.Gone() {
		if state := r.Turns.state(r.thread); state == 'Z' || state == 'X' || state == 0 {
			return nil
		}
		if err := r.Collect(); err != nil {
			return err
		}
		_, _, _ = unix.Syscall(unix.SYS_SCHED_YIELD, 0, 0, 0)
	}
	for {
		e, err := r.translated.next(context.Background())
		if err != nil || e.Gone() {
			return err
		}
		if err := r.translated.resume(r.tracer.Cont, 0); err != nil {
			return err
		}
	}
}

// replaceMemory opens the memory of the process by another thread if it was that of the
// current one.
func (r *Runner) replaceMemory() error {
	if r.memory.PID() != r.tid {
		return nil
	}
	for tid := range r.threads {
		memory, err := ptrace.OpenMemory(tid)
		if err != nil {
			return err
		}
		err = r.memory.Close()
		r.memory, r.space.code.memory, r.space.code.pid = memory, memory, tid
		return err
	}
	return nil
}
