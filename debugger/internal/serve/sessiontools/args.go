package sessiontools

import (
	"time"

	"github.com/triptych-mcp/triptych/mcp"
)

// The scopes of tools that read a process, and of those that move or change
// it.
const (
	ReadScope  mcp.Scope = "debug:read"
	WriteScope mcp.Scope = "debug:write"
)

// LookUp is the reason why calls that only show a process are recorded as
// look-ups, see [mcp.Tool.LookUp].
const LookUp = "it shows processes that the caller debugs"

// SessionArg is an argument of all tools that work on a session.
type SessionArg struct {
	Session string `json:"session,omitempty"`
}

func (a SessionArg) session() string { return a.Session }

// sessionArgs are arguments with a SessionArg.
type sessionArgs interface{ session() string }

// OnlySession is the arguments of tools that have no others.
type OnlySession struct{ SessionArg }

// MaxMemory is the maximum size of memory in an answer.
const MaxMemory = 64 << 10

// DefaultWait is the default time to wait for the process to stop.
const DefaultWait = 10 * time.Second

// MaxWait is the maximum time to wait for the process to stop.
const MaxWait = time.Minute

// WaitArg is an argument of all tools that let the process run.
type WaitArg struct {
	WaitMS int `json:"wait_ms,omitempty" min:"0" max:"60000" default:"10000" bounds:"enforced"`
}

// Wait returns the time to wait.
func (a WaitArg) Wait() time.Duration { return waitFor(a.WaitMS) }

// StepWaitArg is a WaitArg of tools that seldom take long: models are not told of it, and wait
// on with the tool wait.
type StepWaitArg struct {
	WaitMS int `json:"wait_ms,omitempty" min:"0" max:"60000" default:"10000" bounds:"enforced" listed:"false"`
}

// Wait returns the time to wait.
func (a StepWaitArg) Wait() time.Duration { return waitFor(a.WaitMS) }

// waitFor returns the time to wait for a number of milliseconds.
func waitFor(ms int) time.Duration {
	return min(MaxWait, max(0, time.Duration(ms)*time.Millisecond))
}
