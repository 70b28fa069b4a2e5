package debugcmd

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"path/filepath"
	"sync"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
	"github.com/triptych-mcp/triptych/debugger"
)

// DAPCommand returns the row of triptych dap.
func DAPCommand(a *app.App) command.Command { return newCommands(a).dapCommand() }

func (a commands) dapCommand() command.Command {
	var stdio bool
	return command.Command{
		Name: "dap", Args: "[ADDRESS]", Max: 1,
		KeepUser: true,
		Short:    "let an editor debug, backward too",
		Long: "Serves editors in the Debug Adapter Protocol: one over standard input and output,\n" +
			"or those that connect to ADDRESS, HOST:PORT with a loopback address or unix:PATH,\n" +
			"until it is interrupted. Only you can connect. The editor's request launch or\n" +
			"attach says what is debugged; what was launched ends with the editor's session.\n" +
			"See docs/vscode.md.",
		Example: "triptych dap\n" +
			"triptych dap 127.0.0.1:4711",
		Flags: func(set *pflag.FlagSet) {
			a.app.DataFlags(set) // as all commands of the debugger have
			set.BoolVar(&stdio, "stdio", false, "talk to the editor over standard input and output, as without an address")
		},
		Run: func(ctx context.Context, args []string) error {
			switch {
			case len(args) == 0:
				return a.dap(ctx, "")
			case stdio:
				return cmderr.UsageErrorf("--stdio and an address exclude each other")
			case !debugger.IsListenAddress(args[0]):
				return cmderr.UsageErrorf("%q is no address: write HOST:PORT or unix:PATH", args[0])
			}
			return a.dap(ctx, args[0])
		},
	}
}

// dap serves the editors of the user. Their sessions begin and end by recorded
// calls of tools.
func (a commands) dap(ctx context.Context, address string) (err error) {
	logger, err := a.app.Logger(slog.LevelWarn)
	if err != nil {
		return err
	}
	root, err := filepath.Abs(string(filepath.Separator))
	if err != nil {
		return err
	}
	a.app.Configs.Debugger.Traces = append(a.app.Configs.Debugger.Traces, root) // the user may open what the user names
	c, err := a.app.ConverseRecorded(context.WithoutCancel(ctx))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	serve := func(conn io.ReadWriteCloser) error {
		call := func(ctx context.Context, tool string, arguments map[string]any) (string, error) {
			return begin(ctx, c, toolCall{tool, arguments})
		}
		return a.app.Configs.Debugger.ServeDAP(ctx, conn, call, logger)
	}
	if address == "" {
		return serve(newStandard(a.In, a.Out))
	}
	return dapListen(ctx, a.IO, address, logger, serve)
}

// dapListen serves each client that connects until ctx is done.
func dapListen(ctx context.Context, out *cmdio.IO, address string, log *slog.Logger, serve func(io.ReadWriteCloser) error) error {
	l, err := debugger.ListenLocal(ctx, address, log)
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { _ = l.Close() })()
	if err := out.Printf("listening at %s\n", l.Addr()); err != nil {
		return errors.Join(err, l.Close())
	}
	var clients sync.WaitGroup
	defer clients.Wait()
	for {
		conn, err := l.Accept()
		if errors.Is(err, net.ErrClosed) && ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		clients.Go(func() {
			log.Info("an editor has connected", "addr", l.Addr().String())
			if err := serve(conn); err != nil && ctx.Err() == nil {
				log.Warn("a conversation with an editor has failed", "err", err)
			}
		})
	}
}

// newStandard is a connection over standard input and output that can be
// closed while it is read: a client that has disconnected may not close its
// end. The goroutine that reads then ends with the process.
func newStandard(in io.Reader, out io.Writer) io.ReadWriteCloser {
	r, w := io.Pipe()
	go func() {
		_, err := io.Copy(w, in)
		_ = w.CloseWithError(err) // a pipe's never fails
	}()
	return standard{r, out}
}
