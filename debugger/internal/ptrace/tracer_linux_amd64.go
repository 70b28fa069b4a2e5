package ptrace

import (
	"context"
	"os"
	"os/signal"
	"runtime"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A Tracer is a goroutine with an operating system thread of its own, which is
// the tracer of all threads that its methods seize. Do may be called from any
// goroutine; everything else inside Do.
type Tracer struct {
	tid   int
	calls chan call
	quit  chan struct{} // closed by Close
	ended chan struct{} // closed when the thread is gone
	once  sync.Once

	home unix.CPUSet // where the thread may run when it is not pinned

	kept       Event       // a stop that the kernel has not counted as reported, see wait
	beforeDrop func(Event) // see BeforeDrop
}

type call struct {
	f    func() error
	done chan error
}

// Start makes a Tracer. Close ends it.
func Start() (*Tracer, error) {
	t := &Tracer{calls: make(chan call), quit: make(chan struct{}), ended: make(chan struct{})}
	ready := make(chan error)
	go t.serve(ready)
	if err := <-ready; err != nil {
		return nil, err
	}
	return t, nil
}

// serve runs calls until Close. The goroutine ends locked, so that its thread
// ends with it and whatever is still traced is let go by the kernel.
func (t *Tracer) serve(ready chan<- error) {
	defer close(t.ended)
	runtime.LockOSThread()
	t.tid = unix.Gettid()
	ready <- unix.SchedGetaffinity(0, &t.home)
	for {
		select {
		case c := <-t.calls:
			err := c.f()
			t.drop()
			c.done <- err
		case <-t.quit:
			return
		}
	}
}

// Do runs f on the tracer's thread and returns its error. Inside of f it runs
// the function at once. When ctx ends before f could begin, f is not run; once
// it has begun, Do waits for it.
func (t *Tracer) Do(ctx context.Context, f func() error) error {
	if t.Inside() {
		return f()
	}
	c := call{f: f, done: make(chan error, 1)}
	select {
	case t.calls <- c:
		return <-c.done
	case <-t.quit:
		return ErrClosed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Inside says whether the caller runs on the tracer's thread.
func (t *Tracer) Inside() bool {
	return unix.Gettid() == t.tid
}

// Close ends the thread after the call that it is in. The kernel lets threads
// that are still traced go, or kills them if they were launched with ExitKill.
// It must not be called inside Do. Further calls do nothing.
func (t *Tracer) Close() {
	t.once.Do(func() { close(t.quit) })
	<-t.ended
}

// pollInterval limits how long Next waits for SIGCHLD alone before it checks
// for events.
const pollInterval = 50 * time.Millisecond

// yields is the number of times that Next checks again before it subscribes to
// SIGCHLD. A thread that was interrupted stops within microseconds.
const yields = 32

// Next waits for the next event of any thread that this Tracer traces. It
// returns ErrWoken when wake has a value or is closed or ctx ends, and
// ErrNoThreads when there is nothing to wait for.
func (t *Tracer) Next(ctx context.Context, wake <-chan struct{}) (Event, error) {
	for range yields {
		if e, ok, err := t.Poll(); ok || err != nil {
			return e, err
		}
		_, _, _ = unix.Syscall(unix.SYS_SCHED_YIELD, 0, 0, 0)
	}
	changed := make(chan os.Signal, 1)
	signal.Notify(changed, unix.SIGCHLD)
	defer signal.Stop(changed)
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		if e, ok, err := t.Poll(); ok || err != nil {
			return e, err
		}
		select {
		case <-changed:
		case <-tick.C:
		case <-wake:
			return Event{}, ErrWoken
		case <-ctx.Done():
			return Event{}, ErrWoken
		}
	}
}

// Poll returns an event that is already there.
func (t *Tracer) Poll() (e Event, ok bool, err error) {
	return t.wait(unix.WNOHANG)
}

// Wait blocks until an event comes. Nothing but an event ends it: it is for
// threads that are known to stop soon.
func (t *Tracer) Wait() (Event, error) {
	e, _, err := t.wait(0)
	return e, err
}

// BeforeDrop has f called with the stop of a thread that stays stopped, before a
// signal of that stop is dropped if this program is killed: see wait. F may make the
// thread stop elsewhere. It must be set inside Do.
func (t *Tracer) BeforeDrop(f func(Event)) { t.beforeDrop = f }

// wait asks for all threads and children of this thread (__WNOTHREAD), since
// the end of a process is told only after that of all its other threads.
//
// When this program is killed, a thread in a SignalStop gets the signal, unless the
// stop was reported before: then the kernel drops the signal (wait_task_stopped in
// kernel/exit.c clears exit_code, which ptrace_signal in kernel/signal.c returns). A
// SIGTRAP that is dropped does harm: the thread goes on behind an int3, or with the
// trap flag of a step. So a stop is read without being taken, and dropped as late as
// possible: when the next event is waited for and the thread has not gone on, or at
// the end of Do.
func (t *Tracer) wait(flags int) (Event, bool, error) {
	t.drop()
	var info unix.Siginfo
	for {
		err := unix.Waitid(unix.P_ALL, 0, &info, unix.WEXITED|unix.WSTOPPED|unix.WNOWAIT|unix.WALL|unix.WNOTHREAD|flags, nil)
		switch {
		case err == unix.EINTR:
			continue
		case err == unix.ECHILD:
			return Event{}, false, ErrNoThreads
		case err != nil:
			return Event{}, false, err
		case info.Signo == 0:
			return Event{}, false, nil
		}
		child := (*childInfo)(unsafe.Pointer(&info))
		if !child.stopped() {
			return t.reaped(int(child.pid))
		}
		e := Decode(int(child.pid), uint32(child.status)<<8|stoppedStatus)
		t.kept = e
		if e.Kind >= Clone && e.Kind <= Exiting {
			t.drop() // the kernel wants that before other requests (looks_like_a_spurious_pid in kernel/ptrace.c)
			e.Message = t.message(e.Thread)
		}
		return e, true, nil
	}
}

// childInfo is the part of a siginfo_t that waitid(2) fills.
type childInfo struct {
	signo, errno, code, _ int32
	pid, uid, status      int32
}

// Values of si_code for the end of a child, and the low byte of a stop's wait status.
const (
	codeExited    = 1
	codeKilled    = 2
	codeDumped    = 3
	stoppedStatus = 0x7f
)

// stopped reports whether the child has not ended.
func (c *childInfo) stopped() bool {
	return c.code != codeExited && c.code != codeKilled && c.code != codeDumped
}

// reaped takes the status of a thread that has ended.
func (t *Tracer) reaped(tid int) (Event, bool, error) {
	var status unix.WaitStatus
	for {
		_, err := unix.Wait4(tid, &status, unix.WALL|unix.WNOTHREAD, nil)
		if err == unix.EINTR {
			continue
		}
		return Decode(tid, uint32(status)), err == nil, err
	}
}

// drop takes the stop that was read last, if its thread has not gone on.
func (t *Tracer) drop() {
	if t.kept.Thread == 0 {
		return
	}
	e := t.kept
	if t.beforeDrop != nil {
		t.beforeDrop(e)
	}
	t.kept = Event{}
	_ = unix.Waitid(unix.P_PID, e.Thread, nil, unix.WSTOPPED|unix.WNOHANG|unix.WALL|unix.WNOTHREAD, nil) // its end is told next
}

// goesOn is called before a thread goes on from the stop that was read last.
func (t *Tracer) goesOn(tid int) {
	if t.kept.Thread == tid {
		t.kept = Event{}
	}
}

// Pin keeps the tracer's thread on one processor, best the one where the
// traced thread runs: waking a thread on another one costs several times a
// step. The traced thread's own affinity is not touched.
func (t *Tracer) Pin(cpu int) error {
	var set unix.CPUSet
	set.Set(cpu)
	return unix.SchedSetaffinity(0, &set)
}

// Unpin takes Pin back.
func (t *Tracer) Unpin() error {
	return unix.SchedSetaffinity(0, &t.home)
}
