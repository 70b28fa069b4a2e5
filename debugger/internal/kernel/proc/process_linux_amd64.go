package proc

import (
	"context"
	"io"
	"log/slog"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/guard"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// A Process is a process that is being debugged. Use [Attach] or [Launch] to
// create one, and Detach or Kill to release it.
type Process struct {
	halted   atomic.Int32 // the signal that has stopped the process while it runs, else 0
	pid      int
	id       atomic.Int64 // pid, for callers on other threads
	launched bool
	filtered bool // it has a seccomp filter that permits everything
	options  Options
	log      *slog.Logger
	tracer   *ptrace.Tracer
	pause    chan struct{} // of capacity 1: requests to stop the process

	// mu is held by short calls, not by runs. It is locked before a call to the
	// tracer's thread.
	mu       sync.Mutex
	running  bool
	idle     *sync.Cond // signaled when running becomes false
	detached bool
	freeRun  *freeRun // the timer of MaxStop, or the run that it started; nil if neither

	// The rest belongs to the tracer's thread while it runs a call, and otherwise
	// to the holder of mu.

	memory      *ptrace.Memory
	threads     map[int]*thread
	current     int // id of the thread of the last stop
	ended       *Stop
	endReported bool // Resume has returned ended

	queue    []ptrace.Event       // events that arrived while another one was handled
	early    map[int]ptrace.Event // first events of threads that were not announced yet
	children map[int]inheritance  // announced children, to detach from at their first stop
	sharers  []int                // children that share the memory, detached or held

	follow    Follow
	taker     ChildTaker
	held      map[int]bool // children that run traced until they have memory of their own
	successor successor    // the child to go on with
	left      int          // the process that was left for a child since the last stop

	actions       actionTable
	caught        func(number uint64) bool // the system calls to stop at; nil if none
	breakpoints   []*breakpoint
	locations     []*location
	lastID        int
	lastHit       int
	armed         bool
	runningFree   bool // after MaxStop: breakpoints and signals do not stop
	guard         *guard.Guard
	claim         *os.File     // see guard.Claim
	trapHandler   *trapHandler // nil unless it is installed
	noTrapHandler bool         // it cannot be installed
	is32Bit       bool         // exec has started a 32-bit program
	rescue        uint64       // address of the rescue code, 0 if it is not installed
	rescueFailed  bool         // the rescue code cannot be installed

	writes      *ptrace.Writes // nil if writes are not tracked
	unwatchable error          // why they cannot be tracked tracked

	cached map[int]*cachedThread // by thread; see withCachedRegs

	kept io.Closer // of the last loan, or nil

	pinned int // the thread to whose processor the tracer is pinned, 0 if none
	code   codeCache
	site   uint64 // address of a syscall instruction, 0 if not searched yet
}

// A thread holds the state of one traced thread.
type thread struct {
	id          int
	running     bool // not in a ptrace stop
	starting    bool // before its first stop
	group       bool // in a group stop
	groupSignal syscall.Signal
	interrupted bool // stopped by Interrupt, perhaps before a pending trap, see deliverPendingTraps
	trap        bool // in the SIGTRAP stop of a step or breakpoint, see leaveTrap
	staleStep   bool // the kernel would set its trap flag again, see clearStaleFlag

	signal         signalled    // the signal of its stop, delivered when it continues
	deferred       []signalled  // signals that are delivered after Step
	report         *report      // a stop that is not reported yet
	skipBreakpoint bool         // it continues past the breakpoint at its pc
	reportedSignal signalNumber // a signal that was reported and arrives again
	step           step
	entered        bool // in the entry stop of a system call, or in the exit stop of a caught one
	call           callState
	vfork          bool // in vfork, before the child has its own memory
	mask           trapMask
}

// signalled is a signal and its siginfo_t.
type signalled struct {
	number signalNumber
	info   ptrace.SigInfo
}

// report is a stop that Resume has not returned yet. Lower orders came earlier.
type report struct {
	order int
	stop  Stop
}

// newProcess returns a Process without threads.
func newProcess(pid int, options Options, tracer *ptrace.Tracer) *Process {
	p := &Process{
		pid: pid, options: options, log: options.Log, tracer: tracer,
		pause:   make(chan struct{}, 1),
		threads: map[int]*thread{}, current: pid,
		early: map[int]ptrace.Event{}, children: map[int]inheritance{}, held: map[int]bool{},
		actions: defaultActions(), cached: map[int]*cachedThread{},
	}
	if p.log == nil {
		p.log = slog.New(slog.DiscardHandler)
	}
	p.log = p.log.With("component", "proc", "pid", pid)
	p.idle = sync.NewCond(&p.mu)
	p.setID(pid)
	return p
}

// ID returns the process id.
func (p *Process) ID() int { return int(p.id.Load()) }

// setID sets the process id.
func (p *Process) setID(pid int) {
	p.pid = pid
	p.id.Store(int64(pid))
}

// End returns the final stop and true if the process has ended.
func (p *Process) End() (Stop, bool) {
	eventsPending := false
	if err := p.withoutTracer(func() error { eventsPending = p.hasEvents(); return nil }); err == nil && !eventsPending {
		return Stop{}, false
	}
	var s Stop
	ended := false
	_ = p.withTracerOrEnded(func() {
		if p.collect(); p.ended != nil {
			s, ended = *p.ended, true
		}
	})
	return s, ended
}

// Launched reports whether this program started the process.
func (p *Process) Launched() bool { return p.launched }

// withTracer runs f on the tracer's thread while the process is stopped. f may
// change threads, so what is cached of them is dropped, and the current thread is
// read again.
func (p *Process) withTracer(f func() error) error {
	if p.tracer.Inside() {
		clear(p.cached)
		return p.unlessEnded(f)
	}
	return p.withTracerReadOnly(func() error {
		clear(p.cached)
		defer p.cacheCurrent()
		return f()
	})
}

// withTracerReadOnly is withTracer for an f that changes no thread.
func (p *Process) withTracerReadOnly(f func() error) error {
	if p.tracer.Inside() {
		return p.unlessEnded(f)
	}
	return p.withStopped(func() error {
		return p.tracer.Do(context.Background(), func() error { return p.unlessEnded(f) })
	})
}

// withStopped runs f on the caller's goroutine with mu held, while the process is
// stopped. It returns ErrRunning or ErrDetached if it is not.
func (p *Process) withStopped(f func() error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.checkStoppedLocked(); err != nil {
		return err
	}
	return f()
}

// withTracerOrEnded runs f on the tracer's thread, of a process that is stopped or
// has ended.
func (p *Process) withTracerOrEnded(f func()) error {
	run := func() { clear(p.cached); f() }
	if p.tracer.Inside() {
		run()
		return nil
	}
	return p.withStopped(func() error {
		return p.tracer.Do(context.Background(), func() error { run(); return nil })
	})
}

// checkStoppedLocked returns why the process is not stopped. It expects mu.
func (p *Process) checkStoppedLocked() error {
	switch {
	case p.detached:
		return ErrDetached
	case p.running, p.freeRun.moving():
		return ErrRunning
	}
	return nil
}

// unlessEnded runs f, or returns ErrExited if the process has ended.
func (p *Process) unlessEnded(f func() error) error {
	if p.ended != nil {
		return ErrExited
	}
	return f()
}

// withTracerRunning runs f, which lets the process run, on the tracer's thread. mu
// is not held meanwhile, and all other entry points return ErrRunning. f must
// treat the end of ctx as a pause.
func (p *Process) withTracerRunning(ctx context.Context, f func() error) error {
	if p.tracer.Inside() {
		return ErrRunning
	}
	if err := p.markRunning(); err != nil {
		return err
	}
	defer p.markStopped()
	return p.tracer.Do(context.WithoutCancel(ctx), func() error {
		defer p.cacheCurrent()
		return f()
	})
}

// markRunning marks the process as running.
func (p *Process) markRunning() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.detached {
		return ErrDetached
	}
	if p.running {
		return ErrRunning
	}
	p.running = true
	p.endFreeRunLocked()
	select {
	case <-p.pause: // of an earlier run
	default:
	}
	return nil
}

