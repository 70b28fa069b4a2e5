package releasecmd

import "github.com/triptych-mcp/triptych/cmd/triptych/internal/app"

// commands makes the rows of the commands of this package. They run in an app.
type commands struct{ *app.App }

// ReleaseCommand returns the row of triptych __release.
func ReleaseCommand(a *app.App) app.Command { return commands{a}.releaseCommand() }

// ManCommand returns the row of triptych man, which prints the pages of a table.
func ManCommand(a *app.App, table func() app.Command) app.Command {
	return commands{a}.manCommand(table)
}
