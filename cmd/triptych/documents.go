package main

import (
	"context"
	"log/slog"

	"github.com/triptych-mcp/triptych/debugger/document/isolate"
)

// documentsCommand is started by servers for themselves: untrusted documents are read
// in a process of their own. It ends with its input, so a
// signal to both leaves it to the server to finish what is under way.
func (a *app) documentsCommand() command {
	return command{
		name: documentsWord, hidden: true,
		short: "answer a server's questions about XML documents",
		run: func(ctx context.Context, _ []string) error {
			out := a.takeOutput()
			defer surviveHangup()()
			logger, err := a.logger(slog.LevelInfo)
			if err != nil {
				return err
			}
			return isolate.Serve(context.WithoutCancel(ctx), a.in, out, logger)
		},
	}
}
