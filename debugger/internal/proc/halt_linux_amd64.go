package proc

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/ptrace"
)

// stopAll stops every thread. Breakpoints that threads reach meanwhile are
// reports like any others.
func (p *Process) stopAll() error {
	p.collect()
	for _, t := range p.threads {
		if t.running {
			_ = p.tracer.Interrupt(t.id) // one that is gone is told
		}
	}
	deadline := time.Now().Add(stopTimeout)
	for p.ended == nil && (p.anyRunning() || p.catchUp()) {
		if err := p.awaitStop(deadline); err != nil {
			return err
		}
	}
	return nil
}

// catchUp lets threads that were interrupted between a trap and its signal go
// on to the signal, and says whether there were any. An interruption comes
// first, however late it is: such a thread is already behind its int3, which
// is about to be taken out and may never be put in again. It gets the signal
// before it does another instruction.
func (p *Process) catchUp() bool {
	late := false
	for _, t := range p.threads {
		if !t.cut {
			continue
		}
		t.cut = false
		if p.tracer.TrapWaits(t.id) {
			t.running, late = true, true
			_ = p.tracer.Cont(t.id, 0) // one that is gone is told
		}
	}
	return late
}

// stopPatience is the time that stopAll waits before it looks for threads that
// cannot stop.
const stopPatience = 20 * time.Millisecond

// awaitStop waits for one more event, and drops first threads that have ended
// before the others: they say so only at the end of the process.
func (p *Process) awaitStop(deadline time.Time) error {
	ctx, cancel := context.WithTimeout(context.Background(), stopPatience)
	defer cancel()
	e, err := p.next(ctx, nil)
	switch {
	case err == nil:
		p.absorb(e)
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

// dropZombies forgets threads that run no more and do not say so.
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

// rest brings all threads to where the process can be left to itself: stopped,
// out of the traps of their steps, with their masks and signals.
func (p *Process) rest() error {
	if p.ended != nil {
		return nil
	}
	errs := p.stopAll()
	for _, t := range p.threads {
		t.trap = t.trap || t.entered
		t.entered, t.step = false, step{}
		p.settle(t)
		errs = errors.Join(errs, p.restoreMask(t))
		if len(t.held) > 0 && t.signal.number == 0 {
			errs = errors.Join(errs, p.sendHeld(t))
		}
	}
	if p.ended != nil {
		return nil
	}
	return errs
}