// markStopped marks the process as stopped.
func (p *Process) markStopped() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running = false
	p.startMaxStopLocked()
	p.idle.Broadcast()
}

// Pause requests that a running process stop: the current Resume or Step returns
// with the reason Paused, unless the process stops for another reason first. It
// also stops a process that runs because of MaxStop. Pause does not wait, and
// does nothing if the process is stopped.
func (p *Process) Pause() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.running {
		p.endFreeRunLocked()
		p.startMaxStopLocked()
		return
	}
	p.requestPause()
}

func (p *Process) requestPause() {
	select {
	case p.pause <- struct{}{}:
	default:
	}
}

// Threads returns the threads in the order of their ids.
func (p *Process) Threads() ([]ThreadInfo, error) {
	var all []ThreadInfo
	err := p.withoutTracer(func() error {
		for id := range p.threads {
			all = append(all, ThreadInfo{ID: id, Name: procfs.ThreadName(p.pid, id), Current: id == p.current})
		}
		return nil
	})
	slices.SortFunc(all, func(a, b ThreadInfo) int { return a.ID - b.ID })
	return all, err
}

// Halted returns the signal that keeps the running process stopped until SIGCONT, and 0 if
// there is none. It may be called at any time.
func (p *Process) Halted() syscall.Signal { return syscall.Signal(p.halted.Load()) }

// CurrentThread returns the thread of the last stop, or the one that
// SetCurrentThread has chosen since. Methods that take a thread use it for 0.
func (p *Process) CurrentThread() (int, error) {
	var id int
	err := p.withoutTracer(func() error { id = p.current; return nil })
	return id, err
}

// SetCurrentThread sets the current thread.
func (p *Process) SetCurrentThread(id int) error {
	return p.withoutTracer(func() error {
		t, err := p.thread(id)
		if err == nil {
			p.current = t.id
		}
		return err
	})
}

// thread returns a thread by id; 0 is the current one.
func (p *Process) thread(id int) (*thread, error) {
	if id == 0 {
		id = p.current
	}
	if t := p.threads[id]; t != nil {
		return t, nil
	}
	return nil, ErrNoThread
}

// SetSignal sets the action for a signal from now on.
func (p *Process) SetSignal(sig signalNumber, action Action) error {
	return p.withoutTracer(func() error {
		if sig > 0 && sig <= maxSignal {
			p.actions[sig] = action
		}
		return nil
	})
}

// WithTracer runs f on the tracer's thread while the process is stopped. Methods
// cost less within f. Calls from other goroutines wait.
func (p *Process) WithTracer(f func() error) error {
	return p.withTracer(f)
}

// stopTimeout limits how long a thread may take to stop.
const stopTimeout = 5 * time.Second
