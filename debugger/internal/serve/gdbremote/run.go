package gdbremote

import (
	"context"
	"encoding/hex"
	"errors"
	"math"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/gdbremote/packet"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
)

// move moves the session and returns the stop reply. If the session is not where
// the client was shown, it returns the current stop instead. For a mirror it
// waits for the session's next stop.
func (v *server) move(ctx context.Context, through way) ([]byte, error) {
	return v.moveTo(ctx, through, false)
}

// moveTo is move. A way back goes through recorded history.
func (v *server) moveTo(ctx context.Context, through way, back bool) ([]byte, error) {
	_, stops, _ := v.s.LastStop()
	told := stops == v.shownStop && !v.untold
	if told && v.Role == session.Mirror {
		return v.follow(ctx)
	}
	leave, err := v.acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	if _, stops, _ := v.s.LastStop(); v.untold || stops != v.shownStop {
		v.untold = false
		return v.current(signalTrap)
	}
	if err := v.s.Target.RequireExecution(); err != nil {
		return nil, err
	}
	if to := v.seekTo; to != nil {
		v.seekTo, back = nil, true
		through = func(ctx context.Context) (proc.Stop, error) { return v.s.Timeline.GoTo(ctx, *to) }
	}
	return v.run(ctx, through, back)
}

// outputTime is the interval at which the output of a running program is
// forwarded.
const outputTime = 100 * time.Millisecond

// An ended is the result of an operation.
type ended struct {
	outcome session.Outcome
	err     error
}

// run starts an operation and waits for its end. Meanwhile it forwards output,
// and an interrupt from the client pauses the process.
func (v *server) run(ctx context.Context, through way, back bool) ([]byte, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	travels := back || v.s.Travels()
	op := v.s.BeginLimited(back, through)
	done := make(chan ended, 1)
	go func() {
		outcome, err := v.s.Await(ctx, waiting{}, op, math.MaxInt64)
		done <- ended{outcome, err}
	}()
	ticker := time.NewTicker(outputTime)
	defer ticker.Stop()
	packets := v.packets
	for {
		select {
		case end := <-done:
			return v.finished(end, travels)
		case p, ok := <-packets:
			switch {
			case !ok: // the client has disconnected
				packets = nil
				cancel()
			case p.Interrupt:
				v.pause(ctx)
			default:
				v.queued = append(v.queued, p)
			}
		case <-ticker.C:
			if v.s.Target.Output != nil {
				v.print(v.s.Target.Output.Take())
			}
		}
	}
}

// waiting is the caller of an operation that has no deadline and shows no
// progress.
type waiting struct{}

func (waiting) InputClosed() <-chan struct{}                       { return nil }
func (waiting) Progress(context.Context, float64, float64, string) {}

// pause stops the process. The reply is that of the paused operation.
func (v *server) pause(ctx context.Context) {
	outcome, err := v.s.Pause(ctx)
	if err == nil {
		v.print(outcome.Output)
	}
}

// finished returns the stop reply of an operation that has ended. After one through recorded
// history there is always a place to stop at.
func (v *server) finished(end ended, travels bool) ([]byte, error) {
	_, v.shownStop, _ = v.s.LastStop()
	switch {
	case errors.Is(end.err, context.Canceled):
		v.closing = true
		return nil, nil
	case end.err != nil && travels:
		v.print("triptych: " + end.err.Error() + "\n")
		return v.current(signalInterrupt)
	case end.err != nil:
		return nil, end.err
	}
	v.print(end.outcome.Output)
	for _, line := range end.outcome.Logged {
		v.print(line + "\n")
	}
	if note := end.outcome.State.Note; note != "" {
		v.print("triptych: " + note + "\n")
	}
	if stop, exited := v.s.Target.ExitStop(); exited {
		v.closing = true
		return v.stopReply(stop, noSignal)
	}
	return v.current(signalInterrupt)
}

// maxPrinted is the maximum number of bytes in a packet with text.
const maxPrinted = packet.MaxSize / 4

// print shows a text on the client's console. That is possible only while the
// client waits for a stop. An error is also returned by the next reply.
func (v *server) print(text string) {
	for text != "" {
		n := min(len(text), maxPrinted)
		_ = v.conn.Write(append([]byte("O"), hex.EncodeToString([]byte(text[:n]))...))
		text = text[n:]
	}
}

// A way moves a session until it stops.
type way func(ctx context.Context) (proc.Stop, error)
