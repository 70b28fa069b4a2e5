package traveltools

import (
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/session"
)

// A Group has the tools that go through the history of a process or a trace.
type Group struct {
	Sessions *session.Registry
	Exports  string // the folder for traces that are written
	Now      func() time.Time
}
