package proc

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// stopAll stops all threads. Breakpoints that threads reach meanwhile are
// reported.
func (ev *events) stopAll() error {
	ev.collect()
	for _, t := range ev.threads.byID {
		if t.running {
			_ = ev.tracer.Interrupt(t.id) // the end of a thread is an event
		}
	}
	deadline := time.Now().Add(stopTimeout)
	for ev.tracee.ended == nil && (ev.threads.anyRunning() || ev.deliverPendingTraps()) {
		if err := ev.awaitStop(deadline); err != nil {
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
func (ev *events) deliverPendingTraps() bool {
	late := false
	for _, t := range ev.threads.byID {
		if !t.interrupted {
			continue
		}
		t.interrupted = false
		if ev.tracer.TrapWaits(t.id) {
			t.running, late = true, true
			_ = ev.tracer.Cont(t.id, 0) // the end of a thread is an event
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
func (ev *events) awaitStop(deadline time.Time) error {
	ctx, cancel := context.WithTimeout(context.Background(), stopPatience)
	defer cancel()
	e, err := ev.next(ctx, nil)
	switch {
	case err == nil:
		ev.handle(e)
	case errors.Is(err, ErrExited):
	case !errors.Is(err, ptrace.ErrWoken):
		return err
	default:
		ev.threads.dropZombies()
		if time.Now().After(deadline) {
			return fmt.Errorf("threads %v do not stop", ev.threads.running())
		}
	}
	return nil
}
