package debugger

import (
	"context"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/inspect"
)

// A SessionInfo describes a debugging session, for operators.
type SessionInfo struct {
	session.State

	Target string               // the process or the file
	Client string               // the client's connection, session or key
	Frames []inspect.StackFrame // innermost first; none while the process runs or a call uses it
}

// The work of an overview is bounded: it must not disturb those who debug.
const (
	overviewFrames = 16
	overviewWait   = 100 * time.Millisecond
)

// Overview describes the sessions of all clients of a family that Open has opened. It
// changes nothing: a process that runs goes on, and a client's next answer still has
// the state that is news to it.
func (c *Config) Overview(ctx context.Context) []SessionInfo {
	if c.sessions == nil {
		return nil
	}
	var all []SessionInfo
	for _, s := range c.sessions.All() {
		all = append(all, describe(ctx, s))
	}
	return all
}

// SessionCount returns the number of debugger sessions. It waits for none of them.
func (c *Config) SessionCount() int {
	if c.sessions == nil {
		return 0
	}
	return len(c.sessions.All())
}

// describe describes a session, with its stack if no call is using it.
func describe(ctx context.Context, s *session.Session) SessionInfo {
	info := SessionInfo{State: s.State(), Target: s.Target.Name(), Client: s.Key}
	ctx, cancel := context.WithTimeout(ctx, overviewWait)
	defer cancel()
	_, release, err := s.Acquire(ctx)
	if err != nil {
		return info // a call uses it, or it has ended
	}
	defer release()
	if s.RequireStopped() != nil {
		return info
	}
	if frames, err := s.Inspector.Frames(0, overviewFrames); err == nil { // without a stack, the state is shown alone
		info.Frames = inspect.StackFrames(frames)
	}
	return info
}
