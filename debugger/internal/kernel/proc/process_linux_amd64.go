package proc

import (
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
// Its methods are the entry points: they go through access to the parts below, which do the
// work. Each part uses only those above it in the list.
type Process struct {
	access *access // has a lock of its own

	// The other parts belong to the tracer's thread while it runs a call, and otherwise to the
	// holder of the lock.

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
	p.access = &access{tracer: tracer, tracee: p.tracee, queue: p.queue, cache: p.cache, threads: p.threads, execution: p.execution}
	p.access.idle = sync.NewCond(&p.access.mu)
	return p
}

// ID returns the process id.
func (p *Process) ID() int { return int(p.tracee.id.Load()) }

// End returns the final stop and true if the process has ended.
func (p *Process) End() (Stop, bool) {
	eventsPending := false
	if err := p.access.withoutTracer(func() error { eventsPending = p.queue.pending(); return nil }); err == nil && !eventsPending {
		return Stop{}, false
	}
	var s Stop
	ended := false
	_ = p.access.withTracerOrEnded(func() {
		if p.events.collect(); p.tracee.ended != nil {
			s, ended = *p.tracee.ended, true
		}
	})
	return s, ended
}

// Launched reports whether this program started the process.
func (p *Process) Launched() bool { return p.tracee.launched }

// Pause requests that a running process stop: the current Resume or Step returns
// with the reason Paused, unless the process stops for another reason first. It
// also stops a process that runs because of MaxStop. Pause does not wait, and
// does nothing if the process is stopped.
func (p *Process) Pause() {
	p.access.mu.Lock()
	defer p.access.mu.Unlock()
	if !p.access.running {
		p.access.endFreeRunLocked()
		p.access.startMaxStopLocked()
		return
	}
	p.execution.requestPause()
}

// Threads returns the threads in the order of their ids.
func (p *Process) Threads() ([]ThreadInfo, error) {
	var all []ThreadInfo
	err := p.access.withoutTracer(func() error {
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
	err := p.access.withoutTracer(func() error { id = p.threads.current; return nil })
	return id, err
}

// SetCurrentThread sets the current thread.
func (p *Process) SetCurrentThread(id int) error {
	return p.access.withoutTracer(func() error {
		t, err := p.threads.find(id)
		if err == nil {
			p.threads.current = t.id
		}
		return err
	})
}

// SetSignal sets the action for a signal from now on.
func (p *Process) SetSignal(sig signalNumber, action Action) error {
	return p.access.withoutTracer(func() error {
		if sig > 0 && sig <= maxSignal {
			p.tracee.actions[sig] = action
		}
		return nil
	})
}

// WithTracer runs f on the tracer's thread while the process is stopped. Methods
// cost less within f. Calls from other goroutines wait.
func (p *Process) WithTracer(f func() error) error {
	return p.access.withTracer(f)
}

// stopTimeout limits how long a thread may take to stop.
const stopTimeout = 5 * time.Second
