package gdbremote

import (
	"context"
	"errors"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/session/stepping"
)

// resume handles c. Resuming at another address (c ADDR) is not supported;
// clients write the register instead.
func (m *moves) resume(ctx context.Context, args string) ([]byte, error) {
	if args != "" {
		return nil, errArgument
	}
	return m.move(ctx, m.forward)
}

// resumeWithSignal handles C. The engine always delivers the signal of the last
// stop when the process continues; other signals are not supported.
func (m *moves) resumeWithSignal(ctx context.Context, _ string) ([]byte, error) {
	return m.move(ctx, m.forward)
}

// stepOnce handles s.
func (m *moves) stepOnce(ctx context.Context, args string) ([]byte, error) {
	if args != "" {
		return nil, errArgument
	}
	return m.move(ctx, m.stepping(anyThread, 0, 0))
}

// stepWithSignal handles S.
func (m *moves) stepWithSignal(ctx context.Context, _ string) ([]byte, error) {
	return m.move(ctx, m.stepping(anyThread, 0, 0))
}

// forward continues to the next breakpoint, signal or the end. At the present it
// records if the client asked for that.
func (m *moves) forward(ctx context.Context) (proc.Stop, error) {
	if m.client.Record && m.client.s.Target.Process != nil {
		return m.client.s.Stepper.Record(ctx, 0, 0)
	}
	return m.client.s.Stepper.Continue(ctx)
}

// stepping returns a way that steps a thread once, or as long as its address is
// in [start, end).
func (m *moves) stepping(thread int, start, end uint64) way {
	return func(ctx context.Context) (proc.Stop, error) {
		if thread == anyThread {
			var err error
			if thread, err = m.client.s.Target.View.CurrentThread(); err != nil {
				return proc.Stop{}, err
			}
		}
		return m.client.s.Stepper.StepThread(ctx, thread, start, end)
	}
}

// continueBack handles bc.
func (m *moves) continueBack(ctx context.Context, _ string) ([]byte, error) {
	return m.moveTo(ctx, m.back(m.client.s.Stepper.ReverseContinue), true)
}

// stepBack handles bs: the thread that the client selected makes one step back.
func (m *moves) stepBack(ctx context.Context, _ string) ([]byte, error) {
	return m.moveTo(ctx, m.back(func(ctx context.Context) (proc.Stop, error) {
		thread := m.client.thread
		if thread == anyThread {
			thread, _ = m.client.s.Target.View.CurrentThread() // a stopped process has a current thread
		}
		return m.client.s.Stepper.StepThreadBack(ctx, thread)
	}), true)
}

// back returns a way backward that stops at once if nothing was recorded before
// the position.
func (m *moves) back(through way) way {
	return func(ctx context.Context) (proc.Stop, error) {
		h, err := m.client.s.Timeline.Require()
		if err != nil {
			return proc.Stop{}, err
		}
		if h.View().Position() == h.Oldest() {
			return m.client.s.Timeline.StopAt(stepping.AtBeginning, nil)
		}
		return through(ctx)
	}
}

// resumeThreads handles vCont;ACTION[:THREAD]… While a thread steps, or continues alone, the
// others stay stopped, unless it waits for them.
func (m *moves) resumeThreads(ctx context.Context, args string) ([]byte, error) {
	var alone []int // threads that c applies to
	all := false    // c applies to all others, too
	for text := range strings.SplitSeq(args, ";") {
		action, id, one := strings.Cut(text, ":")
		thread := anyThread
		if one {
			var err error
			if thread, err = m.client.parseThread(id); err != nil {
				return nil, err
			}
		}
		start, end, err := parseRange(action)
		if err != nil {
			return nil, err
		}
		switch {
		case action == "s" && one && text == args:
			return m.stepAlone(ctx, thread, m.stepping(thread, 0, 0))
		case action[0] == 's', action[0] == 'S', action[0] == 'r':
			return m.move(ctx, m.stepping(thread, start, end))
		case thread == anyThread:
			all = true
		default:
			alone = append(alone, thread)
		}
	}
	if all || len(alone) == 0 {
		return m.move(ctx, m.forward)
	}
	return m.move(ctx, m.continuing(alone))
}

// parseRange checks an action and returns the addresses of r.
func parseRange(action string) (start, end uint64, err error) {
	switch {
	case action == "c", action == "s", strings.HasPrefix(action, "C"), strings.HasPrefix(action, "S"):
		return 0, 0, nil
	case strings.HasPrefix(action, "r"):
		return parsePair(action[1:])
	}
	return 0, 0, errArgument
}

// continuing returns a way that continues only these threads, of which there is one if
// the process has others. lldb calls functions so, and gdb continues so with
// "set scheduler-locking on".
func (m *moves) continuing(alone []int) way {
	return func(ctx context.Context) (proc.Stop, error) {
		threads, err := m.client.s.Target.View.Threads()
		switch {
		case err != nil:
			return proc.Stop{}, err
		case len(threads) == len(alone):
			return m.forward(ctx)
		case len(alone) > 1:
			return proc.Stop{}, errors.New("one thread alone or all threads can continue")
		}
		return m.client.s.Stepper.ContinueThread(ctx, alone[0])
	}
}
