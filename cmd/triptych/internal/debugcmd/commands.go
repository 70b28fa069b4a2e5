package debugcmd

import (
	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
)

// commands makes the rows of the commands of this package.
type commands struct {
	*cmdio.IO
	app *app.App
}

func newCommands(a *app.App) commands { return commands{a.IO, a} }

// debuggerFlags registers the settings of a command that opens the debugger alone.
func (a commands) debuggerFlags(set *pflag.FlagSet) {
	a.app.DataFlags(set)
	command.InGroup(set, command.GroupDebugger, a.app.Configs.Debugger.RegisterFlags)
}
