package controltools

import (
	"slices"

	"github.com/triptych-mcp/triptych/debugger/internal/folders"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/mcp"
)

// A Group has the tools that begin and end sessions, set breakpoints, and let
// the process run.
type Group struct {
	Sessions *session.Registry
	Policy   Policy
	NoLaunch bool
	NoWrite  bool
	Traces   folders.Set // core files and traces that can be opened
}

// Tools returns the rows of the group except those of FileTools.
func (t *Group) Tools() []mcp.Tool {
	return slices.Concat(t.sessionTools(), t.breakpointTools(), t.runTools())
}
