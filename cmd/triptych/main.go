package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/markdown"
	"github.com/triptych-mcp/triptych/debugger"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == debugger.GuardCommand { // the debugger has begun it, and no command line shows it
		os.Exit(debugger.GuardMain())
	}
	if len(os.Args) > 1 && os.Args[1] == markdown.WorkerCommand { // likewise, of the console
		os.Exit(markdown.WorkerMain())
	}
	hangups := app.CatchHangups() // before anything that takes time
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	a := app.New()
	a.Hangups = hangups
	status := a.Run(ctx, root(a), os.Args[1:])
	stop()
	os.Exit(status)
}
