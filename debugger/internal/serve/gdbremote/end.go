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
	v.client.closing = true
	if v.client.Role == session.Owner {
		if err := v.client.sessions.End(ctx, v.client.s, false, v.client.s.Target.Name()+" was detached from"); proc.UnlessEnded(err) != nil {
			return nil, err
		}
	}
	return []byte("OK"), nil
}

// kill handles k and vKill. Only an owner kills, and only a process that the
// debugger launched; other clients disconnect.
func (v *server) kill(ctx context.Context, _ string) ([]byte, error) {
	v.client.closing = true
	if v.client.Role == session.Owner {
		if err := v.client.sessions.End(ctx, v.client.s, v.client.s.Target.Launched(), v.client.s.Target.Name()+" was killed"); proc.UnlessEnded(err) != nil {
			return nil, err
		}
	}
	return []byte("OK"), nil
}
