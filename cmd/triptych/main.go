package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/triptych-mcp/triptych/debugger/proc"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == proc.GuardCommand { // the debugger has begun it, and no command line shows it
		os.Exit(proc.GuardMain())
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	status := newApp().run(ctx, os.Args[1:])
	stop()
	os.Exit(status)
}
