package session

import (
	"cmp"
	"fmt"
	"slices"
	"syscall"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/session/failure"
	"github.com/triptych-mcp/triptych/debugger/internal/session/stepping"
	"github.com/triptych-mcp/triptych/debugger/internal/session/target"
)

// A Program describes how to launch a program, and the breakpoints to set in
// it.
type Program struct {
	Spec        proc.Spec
	Input       string // one of the kinds of package target, or a file
	AtEntry     bool   // stop at the first instruction, not at main
	Breakpoints []*stepping.Breakpoint
	Follow      proc.Follow
	Signals     map[syscall.Signal]proc.Action // those that were set, see Session.SetSignal
	History     stepping.Budget                // of its history; zero means what the server has for all
	ID          string                         // of the session, "" for a new one
}

// AddProgram begins a session with a program that was launched, under its old
// id if it has one.
func (r *Registry) AddProgram(key string, d target.Target, p Program) (*Session, error) {
	s := &Session{ID: cmp.Or(p.ID, newID()), Key: key, AtEntry: p.AtEntry}
	d.Output.OnChange(func() { r.tellOutput(s.ID) })
	return r.begin(s, d)
}

// rememberProgram notes how to launch the program of a session that has ended.
// Nothing uses the session any more.
func (r *Registry) rememberProgram(s *Session) {
	if !s.Target.Launched() || s.Parent != "" {
		return
	}
	p := &Program{Spec: s.Target.Spec, Input: s.Target.InputKind, AtEntry: s.AtEntry, Follow: s.follows, Signals: s.signals, History: s.Timeline.Budget(), Breakpoints: s.Breakpoints.Copies(), ID: s.ID}
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.ended {
		if r.ended[i].id == s.ID {
			r.ended[i].program = p
		}
	}
}

// endedProgramLocked returns the program of a client's session that has ended,
// of the last one if id is "". Registry.mu is held.
func (r *Registry) endedProgramLocked(key, id string) (Program, error) {
	for _, e := range slices.Backward(r.ended) {
		if e.key == key && e.program != nil && (id == "" || e.id == id) {
			return *e.program, nil
		}
	}
	return Program{}, failure.Errorf("Not launched", "%s", cmp.Or(r.endingLocked(key, id), fmt.Sprintf("no program was launched in the session %q; use debugger/launch", id)))
}
