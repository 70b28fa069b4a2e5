package servecmd

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/transport/stdio"
)

// StdioCommand returns the row of triptych stdio.
func StdioCommand(a *app.App) command.Command { return newCommands(a).stdioCommand() }

func (a commands) stdioCommand() command.Command {
	return command.Command{
		Name: "stdio", Config: true, KeepUser: true, Survives: true,
		Short: "serve one client over standard input and output",
		Long: "Reads JSON-RPC messages, one a line, and answers them until the input ends,\n" +
			"a signal comes or the client is gone. Standard output carries nothing but\n" +
			"messages; the log goes to standard error.",
		Example: "triptych stdio --families aoc --aoc-dir ~/aoc2025",
		Flags:   a.app.ServerFlags,
		Run:     func(ctx context.Context, _ []string) error { return a.serveStdio(ctx) },
	}
}

// ServeStdio serves the client at standard input and output, as triptych does when it
// is started without a command.
func ServeStdio(ctx context.Context, a *app.App) error { return newCommands(a).serveStdio(ctx) }

// serveStdio serves until the input ends or ctx is done. The watchers of the
// families run beside it and end with it.
func (a commands) serveStdio(ctx context.Context) error {
	out := takeOutput(a.IO)
	env, err := a.app.Env(slog.LevelInfo)
	if err != nil {
		return err
	}
	r, closeRecorder, err := a.app.OpenRecorder(ctx, env, "")
	if err != nil {
		return err
	}
	defer closeRecorder()
	if err := r.CheckFolder(); err != nil {
		return err
	}
	closeTelemetry, err := r.OpenTelemetry(ctx, a.app.Flags.OTLP, env, "stdio")
	if err != nil {
		return err
	}
	defer closeTelemetry()
	r.LendTo(a.app.Configs.Debugger, nil)
	server, err := a.app.OpenServer(ctx, env, r)
	if err != nil {
		return err
	}
	watched, cancel := context.WithCancel(ctx)
	var watchers sync.WaitGroup
	var watchErr error
	watchers.Go(func() { watchErr = server.Run(watched) })
	err = stdio.Serve(ctx, a.In, out, server, stdio.Limits(jsonrpc.Config{
		Logger: env.Logger, Barrier: func() error { return r.Commit(context.WithoutCancel(ctx)) },
	}))
	cancel()
	watchers.Wait()
	return errors.Join(cmderr.WithoutDisconnects(ctx, err), cmderr.WithoutDisconnects(watched, watchErr), server.Close())
}

// takeOutput keeps standard output for the protocol: whatever else in the
// process prints goes to standard error from now on. A client that closes its
// end makes writes fail instead of killing us without a word.
func takeOutput(std *cmdio.IO) *os.File {
	signal.Ignore(syscall.SIGPIPE)
	out := std.Out
	std.Out = os.Stderr
	os.Stdout = os.Stderr
	return out
}
