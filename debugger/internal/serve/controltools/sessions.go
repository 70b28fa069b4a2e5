package controltools

import (
	"context"
	"fmt"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/plain"
)

// sessionList is the answer of sessions.
type sessionList struct {
	Sessions []sessionItem `json:"sessions"`
}

// A sessionItem is a session in the list.
type sessionItem struct {
	Launched   bool          `json:"launched,omitempty" doc:"Whether the program was started here"`
	Executable string        `json:"executable,omitempty"`
	File       string        `json:"file,omitempty" doc:"The core file or trace that is looked at"`
	Parent     string        `json:"parent,omitempty" doc:"The session of its parent process"`
	State      session.State `json:"state"`

	name string
}

// Text returns a line for each session.
func (l sessionList) Text() string {
	if len(l.Sessions) == 0 {
		return "No sessions"
	}
	var b strings.Builder
	b.WriteString("Sessions:")
	for _, s := range l.Sessions {
		fmt.Fprintf(&b, "\n  %s: %s %s, %s", s.State.Session, plain.Line(s.name), plain.Line(s.Executable), s.State.Status)
		if s.State.Status == session.Running && s.State.Signal != "" {
			b.WriteString(", but stopped by " + s.State.Signal + " until it gets SIGCONT")
		}
		if s.State.Address != "" {
			b.WriteString(" at " + s.State.Place())
		}
		if s.Parent != "" {
			b.WriteString(", child of " + s.Parent)
		}
	}
	return b.String()
}

// list returns the caller's sessions.
func (t *Group) list(_ context.Context, call *mcp.Call, _ struct{}) (sessionList, error) {
	list := sessionList{Sessions: []sessionItem{}}
	for _, s := range t.Sessions.Own(call.StateKey()) {
		list.Sessions = append(list.Sessions, sessionItem{
			Launched: s.Target.Launched(), Executable: s.Target.Executable(), Parent: s.Parent, File: s.Target.File, State: s.State(), name: s.Target.Name(),
		})
	}
	return list, nil
}
