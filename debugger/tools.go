package debugger

import (
	"errors"
	"runtime"
	"slices"

	"github.com/triptych-mcp/triptych/debugger/internal/serve/accounttools"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/bugtools"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/controltools"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/exposetools"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/looktools"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/traveltools"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/xmltools"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/mcp"
)

// groups are the groups of tools of the family.
type groups struct {
	sessions *session.Registry
	control  *controltools.Group
	travel   *traveltools.Group
	look     *looktools.Group
	account  *accounttools.Group
	similar  *bugtools.Group
	xml      *xmltools.Group
	expose   *exposetools.Group
	mask     func(text string) string // of what leaves the server, or nil
}

const liveInstructions = "Attach to a process or launch a program, set breakpoints, continue, and look at the stack and variables " +
	"where it stops. A process stands still until continue, a step or detach; detach when done. With several sessions, " +
	"say which: session is an id that sessions lists."

// table returns the tools in the order in which clients see them.
func (g *groups) table() *mcp.Table {
	tools := slices.Concat(
		g.control.Tools(), g.travel.Tools(), g.look.Tools(), g.control.FileTools(), g.expose.Tools(), g.account.Tools(), g.similar.Tools(), g.xml.Tools(),
	)
	g.account.Phrases = map[string]string{}
	for i := range tools {
		g.account.Phrases[tools[i].Name] = tools[i].Phrase
	}
	return &mcp.Table{
		Family:       "debugger",
		Identity:     mcp.Implementation{Name: "kindly-debugger", Version: "1.0.0"},
		Baseline:     mcp.CapabilityTools,
		Instructions: liveInstructions,
		Tools:        inToolsets(onSystem(tools, runtime.GOOS, runtime.GOARCH)),
		Prompts:      prompts(),
		Resources:    []mcp.ResourceSource{skills(), g.outputs()},
		Watch:        g.watch,
		Errors:       wireError,
		Mask:         g.mask,
		ModelErrors:  modelErrors,
		EndSession:   g.sessions.EndClient,
		HasState:     func(key string) bool { return len(g.sessions.Own(key)) > 0 },
		Close:        g.close,
	}
}

// close ends all sessions with their clients, and closes the library of
// documents.
func (g *groups) close() error {
	err := g.sessions.EndAll("", true)
	g.expose.Exposer.Close()
	return errors.Join(err, g.xml.Library.Close())
}
