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

// A Tracer is a goroutine locked to an operating system thread, which is the tracer
// of all threads that its methods seize. Do and Close may be called from any
// goroutine; all other methods must be called within Do.
type Tracer struct {
	tid   int
	calls chan call
	quit  chan struct{} // closed by Close
	ended chan struct{} // closed when the goroutine has ended
	once  sync.Once

	affinity unix.CPUSet // CPU affinity when it is not pinned

	peeked        Event       // the last stop, if it was read with WNOWAIT only, see wait
	beforeConsume func(Event) // see BeforeConsume
	whileWaiting  func()      // see WhileWaiting
}

type call struct {
	f    func() error
	done chan error
}

// Start returns a new Tracer. Close ends it.
func Start() (*Tracer, error) {
	t := &Tracer{calls: make(chan call), quit: make(chan struct{}), ended: make(chan struct{})}
	ready := make(chan error)
	go t.serve(ready)
	if err := <-ready; err != nil {
		return nil, err
	}
	return t, nil
}

// serve runs calls until Close. The goroutine ends locked, so that its thread ends
// too and the kernel detaches from all tracees.
func (t *Tracer) serve(ready chan<- error) {
	runtime.LockOSThread()
	if t.tid = unix.Gettid(); t.tid == os.Getpid() {
		// The first thread ends with the program only. While this goroutine has it, the
		// next one gets another thread.
		defer runtime.UnlockOSThread()
		go t.serve(ready)
		<-t.ended
		return
	}
	defer close(t.ended)
	ready <- unix.SchedGetaffinity(0, &t.affinity)
	for {
		select {
		case c := <-t.calls:
			err := c.f()
			t.consume()
			c.done <- err
		case <-t.quit:
			return
		}
	}
}

// Do runs f on the tracer's thread and returns its error. Calls within f run their
// function directly. If ctx is done before f has begun, f is not run; once it has
// begun, Do waits for it.
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

// Inside reports whether the caller runs on the tracer's thread.
func (t *Tracer) Inside() bool {
	return unix.Gettid() == t.tid
}

// Close waits for the current call and ends the thread. The kernel detaches from
// remaining tracees, or kills them if they have the option ExitKill. It must not be
// called within Do. Further calls do nothing.
func (t *Tracer) Close() {
	t.once.Do(func() { close(t.quit) })
	<-t.ended
}

// pollInterval is the interval at which Next polls without a SIGCHLD. Stops of tracees and the
// ends of their threads raise SIGCHLD in the tracer (ptrace(2)), with one exception:
// if the thread group leader ends before other threads, the end of the process is
// announced by the exit signal that was given to clone(2), which may be another
// signal or none (release_task in kernel/exit.c).
const pollInterval = 50 * time.Millisecond

// yields is the number of times that Next polls before it subscribes to SIGCHLD. A
// thread that was interrupted stops within microseconds.
const yields = 32

// Next waits for the next event of any tracee of this Tracer. It returns ErrWoken
// when wake has a value or is closed, or ctx is done, and ErrNoThreads if there is no
// tracee.
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
			if t.whileWaiting != nil {
				t.whileWaiting()
			}
		case <-wake:
			return Event{}, ErrWoken
		case <-ctx.Done():
			return Event{}, ErrWoken
		}
	}
}

// Poll returns a pending event, if there is one.
func (t *Tracer) Poll() (e Event, ok bool, err error) {
	return t.wait(unix.WNOHANG)
}

// Wait blocks until an event arrives. It cannot be canceled: use it for threads that
// stop soon.
func (t *Tracer) Wait() (Event, error) {
	e, _, err := t.wait(0)
	return e, err
}

// WhileWaiting sets a function that Next calls from time to time as long as no event comes.
func (t *Tracer) WhileWaiting(f func()) { t.whileWaiting = f }

// BeforeConsume sets a function that is called with a stop before it is consumed, that
// is, before its signal would be dropped if this program is killed: see wait. f may
// move the thread to another stop.
func (t *Tracer) BeforeConsume(f func(Event)) { t.beforeConsume = f }

// wait waits for any tracee or child of this thread (__WNOTHREAD), because the end of
// a process is reported only after that of all its other threads.
//
// If this program is killed, the signal of a SignalStop is delivered, unless the stop
// was consumed by a wait: then the kernel drops the signal (wait_task_stopped in
// kernel/exit.c clears exit_code, which ptrace_signal in kernel/signal.c returns).
// Dropping a SIGTRAP does harm: the thread continues after an int3, or with the trap
// flag of a step. So a stop is read with WNOWAIT, and consumed as late as possible:
// before the next wait, or at the end of Do, if the thread has not continued.
func (t *Tracer) wait(flags int) (Event, bool, error) {
	t.consume()
	var info unix.Siginfo
	for {
		err := waitid(&info, unix.WEXITED|unix.WSTOPPED|unix.WNOWAIT|unix.WALL|unix.WNOTHREAD|flags)
		switch {
		case err == unix.EINTR: //nolint:errorlint // waitid returns it as it is
			continue
		case err == unix.ECHILD: //nolint:errorlint // as above
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
		t.peeked = e
		if e.Kind >= Clone && e.Kind <= Exiting {
			t.consume() // the kernel requires that before other requests (looks_like_a_spurious_pid in kernel/ptrace.c)
			e.Message = t.eventMessage(e.Thread)
		}
		return e, true, nil
	}
}

// waitid is waitid(2) for any child. The Go scheduler is told only of a call that may block, see command.
func waitid(info *unix.Siginfo, flags int) error {
	if flags&unix.WNOHANG == 0 {
		return unix.Waitid(unix.P_ALL, 0, info, flags, nil)
	}
	_, _, e := unix.RawSyscall6(unix.SYS_WAITID, unix.P_ALL, 0, uintptr(unsafe.Pointer(info)), uintptr(flags), 0, 0)
	if e != 0 {
		return e
	}
	return nil
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

// stopped reports whether the child has stopped, and not ended.
func (c *childInfo) stopped() bool {
	return c.code != codeExited && c.code != codeKilled && c.code != codeDumped
}

// reaped reads the status of a thread that has ended.
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

// consume consumes the stop that was read last, if its thread has not continued.
func (t *Tracer) consume() {
	if t.peeked.Thread == 0 {
		return
	}
	e := t.peeked
	if t.beforeConsume != nil {
		t.beforeConsume(e)
	}
	t.peeked = Event{}
	_ = unix.Waitid(unix.P_PID, e.Thread, nil, unix.WSTOPPED|unix.WNOHANG|unix.WALL|unix.WNOTHREAD, nil) // its end is the next event
}

// resumed is called before a thread continues. Its last stop need not be consumed
// then.
func (t *Tracer) resumed(tid int) {
	if t.peeked.Thread == tid {
		t.peeked = Event{}
	}
}

// Pin binds the tracer's thread to a processor. On the processor of the tracee, a step
// costs a fraction of one with a wake-up on another. The affinity of the tracee does
// not change.
func (t *Tracer) Pin(cpu int) error {
	var set unix.CPUSet
	set.Set(cpu)
	return unix.SchedSetaffinity(0, &set)
}

// Unpin undoes Pin.
func (t *Tracer) Unpin() error {
	return unix.SchedSetaffinity(0, &t.affinity)
}
