package controltools

import (
	"slices"

	"github.com/triptych-mcp/triptych/debugger/internal/folders"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/mcp"
)

// A Group is the tools that begin and end sessions, set breakpoints, and
// let the process run.
type Group struct {
	Sessions *session.Registry
	Policy   Policy
	NoLaunch bool
	NoWrite  bool
	Traces   folders.Set // core files and traces that can be opened
}

// Tools are the rows of the group, but for those that open files.
func (t *Group) Tools() []mcp.Tool {
	return slices.Concat(t.sessionTools(), t.breakpointTools(), t.runTools())
}
