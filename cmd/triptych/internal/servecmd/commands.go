package servecmd

import (
	"context"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
)

// commands makes the rows of the commands of this package. They run in an app.
type commands struct{ *app.App }

// StdioCommand returns the row of triptych stdio.
func StdioCommand(a *app.App) app.Command { return commands{a}.stdioCommand() }

// ServeCommand returns the row of triptych serve.
func ServeCommand(a *app.App) app.Command { return commands{a}.serveCommand() }

// ConsoleCommand returns the row of triptych console.
func ConsoleCommand(a *app.App) app.Command { return commands{a}.consoleCommand() }

// ConfigFileCommand returns the row of triptych config-file.
func ConfigFileCommand(a *app.App) app.Command { return commands{a}.configFileCommand() }

// HealthCommand returns the row of triptych health.
func HealthCommand(a *app.App) app.Command { return commands{a}.healthCommand() }

// DocumentsCommand returns the row of triptych __documents.
func DocumentsCommand(a *app.App) app.Command { return commands{a}.documentsCommand() }

// ServeStdio serves the client at standard input and output, as triptych does when it
// is started without a command.
func ServeStdio(ctx context.Context, a *app.App) error { return commands{a}.serveStdio(ctx) }
