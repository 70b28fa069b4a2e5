package proc

import (
	"context"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// A Process is a process that is being debugged. Use [Attach] or [Launch] to
// create one, and Detach or Kill to release it.
//
// Its methods are the entry points: they take mu and go to the tracer's thread where
// that is necessary. The parts below do the work, and each one uses only those above it
// in the list.
type Process struct {
	// mu is held by short calls, not by runs. It is locked before a call to the
	// tracer's thread.
	mu       sync.Mutex
	running  bool
	idle     *sync.Cond // signaled when running becomes false
	detached bool
	freeRun  *freeRun // the timer of MaxStop, or the run that it started; nil if neither

	// The parts belong to the tracer's thread while it runs a call, and otherwise to the
	// holder of mu.

	tracer      *ptrace.Tracer
	tracee      *tracee
	queue       *eventQueue
	cache       *registerCache
	code        *codeCache
	threads     *threads
	rescue      *rescue
	injection   *injection
	traps       *traps
	breakpoints *breakpoints
	syscalls    *syscalls
	writes      *writes
	children    *children
	events      *events
	execution   *execution
}

// newProcess returns a Process without threads.
func newProcess(pid int, options Options, tracer *ptrace.Tracer) *Process {
	p := &Process{tracer: tracer}
	p.idle = sync.NewCond(&p.mu)
	p.tracee = newTracee(pid, options, tracer)
	p.queue = &eventQueue{}
	p.cache = &registerCache{tracer: tracer, threads: map[int]*cachedThread{}}
	p.code = &codeCache{tracee: p.tracee}
	p.threads = &threads{tracer: tracer, tracee: p.tracee, queue: p.queue, byID: map[int]*thread{}, current: pid}
	p.rescue = &rescue{tracer: tracer, tracee: p.tracee, threads: p.threads}
	p.injection = &injection{tracer: tracer, tracee: p.tracee, queue: p.queue, code: p.code, threads: p.threads, rescue: p.rescue}
	p.traps = &traps{tracee: p.tracee, threads: p.threads, rescue: p.rescue, injection: p.injection}
	p.breakpoints = &breakpoints{tracer: tracer, tracee: p.tracee, threads: p.threads, rescue: p.rescue}
	p.syscalls = &syscalls{tracer: tracer, tracee: p.tracee, queue: p.queue, threads: p.threads, rescue: p.rescue}
	p.writes = &writes{tracee: p.tracee, threads: p.threads, injection: p.injection}
	p.children = &children{
		tracer: tracer, tracee: p.tracee, rescue: p.rescue, traps: p.traps, breakpoints: p.breakpoints,
		announced: map[int]inheritance{}, held: map[int]bool{},
	}
	p.events = &events{
		tracer: tracer, tracee: p.tracee, queue: p.queue, code: p.code, threads: p.threads, rescue: p.rescue, injection: p.injection,
		traps: p.traps, breakpoints: p.breakpoints, syscalls: p.syscalls, writes: p.writes, children: p.children,
		early: map[int]ptrace.Event{},
	}
	p.tracee.events = p.events
	p.execution = &execution{
		tracer: tracer, tracee: p.tracee, queue: p.queue, cache: p.cache, code: p.code, threads: p.threads, rescue: p.rescue,
		injection: p.injection, traps: p.traps, breakpoints: p.breakpoints, syscalls: p.syscalls,
		children: p.children, events: p.events, pause: make(chan struct{}, 1),
	}
	return p
}

// ID returns the process id.
func (p *Process) ID() int { return int(p.tracee.id.Load()) }

// End returns the final stop and true if the process has ended.
func (p *Process) End() (Stop, bool) {
	eventsPending := false
	if err := p.withoutTracer(func() error { eventsPending = p.queue.pending(); return nil }); err == nil && !eventsPending {
		return Stop{}, false
	}
	var s Stop
	ended := false
	_ = p.withTracerOrEnded(func() {
		if p.events.collect(); p.tracee.ended != nil {
			s, ended = *p.tracee.ended, true
		}
	})
	return s, ended
}

// Launched reports whether this program started the process.
func (p *Process) Launched() bool { return p.tracee.launched }

// withTracer runs f on the tracer's thread while the process is stopped. f may
// change threads, so what is cached of them is dropped, and the current thread is
// read again.
func (p *Process) withTracer(f func() error) error {
	if p.tracer.Inside() {
		clear(p.cache.threads)
		return p.tracee.unlessEnded(f)
	}
	return p.withTracerReadOnly(func() error {
		clear(p.cache.threads)
		defer p.cacheCurrent()
		return f()
	})
}

// withTracerReadOnly is withTracer for an f that changes no thread.
func (p *Process) withTracerReadOnly(f func() error) error {
	if p.tracer.Inside() {
		return p.tracee.unlessEnded(f)
	}
	return p.withStopped(func() error {
		return p.tracer.Do(context.Background(), func() error { return p.tracee.unlessEnded(f) })
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
	run := func() { clear(p.cache.threads); f() }
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
	case <-p.execution.pause: // of an earlier run
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
	p.execution.requestPause()
}

// Threads returns the threads in the order of their ids.
func (p *Process) Threads() ([]ThreadInfo, error) {
	var all []ThreadInfo
	err := p.withoutTracer(func() error {
		for id := range p.threads.byID {
			all = append(all, ThreadInfo{ID: id, Name: procfs.ThreadName(p.tracee.pid, id), Current: id == p.threads.current})
		}
		return nil
	})
	slices.SortFunc(all, func(a, b ThreadInfo) int { return a.ID - b.ID })
	return all, err
}

// Halted returns the signal that keeps the running process stopped until SIGCONT, and 0 if
// there is none. It may be called at any time.
func (p *Process) Halted() syscall.Signal { return syscall.Signal(p.execution.halted.Load()) }

// CurrentThread returns the thread of the last stop, or the one that
// SetCurrentThread has chosen since. Methods that take a thread use it for 0.
func (p *Process) CurrentThread() (int, error) {
	var id int
	err := p.withoutTracer(func() error { id = p.threads.current; return nil })
	return id, err
}

// SetCurrentThread sets the current thread.
func (p *Process) SetCurrentThread(id int) error {
	return p.withoutTracer(func() error {
		t, err := p.threads.find(id)
		if err == nil {
			p.threads.current = t.id
		}
		return err
	})
}

// SetSignal sets the action for a signal from now on.
func (p *Process) SetSignal(sig signalNumber, action Action) error {
	return p.withoutTracer(func() error {
		if sig > 0 && sig <= maxSignal {
			p.tracee.actions[sig] = action
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
