package proc

import (
	"context"
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/proc/guard"
	"github.com/triptych-mcp/triptych/debugger/internal/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/ptrace"
)

// A Process is one that is being debugged.
type Process struct {
	pid      int
	launched bool
	options  Options
	log      *slog.Logger
	tracer   *ptrace.Tracer
	pause    chan struct{} // of capacity 1: requests to stop the process

	// mu is held by short calls and not by runs. It is taken before the
	// tracer's thread is.
	mu       sync.Mutex
	running  bool
	idle     *sync.Cond // running became false
	detached bool
	drift    *drift // what MaxStop has begun, nil if nothing

	// The rest belongs to the tracer's thread while it has something to do, and
	// else to who has mu.

	memory  *ptrace.Memory
	threads map[int]*thread
	current int // the thread of the last stop
	ended   *Stop
	told    bool // Resume has returned the end

	queue    []ptrace.Event       // came while another one was dealt with
	early    map[int]ptrace.Event // of threads that no event has announced yet
	children map[int][]patch      // announced, to be let go at their first stop
	sharers  []int                // children that were let go and share the memory

	actions       actionTable
	breakpoints   []*breakpoint
	locations     []*location
	lastID        int
	lastHit       int
	armed         bool
	drifting      bool // breakpoints and signals do not stop
	guard         *guard.Guard
	claim         *os.File     // see guard.Claim
	trapHandler   *trapHandler // nil unless it is installed
	noTrapHandler bool         // it cannot be installed
	narrow        bool         // exec has begun a 32-bit program
	rescue        uint64       // address of the rescue code, 0 if it is not there
	helpless      bool         // it cannot be

	writes  *ptrace.Writes // nil if they are not watched
	unwatch error          // why they cannot be

	cached map[int]*cachedThread // by thread; see withCachedRegs

	pinned int // the thread whose processor the tracer is on, 0 if none
	code   codeCache
	site   uint64 // of a syscall instruction, 0 if not looked for yet
}

// A thread holds the state of one traced thread.
type thread struct {
	id      int
	running bool // not in a ptrace stop
	fresh   bool // its first stop is still to come
	group   bool // in a group stop
	cut     bool // interrupted, perhaps on the way to a signal, see catchUp
	trap    bool // in the SIGTRAP of a step, see settle
	steps   bool // the kernel would set its trap flag anew, see unmark

	signal  signalled    // it is in the stop of this signal, and gets it next
	held    []signalled  // it gets these when a Step is over
	report  *report      // its stop, until it is reported
	leave   bool         // it goes on past the breakpoint that it is at
	told    signalNumber // Resume has returned it, and it comes again
	step    step
	entered bool // it is at the beginning of a system call
	vfork   bool // it is in the middle of vfork
	mask    trapMask
}

// signalled is a signal with all that belongs to it.
type signalled struct {
	number signalNumber
	info   ptrace.SigInfo
}

// report is a stop on its way; order says which was first.
type report struct {
	order int
	stop  Stop
}

// newProcess is one without threads.
func newProcess(pid int, options Options, tracer *ptrace.Tracer) *Process {
	p := &Process{
		pid: pid, options: options, log: options.Log, tracer: tracer,
		pause:   make(chan struct{}, 1),
		threads: map[int]*thread{}, current: pid,
		early: map[int]ptrace.Event{}, children: map[int][]patch{},
		actions: defaultActions(), cached: map[int]*cachedThread{},
	}
	if p.log == nil {
		p.log = slog.New(slog.DiscardHandler)
	}
	p.log = p.log.With("component", "proc", "pid", pid)
	p.idle = sync.NewCond(&p.mu)
	return p
}

// ID is the process id.
func (p *Process) ID() int { return p.pid }

// End returns the end of the process, if it has ended and that was noticed.
func (p *Process) End() (Stop, bool) {
	stirred := false
	if err := p.withoutTracer(func() error { stirred = p.eventsWait(); return nil }); err == nil && !stirred {
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

// Launched says whether this program started the process.
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
	case p.running, p.drift.moving():
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
// is not held meanwhile, and all other entry points return ErrRunning. f itself
// takes the end of ctx for a pause.
func (p *Process) withTracerRunning(ctx context.Context, f func() error) error {
	if p.tracer.Inside() {
		return ErrRunning
	}
	if err := p.begin(); err != nil {
		return err
	}
	defer p.finish()
	return p.tracer.Do(context.WithoutCancel(ctx), func() error {
		defer p.cacheCurrent()
		return f()
	})
}

// begin marks the process as running.
func (p *Process) begin() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.detached {
		return ErrDetached
	}
	if p.running {
		return ErrRunning
	}
	p.running = true
	p.endDriftLocked()
	select {
	case <-p.pause: // meant for an earlier run
	default:
	}
	return nil
}

// finish marks it as stopped.
func (p *Process) finish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running = false
	p.startDriftLocked()
	p.idle.Broadcast()
}

// Pause stops a process that runs: the Resume or Step that is on returns with
// the reason Paused, unless something else stops it first. A process that
// MaxStop has set running is stopped. It does not wait, and does nothing to a
// process that is stopped.
func (p *Process) Pause() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.running {
		p.endDriftLocked()
		p.startDriftLocked()
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

// Threads lists the threads by id.
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

// CurrentThread is the thread that the last stop was about, or was chosen
// since. In the methods that take a thread, 0 means it.
func (p *Process) CurrentThread() (int, error) {
	var id int
	err := p.withoutTracer(func() error { id = p.current; return nil })
	return id, err
}

// SetCurrentThread chooses another one.
func (p *Process) SetCurrentThread(id int) error {
	return p.withoutTracer(func() error {
		t, err := p.thread(id)
		if err == nil {
			p.current = t.id
		}
		return err
	})
}

// thread finds a stopped thread; 0 is the current one.
func (p *Process) thread(id int) (*thread, error) {
	if id == 0 {
		id = p.current
	}
	if t := p.threads[id]; t != nil {
		return t, nil
	}
	return nil, ErrNoThread
}

// SetSignal says what is done about a signal from now on.
func (p *Process) SetSignal(sig signalNumber, action Action) error {
	return p.withoutTracer(func() error {
		if sig > 0 && sig <= maxSignal {
			p.actions[sig] = action
		}
		return nil
	})
}

// WithTracer runs f on the tracer's thread while the process is stopped. Methods
// cost less inside f, and calls from other goroutines wait.
func (p *Process) WithTracer(f func() error) error {
	return p.withTracer(f)
}

// stopTimeout limits the time that a thread may take to stop.
const stopTimeout = 5 * time.Second
