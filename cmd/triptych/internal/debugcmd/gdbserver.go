package debugcmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/toolcmd"
	"github.com/triptych-mcp/triptych/debugger"
)

// GDBServerCommand returns the row of triptych gdbserver.
func GDBServerCommand(a *app.App) command.Command { return newCommands(a).gdbServerCommand() }

// gdbFlags are the flags of gdbserver.
type gdbFlags struct {
	stdio  bool
	attach int
	trace  string
	core   string
	record bool
}

func (a commands) gdbServerCommand() command.Command {
	var f gdbFlags
	return command.Command{
		Name: "gdbserver", Args: "[ADDRESS] [-- PROGRAM [ARGUMENT...]]", Max: command.AnyNumber,
		KeepUser: true,
		Short:    "let gdb debug, backward too",
		Long: "Serves one gdb over a socket that only you can use, and prints what to type.\n" +
			"ADDRESS is unix:PATH, or HOST:PORT with a loopback address; without it the socket\n" +
			"is in a folder of its own. A program stops before its first instruction, and is\n" +
			"killed when gdb quits; gdb's detach lets it run on. Steps are recorded, and with\n" +
			"--record, or \"monitor record on\" in gdb, what continue executes is, too:\n" +
			"reverse-continue, reverse-step and the others then go back. See docs/gdb.md.",
		Example: "triptych gdbserver -- ./shop orders.txt\n" +
			"triptych gdbserver --attach 4711\n" +
			"triptych gdbserver --trace crash.trace\n" +
			"gdb -ex 'target remote | triptych gdbserver --stdio --record -- ./shop' ./shop",
		Flags: func(set *pflag.FlagSet) {
			a.app.DataFlags(set)
			set.BoolVar(&f.stdio, "stdio", false, "talk to gdb over standard input and output")
			set.IntVar(&f.attach, "attach", 0, "attach to the process with this `pid`")
			set.StringVar(&f.trace, "trace", "", "open this `file` that debugger/export_trace has written in the format binary")
			set.StringVar(&f.core, "core", "", "open this core `file`")
			set.BoolVar(&f.record, "record", false, "let continue record every instruction, mostly 1 to 5 times slower")
		},
		Run: func(ctx context.Context, args []string) error {
			address, call, err := f.choose(args)
			if err != nil {
				return err
			}
			return a.gdbServer(ctx, &f, address, call)
		},
	}
}

// A toolCall is the call that begins the session.
type toolCall struct {
	tool      string
	arguments map[string]any
}

// choose returns the address and the call that the command line means.
func (f *gdbFlags) choose(args []string) (address string, call toolCall, err error) {
	if len(args) > 0 && debugger.IsListenAddress(args[0]) {
		address, args = args[0], args[1:]
	}
	var calls []toolCall
	if f.attach != 0 {
		calls = append(calls, toolCall{"debugger/attach", map[string]any{"pid": f.attach}})
	}
	if f.trace != "" {
		calls = append(calls, toolCall{"debugger/open_trace", map[string]any{"file": f.trace}})
	}
	if f.core != "" {
		calls = append(calls, toolCall{"debugger/open_core", map[string]any{"core": f.core}})
	}
	if len(args) > 0 {
		calls = append(calls, toolCall{"debugger/launch", map[string]any{"path": args[0], "args": args[1:], "stop_at_entry": true}})
	}
	switch {
	case len(calls) != 1:
		return "", toolCall{}, cmderr.UsageErrorf("give one of a program, --attach, --trace and --core")
	case f.stdio && address != "":
		return "", toolCall{}, cmderr.UsageErrorf("--stdio and an address exclude each other")
	}
	return address, calls[0], nil
}

// gdbServer begins a session by a recorded call of a tool, and serves one
// client. The session ends with the conversation.
func (a commands) gdbServer(ctx context.Context, f *gdbFlags, address string, call toolCall) (err error) {
	logger, err := a.app.Logger(slog.LevelWarn)
	if err != nil {
		return err
	}
	for _, file := range []*string{&f.trace, &f.core} {
		if *file != "" { // the user may open what the user names
			folder, err := filepath.Abs(filepath.Dir(*file))
			if err != nil {
				return err
			}
			a.app.Configs.Debugger.Traces = append(a.app.Configs.Debugger.Traces, folder)
		}
	}
	c, err := a.app.ConverseRecorded(context.WithoutCancel(ctx))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	conn, err := gdbClient(ctx, a.IO, f.stdio, address, logger, func() (string, error) { return begin(ctx, c, call) })
	if err != nil {
		return err
	}
	return a.app.Configs.Debugger.ServeGDB(ctx, conn, conn.session, f.record, logger)
}

// begin calls the tool and returns the id of the session.
func begin(ctx context.Context, c *app.Conversation, call toolCall) (string, error) {
	begun, err := c.Client.CallTool(ctx, call.tool, call.arguments)
	if err != nil {
		return "", toolcmd.DescribeError(err, "docs/platforms.md says where live debugging works")
	}
	structured, err := structuredOf(begun)
	if err != nil {
		return "", err
	}
	var answer struct {
		State struct {
			Session string `json:"session"`
		} `json:"state"`
	}
	if err := json.Unmarshal(structured, &answer); err != nil {
		return "", fmt.Errorf("the answer of %s: %w", call.tool, err)
	}
	return answer.State.Session, nil
}

// A gdbConn is a connection to gdb with the session that it is for.
type gdbConn struct {
	io.ReadWriteCloser
	session string
}

// gdbClient begins the session and waits for gdb.
func gdbClient(ctx context.Context, std *cmdio.IO, stdio bool, address string, log *slog.Logger, begin func() (string, error)) (*gdbConn, error) {
	if stdio {
		id, err := begin()
		return &gdbConn{standard{std.In, std.Out}, id}, err
	}
	l, err := debugger.ListenLocal(ctx, address, log)
	if err != nil {
		return nil, err
	}
	defer func() { _ = l.Close() }() // one client is served
	id, err := begin()
	if err != nil {
		return nil, err
	}
	if err := std.Printf("gdb -ex 'target remote %s'\n", l.Addr()); err != nil {
		return nil, err
	}
	defer context.AfterFunc(ctx, func() { _ = l.Close() })()
	conn, err := l.Accept()
	if errors.Is(err, net.ErrClosed) && ctx.Err() != nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	return &gdbConn{conn, id}, nil
}

// standard is a connection over standard input and output.
type standard struct {
	io.ReadCloser
	io.Writer
}
