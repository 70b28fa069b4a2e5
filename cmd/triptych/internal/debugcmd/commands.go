package debugcmd

import "github.com/triptych-mcp/triptych/cmd/triptych/internal/app"

// commands makes the rows of the commands of this package. They run in an app.
type commands struct{ *app.App }

// DebugCommand returns the row of triptych debug.
func DebugCommand(a *app.App) app.Command { return commands{a}.debugCommand() }

// TraceCommand returns the row of triptych trace.
func TraceCommand(a *app.App) app.Command { return commands{a}.traceCommand() }
