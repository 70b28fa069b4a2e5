package recorder

import (
	"context"

	"github.com/triptych-mcp/triptych/debugger"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/audit"
)

// recordConnection records that a debugger of the user's own has connected to a
// session, or disconnected. Only the user who runs the server can connect.
func (r *Recorder) recordConnection(c debugger.Connection) error {
	method, mode := "debugger/connect", "looking"
	if c.Ended {
		method = "debugger/disconnect"
	}
	if c.Control {
		mode = "control"
	}
	record := audit.Record{
		Key: host.Local().ID, Method: method, Target: string(c.Protocol), Outcome: audit.OK,
		Details: map[string]string{"session": c.Session, "mode": mode},
	}
	if err := r.Append(ClassifiedRecord{Record: record, Change: true}); err != nil {
		return err
	}
	return r.Commit(context.Background())
}
