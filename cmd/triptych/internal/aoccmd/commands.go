package aoccmd

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

// bookFlags registers the settings of a command that works on puzzles and speeds.
func (a commands) bookFlags(set *pflag.FlagSet) {
	a.app.DataFlags(set)
	command.InGroup(set, command.GroupAoC, a.app.Configs.AoC.RegisterBook)
}
