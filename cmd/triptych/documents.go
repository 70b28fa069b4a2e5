package main

import (
	"context"
	"log/slog"
	"os"

	"github.com/triptych-mcp/triptych/debugger"
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

const documentsWord = "__documents"

// newDebugger is the family whose documents are read by this program in another
// process; in this one where it cannot be found.
func newDebugger() *debugger.Config {
	config := new(debugger.Config)
	if self, err := os.Executable(); err == nil {
		config.Documents.Command = []string{self, documentsWord}
	}
	return config
}
