package gdbremote

import (
	"context"

	"github.com/triptych-mcp/triptych/debugger/internal/session"
)

// follow waits for the next stop of a session that others control. If the client
// interrupts, it stops waiting and reports the current position.
func (v *server) follow(ctx context.Context) ([]byte, error) {
	if !v.mirrorAnnounced {
		v.mirrorAnnounced = true
		v.print("triptych: this is a mirror: it shows the next stop of session " + v.s.ID +
			"; breakpoints set here have no effect, Ctrl-C ends the wait\n")
	}
	for {
		_, stops, next := v.s.LastStop()
		if stops != v.shownStop {
			return v.caughtUp(ctx)
		}
		select {
		case <-next:
		case <-v.s.Inspector.Life.Done():
			v.closing = true
			stop, _ := v.s.Target.ExitStop()
			return v.sessionEnded(stop.Ended())
		case <-ctx.Done():
			return nil, ctx.Err()
		case p, ok := <-v.packets:
			switch {
			case !ok:
				v.closing = true
				return nil, nil
			case !p.Interrupt:
				v.queued = append(v.queued, p)
			case v.s.State().Status == session.Running:
				v.print("triptych: the process is running, and a mirror cannot stop it\n")
			default:
				return v.caughtUp(ctx)
			}
		}
	}
}

// caughtUp returns the stop reply for the current position.
func (v *server) caughtUp(ctx context.Context) ([]byte, error) {
	if stop, exited := v.s.Target.ExitStop(); exited {
		v.closing = true
		return v.stopReply(stop, noSignal)
	}
	leave, err := v.acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	return v.current(signalInterrupt)
}

// sessionEnded reports the end of the session to the client: how the process
// ended or, if it was detached, an exit, since the protocol has no reply for
// that.
func (v *server) sessionEnded(exited bool) ([]byte, error) {
	if stop, _ := v.s.Target.ExitStop(); exited {
		return v.stopReply(stop, noSignal)
	}
	v.print("triptych: the session has ended\n")
	return []byte("W00" + v.endedProcess()), nil
}
