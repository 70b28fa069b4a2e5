package debugger

import (
	"errors"
	"slices"

	"github.com/triptych-mcp/triptych/mcp"
)

// groups are the tools of the family.
type groups struct {
	sessions *registry
	control  *controlGroup
	travel   *travelGroup
	look     *lookGroup
	account  *accountGroup
	similar  *similarGroup
	xml      *xmlGroup
}

const liveInstructions = "Attach to a process or launch a program, set breakpoints, continue, and look at the stack and variables " +
	"where it stops. A process stands still until continue, a step or detach; detach when done."

// table has the tools in the order in which clients see them.
func (g *groups) table() *mcp.Table {
	tools := slices.Concat(
		g.control.tools(), g.travel.tools(), g.look.tools(), g.control.fileTools(), g.account.tools(), g.similar.tools(), g.xml.tools(),
	)
	g.account.phrases = map[string]string{}
	for i := range tools {
		g.account.phrases[tools[i].Name] = tools[i].Phrase
	}
	return &mcp.Table{
		Family:       "debugger",
		Identity:     mcp.Implementation{Name: "kindly-debugger", Version: "1.0.0"},
		Baseline:     mcp.CapabilityTools,
		Instructions: liveInstructions,
		Tools:        tools,
		Errors:       wireError,
		EndSession:   g.sessions.endSession,
		Close:        g.close,
	}
}

// close ends all sessions and closes the library of documents.
func (g *groups) close() error {
	return errors.Join(g.sessions.endAll("", true), g.xml.documents.Close())
}
