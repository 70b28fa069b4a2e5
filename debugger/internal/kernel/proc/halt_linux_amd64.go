package proc

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// stopAll stops all threads. Breakpoints that threads reach meanwhile are
// reported.
func (p *Process) stopAll() error {
	p.collect()
	for _, t := range p.threads {
		if t.running {
			_ = p.tracer.Interrupt(t.id) // the end of a thread is an event
		}
	}
	deadline := time.Now().Add(stopTimeout)
	for p.ended == nil && (p.anyRunning() || p.deliverPendingTraps()) {
		if err := p.awaitStop(deadline); err != nil {
			return err
		}
	}
	return nil
}

// deliverPendingTraps continues threads that were interrupted between a trap and
// the delivery of its SIGTRAP, and reports whether there were any. The event stop
// of an interruption precedes pending signals: such a thread has executed its
// int3, which is about to be removed. The signal is delivered before the next
// instruction.
func (p *Process) deliverPendingTraps() bool {
	late := false
	for _, t := range p.threads {
		if !t.interrupted {
			continue
		}
		t.interrupted = false
		if p.tracer.TrapWaits(t.id) {
			t.running, late = true, true
			_ = p.tracer.Cont(t.id, 0) // the end of a thread is an event
		}
	}
	return late
}

// stopPatience limits the wait of awaitStop for an event, before it checks for
// threads that cannot stop.
const stopPatience = 20 * time.Millisecond

// awaitStop waits for one event. If none arrives it drops a thread group leader
// that has ended before other threads, because its end is reported only at the
// end of the process.
func (p *Process) awaitStop(deadline time.Time) error {
	ctx, cancel := context.WithTimeout(context.Background(), stopPatience)
	defer cancel()
	e, err := p.next(ctx, nil)
	switch {
	case err == nil:
		p.handleEvent(e)
	case errors.Is(err, ErrExited):
	case !errors.Is(err, ptrace.ErrWoken):
		return err
	default:
		p.dropZombies()
		if time.Now().After(deadline) {
			return fmt.Errorf("threads %v do not stop", p.runningThreads())
		}
	}
	return nil
}

func (p *Process) anyRunning() bool {
	for _, t := range p.threads {
		if t.running {
			return true
		}
	}
	return false
}

func (p *Process) runningThreads() []int {
	ids := slices.Sorted(maps.Keys(p.threads))
	return slices.DeleteFunc(ids, func(id int) bool { return !p.threads[id].running })
}

// dropZombies removes threads that have ended without an event.
func (p *Process) dropZombies() {
	for _, id := range p.runningThreads() {
		switch procfs.ThreadStat(p.pid, id, procfs.StatState) {
		case "Z", "X", "":
			delete(p.threads, id)
		}
	}
	if p.threads[p.current] == nil {
		for id := range p.threads {
			p.current = id
		}
	}
}

// quiesce stops all threads and brings them to a state in which the process could
// be detached from: out of SIGTRAP stops, with their signal masks restored and
// deferred signals sent.
func (p *Process) quiesce() error {
	if p.ended != nil {
		return nil
	}
	errs := errors.Join(p.stopAll(), p.leaveSyscalls())
	for _, t := range p.threads {
		t.step = step{}
		p.leaveTrap(t)
		errs = errors.Join(errs, p.restoreMask(t))
		if len(t.deferred) > 0 && t.signal.number == 0 {
			errs = errors.Join(errs, p.sendDeferred(t))
		}
	}
	if p.ended != nil {
		return nil
	}
	return errs
}
