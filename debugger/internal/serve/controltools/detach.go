package controltools

import (
	"context"
	"fmt"

	"github.com/triptych-mcp/triptych/debugger/internal/serve/sessiontools"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/failure"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/plain"
)

// detachArgs holds the arguments of detach.
type detachArgs struct {
	Kill bool `json:"kill,omitempty" doc:"End a launched program instead"`
	sessiontools.SessionArg
}

// detached is the answer of detach.
type detached struct {
	State session.State `json:"state"`
	Done  string        `json:"done" doc:"What became of the process: detached or killed; closed for a file"`

	name string // of the file, for a core file or trace
}

// AuditPID returns the process id for the audit trail.
func (d detached) AuditPID() int { return d.State.PID }

// Text describes what happened to the process.
func (d detached) Text() string {
	switch d.Done {
	case "killed":
		return fmt.Sprintf("Killed process %d", d.State.PID)
	case "closed":
		return "Closed " + plain.Line(d.name)
	}
	return fmt.Sprintf("Detached from process %d", d.State.PID)
}

// detach ends a session immediately, even while a call or an operation uses it.
func (t *Group) detach(ctx context.Context, call *mcp.Call, args detachArgs) (detached, error) {
	s, err := t.Sessions.Find(call.StateKey(), args.Session)
	if err != nil {
		return detached{}, err
	}
	if args.Kill && !s.Target.Launched() {
		return detached{}, failure.Errorf("Not launched", "%s was not launched here and is not ours to kill; debugger/detach without kill lets it go", s.Target.Name())
	}
	d := answerBefore(s)
	if args.Kill {
		d.Done, d.State.Status = "killed", session.Exited
	}
	err = t.Sessions.End(ctx, s, args.Kill, s.Target.Name()+" was detached from")
	if stop, ended := s.Target.ExitStop(); ended {
		d.State = s.Describe(stop)
	}
	return d, err
}

// answerBefore returns the answer of detach for a session that has not yet ended.
func answerBefore(s *session.Session) detached {
	if s.Target.Process == nil {
		return detached{State: session.State{Session: s.ID, PID: s.Target.ProcessID(), Status: session.Stopped}, Done: "closed", name: s.Target.Name()}
	}
	return detached{State: session.State{Session: s.ID, PID: s.Target.ProcessID(), Status: session.Running}, Done: "detached"}
}
