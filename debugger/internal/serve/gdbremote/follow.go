package gdbremote

import (
	"context"

	"github.com/triptych-mcp/triptych/debugger/internal/session"
)

// follow waits for the next stop of a session that others control. If the client
// interrupts, it stops waiting and reports the current position.
func (m *moves) follow(ctx context.Context) ([]byte, error) {
	if !m.client.mirrorAnnounced {
		m.client.mirrorAnnounced = true
		m.client.print("triptych: this is a mirror: it shows the next stop of session " + m.client.s.ID +
			"; breakpoints set here have no effect, Ctrl-C ends the wait\n")
	}
	for {
		_, stops, next := m.client.s.LastStop()
		if stops != m.client.shownStop {
			return m.caughtUp(ctx)
		}
		select {
		case <-next:
		case <-m.client.s.Inspector.Life.Done():
			m.client.closing = true
			stop, _ := m.client.s.Target.ExitStop()
			return m.sessionEnded(stop.Ended())
		case <-ctx.Done():
			return nil, ctx.Err()
		case p, ok := <-m.client.packets:
			switch {
			case !ok:
				m.client.closing = true
				return nil, nil
			case !p.Interrupt:
				m.client.queued = append(m.client.queued, p)
			case m.client.s.State().Status == session.Running:
				m.client.print("triptych: the process is running, and a mirror cannot stop it\n")
			default:
				return m.caughtUp(ctx)
			}
		}
	}
}

// caughtUp returns the stop reply for the current position.
func (m *moves) caughtUp(ctx context.Context) ([]byte, error) {
	if stop, exited := m.client.s.Target.ExitStop(); exited {
		m.client.closing = true
		return m.replies.stopReply(stop, noSignal)
	}
	leave, err := m.client.acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	return m.replies.current(signalInterrupt)
}

// sessionEnded reports the end of the session to the client: how the process
// ended or, if it was detached, an exit, since the protocol has no reply for
// that.
func (m *moves) sessionEnded(exited bool) ([]byte, error) {
	if stop, _ := m.client.s.Target.ExitStop(); exited {
		return m.replies.stopReply(stop, noSignal)
	}
	m.client.print("triptych: the session has ended\n")
	return []byte("W00" + m.client.endedProcess()), nil
}
