package gdbremote

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/gdbremote/packet"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
)

// moves answers the packets that let the session move.
type moves struct {
	client  *client
	replies *replies

	seekTo *uint64 // position that the next resume command goes to
}

// move moves the session and returns the stop reply. If the session is not where
// the client was shown, it returns the current stop instead. For a mirror it
// waits for the session's next stop.
func (m *moves) move(ctx context.Context, through way) ([]byte, error) {
	return m.moveTo(ctx, through, false)
}

// moveTo is move. A way back goes through recorded history.
func (m *moves) moveTo(ctx context.Context, through way, back bool) ([]byte, error) {
	_, stops, _ := m.client.s.LastStop()
	told := stops == m.client.shownStop && !m.replies.untold
	if told && m.client.Role == session.Mirror {
		return m.follow(ctx)
	}
	leave, err := m.client.acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	if _, stops, _ := m.client.s.LastStop(); m.replies.untold || stops != m.client.shownStop {
		m.replies.untold = false
		return m.replies.current(signalTrap)
	}
	if err := m.client.s.Target.RequireExecution(); err != nil {
		return nil, err
	}
	if to := m.seekTo; to != nil {
		m.seekTo, back = nil, true
		through = func(ctx context.Context) (proc.Stop, error) { return m.client.s.Timeline.GoTo(ctx, *to) }
	}
	return m.run(ctx, through, back)
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
func (m *moves) run(ctx context.Context, through way, back bool) ([]byte, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	travels := back || m.client.s.Travels()
	op := m.client.s.BeginLimited(back, through)
	done := make(chan ended, 1)
	go func() {
		outcome, err := m.client.s.Await(ctx, waiting{}, op, math.MaxInt64)
		done <- ended{outcome, err}
	}()
	ticker := time.NewTicker(outputTime)
	defer ticker.Stop()
	packets := m.client.packets
	for {
		select {
		case end := <-done:
			return m.finished(end, travels)
		case p, ok := <-packets:
			switch {
			case !ok: // the client has disconnected
				packets = nil
				cancel()
			case p.Interrupt:
				m.pause(ctx)
			default:
				m.client.queued = append(m.client.queued, p)
			}
		case <-ticker.C:
			if m.client.s.Target.Output != nil {
				m.client.print(m.client.s.Target.Output.Take())
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
func (m *moves) pause(ctx context.Context) {
	outcome, err := m.client.s.Pause(ctx)
	if err == nil {
		m.client.print(outcome.Output)
	}
}

// finished returns the stop reply of an operation that has ended. After one through recorded
// history there is always a place to stop at.
func (m *moves) finished(end ended, travels bool) ([]byte, error) {
	_, m.client.shownStop, _ = m.client.s.LastStop()
	switch {
	case errors.Is(end.err, context.Canceled):
		m.client.closing = true
		return nil, nil
	case end.err != nil && travels:
		m.client.print("triptych: " + end.err.Error() + "\n")
		return m.replies.current(signalInterrupt)
	case end.err != nil:
		return nil, end.err
	}
	m.client.print(end.outcome.Output)
	for _, line := range end.outcome.Logged {
		m.client.print(line + "\n")
	}
	if note := end.outcome.State.Note; note != "" {
		m.client.print("triptych: " + note + "\n")
	}
	if stop, exited := m.client.s.Target.ExitStop(); exited {
		m.client.closing = true
		return m.replies.stopReply(stop, noSignal)
	}
	return m.replies.current(signalInterrupt)
}

// maxPrinted is the maximum number of bytes in a packet with text.
const maxPrinted = packet.MaxSize / 4

// A way moves a session until it stops.
type way func(ctx context.Context) (proc.Stop, error)
