package rulesetscmd

import (
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
)

// commands makes the rows of the commands of this package.
type commands struct {
	*cmdio.IO
	books
}

// books opens what commands work on: the rulesets of a store or of a server, by the flags
// and the environment.
type books struct{ app *app.App }

func newCommands(a *app.App) commands { return commands{a.IO, books{a}} }
