package toolcmd

import "github.com/triptych-mcp/triptych/cmd/triptych/internal/app"

// commands makes the rows of the commands of this package. They run in an app.
type commands struct{ *app.App }

// CallCommand returns the row of triptych call.
func CallCommand(a *app.App) app.Command { return commands{a}.callCommand() }

// ToolsCommand returns the row of triptych tools.
func ToolsCommand(a *app.App) app.Command { return commands{a}.toolsCommand() }
