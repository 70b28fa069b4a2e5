package traveltools

import (
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/session"
)

// A Group implements the tools that move through the history of a process or a
// trace.
type Group struct {
	Sessions *session.Registry
	Exports  string // folder of exported traces
	Now      func() time.Time
	// WithholdTraces leaves the bytes of binary traces out of answers. They have the
	// memory of the program as it is.
	WithholdTraces bool
}
