package session

import (
	"context"
	"fmt"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/session/stepping"
	"github.com/triptych-mcp/triptych/debugger/internal/session/target"
)

// Follow decides what becomes of the children of a session's process from now on. With
// [proc.FollowBoth] each child gets a session of the same client, with the breakpoints
// of the parent, and runs until it stops at one.
func (r *Registry) Follow(s *Session, mode proc.Follow) error {
	if err := s.Target.Process.SetFollow(mode, taker{r, s}); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.follows = mode
	return nil
}

// A taker makes sessions of the children of one. While it is called the operation of
// the parent waits for its process.
type taker struct {
	r      *Registry
	parent *Session
}

// Admit reports whether the client may have another session.
func (t taker) Admit() bool {
	err := t.r.RequireRoom(t.parent.Key)
	if err != nil {
		t.parent.Timeline.Notes = append(t.parent.Timeline.Notes, "a child was not followed: "+err.Error())
	}
	return err == nil
}

// Take begins the session of a child.
func (t taker) Take(child *proc.Process, executed bool) {
	before := t.parent.Breakpoints.Sorted()
	s := &Session{ID: newID(), Key: t.parent.Key, Parent: t.parent.ID}
	pid := child.ID()
	d := target.OfProcess(child, nil, "child")
	d.Account = t.parent.Target.Account.Another()
	_, err := t.r.beginWith(s, d, func() { t.prepare(s, before, executed) })
	note := fmt.Sprintf("process %d was created; its session is %s", pid, s.ID)
	if err != nil {
		note = fmt.Sprintf("process %d was created and not followed: %v", pid, err)
	}
	t.parent.Timeline.Notes = append(t.parent.Timeline.Notes, note)
}

// prepare gives the session of a child its breakpoints and lets it run, unless it has
// just begun another program.
func (t taker) prepare(s *Session, before []*stepping.Breakpoint, executed bool) {
	s.Breakpoints.StopAtPanics(true)
	s.Timeline.Keep(t.parent.Timeline.Budget())
	if err := t.r.Follow(s, proc.FollowBoth); err != nil {
		s.Inspector.Log.Warn("the children of a child are not followed", "err", err)
	}
	if executed {
		for _, b := range before {
			s.Breakpoints.ByID[b.ID] = b.Unset()
		}
		s.RecordStop(proc.Stop{Why: proc.Executed, Thread: s.Target.CurrentStop().Thread, Address: s.Target.CurrentStop().Address})
		return
	}
	s.Timeline.Notes = append(s.Timeline.Notes, s.Breakpoints.Inherit(s.Inspector.Life, before)...)
	go t.r.endChild(s, s.Begin(s.Stepper.Continue)) // until the child stops, or its session ends
}

// endChild ends the session of a child whose process has ended without a stop: its
// client may never ask for it.
func (r *Registry) endChild(s *Session, op *Operation) {
	<-op.done
	_, leave, err := s.Acquire(context.Background()) // a caller that waits is told first
	if err != nil {
		return
	}
	stop, ended := s.Target.ExitStop()
	if leave(); !ended {
		return
	}
	if err := r.End(context.Background(), s, false, s.Target.Name()+" "+describeEnd(stop)); err != nil {
		s.Inspector.Log.Warn("a process that ended could not be released", "err", err)
	}
}
