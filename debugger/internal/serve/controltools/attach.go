package controltools

import (
	"context"
	"errors"
	"fmt"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/failure"
	"github.com/triptych-mcp/triptych/debugger/internal/session/target"
	"github.com/triptych-mcp/triptych/mcp"
)

// attachArgs holds the arguments of attach.
type attachArgs struct {
	PID int `json:"pid" doc:"Process ID to attach to"`
	followArg
	historyArg
}

// Validate checks rules that the documented schema does not express.
func (a attachArgs) Validate() error {
	if a.PID < 1 {
		return errors.New("pid must be a positive integer")
	}
	return nil
}

// Attached is the answer of attach.
type Attached struct {
	State session.State `json:"state"`
}

// Text returns the documented text form.
func (a Attached) Text() string {
	return fmt.Sprintf("Successfully attached to process %d", a.State.PID)
}

// attach starts a session with a running process. If the client already has a
// session with the process, attach returns that one.
func (t *Group) attach(ctx context.Context, call *mcp.Call, args attachArgs) (Attached, error) {
	key := call.StateKey()
	for _, s := range t.Sessions.Own(key) {
		if _, ended := s.Target.ExitStop(); !ended && s.Target.Process != nil && s.Target.ProcessID() == args.PID {
			return Attached{s.ReportedState()}, nil
		}
	}
	history, err := t.budget(args.historyArg)
	if err = errors.Join(t.Sessions.RequireRoom(key), t.Policy.check(args.PID), err); err != nil {
		return Attached{}, err
	}
	process, err := proc.Attach(ctx, args.PID, t.processOptions())
	if errors.Is(err, proc.ErrNotFound) {
		err = failure.NoProcess(args.PID)
	}
	if err != nil {
		return Attached{}, err
	}
	d := target.OfProcess(process, nil, "attached")
	d.Account = t.account(call)
	s, err := t.Sessions.Add(key, d)
	if err != nil {
		return Attached{}, err
	}
	_, leave, err := s.Acquire(ctx)
	if err != nil {
		return Attached{}, err
	}
	s.Breakpoints.StopAtPanics(true)
	s.Timeline.Keep(history)
	err = t.follow(s, args.followArg)
	leave()
	if err != nil {
		return Attached{}, err
	}
	return Attached{s.ReportedState()}, nil
}

// processOptions returns the options for sessions with live processes.
func (t *Group) processOptions() proc.Options {
	return proc.Options{Log: t.Sessions.Log, MaxStop: t.Sessions.MaxStop}
}
