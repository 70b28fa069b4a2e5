package gdbremote

import (
	"context"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
)

// oneLine makes a text suitable for a packet that gdb prints.
func oneLine(text string) string {
	return strings.Join(strings.Fields(text), " ")
}

// detach handles D. An owner ends the session and lets the process continue;
// other clients only disconnect.
func (v *server) detach(ctx context.Context, _ string) ([]byte, error) {
	v.closing = true
	if v.Role == session.Owner {
		if err := v.sessions.End(ctx, v.s, false, v.s.Target.Name()+" was detached from"); proc.UnlessEnded(err) != nil {
			return nil, err
		}
	}
	return []byte("OK"), nil
}

// kill handles k and vKill. Only an owner kills, and only a process that the
// debugger launched; other clients disconnect.
func (v *server) kill(ctx context.Context, _ string) ([]byte, error) {
	v.closing = true
	if v.Role == session.Owner {
		if err := v.sessions.End(ctx, v.s, v.s.Target.Launched(), v.s.Target.Name()+" was killed"); proc.UnlessEnded(err) != nil {
			return nil, err
		}
	}
	return []byte("OK"), nil
}

// clearBreakpoints clears the breakpoints of a client that disconnected. It waits
// until the session is idle; a session that has ended has no breakpoints.
func (v *server) clearBreakpoints() {
	if len(v.breakpoints) == 0 && v.caught == nil {
		return
	}
	_, leave, err := v.s.AcquireIdle(context.Background())
	if err != nil {
		return
	}
	defer leave()
	for _, b := range v.breakpoints {
		if err := proc.UnlessEnded(v.clear(b)); err != nil && v.Log != nil {
			v.Log.Warn("a breakpoint could not be cleared", "session", v.s.ID, "err", err)
		}
	}
	if v.caught != nil {
		_ = v.s.Breakpoints.Clear(v.caught) // it is gone if the process is
	}
}
