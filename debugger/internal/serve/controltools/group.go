package controltools

import (
	"slices"

	"github.com/triptych-mcp/triptych/debugger/internal/limits/budget"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/folders"
	"github.com/triptych-mcp/triptych/mcp"
)

// A Group implements the tools that start and end sessions, set breakpoints, and
// make the process run.
type Group struct {
	Sessions *session.Registry
	Policy   Policy
	NoLaunch bool
	NoWrite  bool
	Traces   folders.Set // folders of core files and traces that may be opened
	Findings string      // folder for what is found in recordings, "" for none

	// Memory limits the memory of files and debug information of each principal.
	Memory *budget.Budget

	// MaxHistory are the most MiB that a client may let the history of a session take in
	// memory, MaxHistoryFile in a file.
	MaxHistory, MaxHistoryFile int
}

// account returns an account of the principal of a call for the memory of a session.
func (t *Group) account(call *mcp.Call) *budget.Account {
	if t.Memory == nil {
		return nil
	}
	return t.Memory.Open(call.Caller().Principal.ID)
}

// closeUnless closes an account if the call that has opened it fails.
func closeUnless(account *budget.Account, err *error) {
	if *err != nil {
		account.Close()
	}
}

// Tools returns the rows of the group without those of FileTools.
func (t *Group) Tools() []mcp.Tool {
	return slices.Concat(t.sessionTools(), t.breakpointTools(), t.runTools())
}
