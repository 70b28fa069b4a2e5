package servecmd

import (
	"context"
	"log/slog"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
	"github.com/triptych-mcp/triptych/debugger/document/isolate"
)

// DocumentsCommand returns the row of triptych __documents.
func DocumentsCommand(a *app.App) command.Command { return newCommands(a).documentsCommand() }

// documentsCommand is started by servers for themselves: untrusted documents are read
// in a process of their own. It ends with its input, so a
// signal to both leaves it to the server to finish what is under way.
func (a commands) documentsCommand() command.Command {
	return command.Command{
		Name: app.DocumentsWord, Hidden: true, Survives: true,
		Short: "answer a server's questions about XML documents",
		Run: func(ctx context.Context, _ []string) error {
			out := takeOutput(a.IO)
			logger, err := a.app.Logger(slog.LevelInfo)
			if err != nil {
				return err
			}
			return isolate.Serve(context.WithoutCancel(ctx), a.In, out, logger)
		},
	}
}
