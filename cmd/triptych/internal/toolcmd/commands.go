package toolcmd

import (
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
)

// commands makes the rows of the commands of this package.
type commands struct {
	*cmdio.IO
	app *app.App
}

func newCommands(a *app.App) commands { return commands{a.IO, a} }
