package servecmd

import (
	"slices"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
)

// commands makes the rows of the commands of this package.
type commands struct {
	*cmdio.IO
	app *app.App
}

func newCommands(a *app.App) commands { return commands{a.IO, a} }

// serves reports whether a family is among those of --families.
func (a commands) serves(name string) bool {
	chosen, err := a.app.ChosenFamilies()
	return err == nil && slices.ContainsFunc(chosen, func(f app.Family) bool { return f.Name == name })
}
