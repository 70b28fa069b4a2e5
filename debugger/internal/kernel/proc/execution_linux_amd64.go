package proc

import (
	"cmp"
	"context"
	"errors"
	"sync/atomic"
	"syscall"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// execution lets the threads run and stops them.
type execution struct {
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
	children    *children
	events      *events

	endReported bool          // Resume has returned the end of the process
	pause       chan struct{} // of capacity 1: requests to stop the process
	halted      atomic.Int32  // the signal that has stopped the process while it runs, else 0
}

// Resume lets all threads run until a breakpoint, a signal, the end of the process,
// or a pause, which the end of ctx also is. If several threads stop at once, the
// next calls return their stops before anything runs.
//
// The current thread continues past a breakpoint at its pc.
func (p *Process) Resume(ctx context.Context) (Stop, error) {
	var s Stop
	err := p.access.withTracerRunning(ctx, func() (err error) {
		if p.execution.endReported {
			return ErrExited
		}
		p.threads.unpin()
		p.code.drop()
		p.threads.skipCurrentBreakpoint()
		s, err = p.execution.run(ctx)
		s.Left, p.children.left = p.children.left, 0
		return err
	})
	return s, err
}

// run returns the next stop.
func (x *execution) run(ctx context.Context) (Stop, error) {
	for {
		if err := x.succeed(); err != nil {
			return Stop{}, err
		}
		if s, ok := x.takeReport(); ok {
			return s, nil
		}
		paused, err := x.runOnce(ctx)
		if err = x.tracee.checkEnded(err); err != nil && x.tracee.ended == nil {
			return Stop{}, err
		}
		if err := x.succeed(); err != nil {
			return Stop{}, err
		}
		if s, ok := x.takeReport(); ok {
			return s, nil
		}
		if paused {
			return x.threads.stopOf(x.threads.byID[x.threads.current], Stop{Why: Paused}), nil
		}
	}
}

// takeReport returns the end or the oldest unreported stop, if there is one.
func (x *execution) takeReport() (Stop, bool) {
	for x.tracee.ended == nil {
		t := x.threads.firstReport()
		if t == nil {
			return Stop{}, false
		}
		s := t.report.stop
		t.report = nil
		if s.Breakpoint != 0 && !x.breakpoints.consume(s.Breakpoint) {
			continue // the breakpoint was cleared since
		}
		x.threads.current = t.id
		t.reportedSignal = t.signal.number
		return x.threads.stopOf(t, s), true
	}
	x.endReported = true
	return *x.tracee.ended, true
}

// runOnce lets all threads run until one needs attention, and stops them. That
// includes a breakpoint that does not stop, because its instruction must be
// stepped over while the int3 is removed.
func (x *execution) runOnce(ctx context.Context) (paused bool, err error) {
	if len(x.breakpoints.locations) > 0 {
		err = x.traps.install()
	}
	if err := errors.Join(err, x.passBreakpoints(ctx)); err != nil || x.needsAttention() {
		return x.mustPause(ctx), errors.Join(err, x.quiesce())
	}
	if err := errors.Join(x.traps.deliver(), x.breakpoints.arm()); err != nil {
		return false, errors.Join(err, x.breakpoints.disarm())
	}
	paused, err = x.runFreely(ctx)
	if x.tracee.ended != nil {
		return false, err
	}
	return paused, errors.Join(err, x.events.stopAll(), x.breakpoints.disarm(), x.quiesce())
}

// runFreely resumes threads, again after each event, until one needs attention.
func (x *execution) runFreely(ctx context.Context) (paused bool, err error) {
	for {
		for _, t := range x.threads.byID {
			x.resumeThread(t)
		}
		if x.mustPause(ctx) { // even if there is always another event
			return true, nil
		}
		e, err := x.events.next(ctx, x.pause)
		if errors.Is(err, ptrace.ErrWoken) {
			return true, nil
		}
		if err != nil {
			return false, err
		}
		if x.events.handle(e); x.needsAttention() {
			return false, nil
		}
	}
}

// mustPause reports whether a stop of the process was requested.
func (x *execution) mustPause(ctx context.Context) bool {
	return len(x.pause) > 0 || ctx.Err() != nil
}

// needsAttention reports whether the process has ended, a stop is to be reported, or
// a thread must step over a breakpoint.
func (x *execution) needsAttention() bool {
	if x.tracee.ended != nil || x.children.successor.id != 0 {
		return true
	}
	for _, t := range x.threads.byID {
		if t.report != nil || !t.running && (x.breakpoints.mustStepOver(t) || x.breakpoints.mustCount(t)) {
			return true
		}
	}
	return false
}

// resumeThread resumes a stopped thread. A thread in a group stop stays in it until
// SIGCONT.
func (x *execution) resumeThread(t *thread) {
	if t.running {
		return
	}
	x.breakpoints.setResumeFlag(t)
	sig := t.signal.number
	t.running, t.signal, t.reportedSignal = true, signalled{}, 0
	t.mask, t.entered = trapMask{}, false
	t.call.inside = t.call.inside && (sig == 0 || !x.threads.handles(t, sig)) // a handler ends the call
	if t.group && sig == 0 {
		x.halted.Store(int32(cmp.Or(t.groupSignal, syscall.SIGSTOP)))
		_ = x.tracer.Listen(t.id) // the end of a thread is an event
		return
	}
	x.halted.Store(0)
	if x.syscalls.catching() {
		_ = x.tracer.ToSyscall(t.id, sig)
		return
	}
	t.call = callState{}
	_ = x.tracer.Cont(t.id, sig)
}

// passBreakpoints steps the threads that continue at a breakpoint over it, one at a
// time, while the breakpoints are removed. The resume flag alone would do at a hardware
// breakpoint but for signals: the handler of one that is delivered before the
// instruction may let another thread go on there, as that of Go's runtime does, and
// the breakpoint would stop twice for one execution.
func (x *execution) passBreakpoints(ctx context.Context) error {
	var errs error
	for _, t := range x.threads.byID {
		if x.tracee.ended == nil && (x.breakpoints.mustStepOver(t) || x.breakpoints.hardwareAt(t) != nil) {
			errs = errors.Join(errs, x.stepOver(ctx, t))
		}
	}
	return errs
}

// stepOver single-steps a thread and defers signals. A system call is only entered,
// because it may return only after other threads have run.
func (x *execution) stepOver(ctx context.Context, t *thread) error {
	reported := t.reportedSignal
	x.threads.deferSignal(t)
	s := &Stepper{x: x, ctx: ctx, t: t, enter: true, syscallTimeout: blockedAfter}
	outcome, err := s.Step()
	for ; err == nil && (outcome == StepSignal || outcome == StepBlocked); outcome, err = s.Step() {
		x.threads.deferSignal(t)
	}
	if err != nil || outcome == StepEnded || outcome == StepGone || outcome == StepExec {
		return err
	}
	if outcome == StepEntered {
		x.syscalls.onSyscall(t)
		return nil
	}
	if t.running {
		return nil // deferred signals cannot be sent within a system call; quiesce does it
	}
	t.skipBreakpoint = outcome == StepPaused // it was not stepped
	x.threads.leaveTrap(t)
	err = errors.Join(x.threads.restoreMask(t), x.injection.sendDeferred(t))
	t.reportedSignal = reported
	return err
}

// quiesce stops all threads and brings them to a state in which the process could
// be detached from: out of SIGTRAP stops, with their signal masks restored and
// deferred signals sent.
func (x *execution) quiesce() error {
	if x.tracee.ended != nil {
		return nil
	}
	errs := errors.Join(x.events.stopAll(), x.syscalls.leaveAll())
	for _, t := range x.threads.byID {
		t.step = step{}
		x.threads.leaveTrap(t)
		errs = errors.Join(errs, x.threads.restoreMask(t))
		if len(t.deferred) > 0 && t.signal.number == 0 {
			errs = errors.Join(errs, x.injection.sendDeferred(t))
		}
	}
	if x.tracee.ended != nil {
		return nil
	}
	return errs
}

func (x *execution) requestPause() {
	select {
	case x.pause <- struct{}{}:
	default:
	}
}
