package debugcmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"syscall"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/toolcmd"
)

// DebugCommand returns the row of triptych debug.
func DebugCommand(a *app.App) app.Command { return commands{a}.debugCommand() }

func (a commands) debugCommand() app.Command {
	return app.Command{
		Name: "debug", Args: "PROGRAM|PID [ARGUMENT...]", Min: 1, Max: app.AnyNumber,
		KeepUser: true,
		Short:    "debug a program in a shell",
		Long: "Launches the program, or attaches to the process, and reads commands: the tools\n" +
			"of the debugger without their prefix, such as step_over, or as much of a name as\n" +
			"is unique. Arguments follow as NAME=VALUE; the most common one needs no name:\n" +
			"\"set_breakpoint main\", \"evaluate p->next\". help lists the commands, the tab key\n" +
			"completes them, an empty line repeats the last one. Ctrl-C pauses the program;\n" +
			"quit ends the session and a program that was launched, and detaches from others.",
		Example: "triptych debug ./shop\n" +
			"triptych debug -- ./shop --verbose orders.txt\n" +
			"triptych debug 4711",
		Flags: func(set *pflag.FlagSet) { a.ServerFlags(set) },
		Run:   a.debug,
	}
}

// debug runs the shell for a program. Its session lives as long as the conversation does.
func (a commands) debug(ctx context.Context, args []string) error {
	return a.shell(ctx, func(ctx context.Context, s *debugShell) error { return s.start(ctx, args) })
}

// shell runs a shell whose session is started by a function.
func (a commands) shell(ctx context.Context, start func(ctx context.Context, s *debugShell) error) (err error) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	ctx = context.WithoutCancel(ctx) // Ctrl-C is the shell's
	c, err := a.Converse(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	s := &debugShell{app: a, conversation: c, signals: signals}
	if err := s.loadTools(ctx); err != nil {
		return err
	}
	if err := start(ctx, s); err != nil {
		return err
	}
	s.begun = true
	return s.loop(ctx)
}

// A debugShell reads commands for one debugging session.
type debugShell struct {
	app          commands
	conversation *app.Conversation
	signals      <-chan os.Signal
	begun        bool        // there is a session
	tools        []debugTool // in the order of the table
	last         string      // the command that an empty line repeats
}

// start launches the program or attaches to the process.
func (s *debugShell) start(ctx context.Context, args []string) error {
	if pid, err := strconv.Atoi(args[0]); err == nil && len(args) == 1 {
		return s.call(ctx, "attach", map[string]any{"pid": pid})
	}
	arguments := map[string]any{"path": args[0]}
	if len(args) > 1 {
		arguments["args"] = args[1:]
	}
	return s.call(ctx, "launch", arguments)
}

// errQuit ends the shell.
var errQuit = errors.New("quit")

// loop reads commands until quit, the end of the input or a signal.
func (s *debugShell) loop(ctx context.Context) error {
	in := newLineReader(s.app, s.complete)
	for {
		line, err := s.read(in)
		if err != nil {
			return ignoreEOF(err)
		}
		switch err := s.execute(ctx, line); {
		case errors.Is(err, errQuit):
			return nil
		case err != nil && !errors.Is(err, app.ErrReported):
			fmt.Fprintf(s.app.Err, "triptych: %v\n", err)
		}
	}
}

func ignoreEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// read waits for a line. A signal is like the end of the input: nothing runs that
// it could be for.
func (s *debugShell) read(in lineReader) (string, error) {
	type result struct {
		line string
		err  error
	}
	got := make(chan result, 1)
	go func() { // ends with the process if a signal comes first
		line, err := in.readLine()
		got <- result{line, err}
	}()
	select {
	case r := <-got:
		return r.line, r.err
	case <-s.signals:
		in.restore()
		return "", io.EOF
	}
}

// execute runs a command.
func (s *debugShell) execute(ctx context.Context, line string) error {
	name, rest := splitCommand(line)
	if name == "" {
		if name, rest = splitCommand(s.last); name == "" {
			return nil
		}
	} else {
		s.last = line
	}
	switch name {
	case "quit", "exit", "q":
		return errQuit
	case "help":
		return s.help(rest)
	}
	tool, err := s.find(name)
	if err != nil {
		return err
	}
	given, err := s.app.debugArguments(tool, rest)
	if err != nil {
		return err
	}
	arguments, err := given.Object(ctx, s.conversation, tool.full)
	if err != nil {
		return err
	}
	return s.call(ctx, tool.name, arguments)
}

// debugState is the part of an answer that shows whether the program runs.
type debugState struct {
	Structured struct {
		State struct {
			Status string `json:"status"`
		} `json:"state"`
	} `json:"structuredContent"`
}

// call calls a tool and prints its answer. If the program still runs then, it waits
// on; Ctrl-C pauses it.
func (s *debugShell) call(ctx context.Context, name string, arguments any) error {
	for {
		raw, err := s.await(ctx, name, arguments)
		if err != nil {
			return toolcmd.DescribeError(err, "help lists the commands")
		}
		var result toolcmd.Result
		var state debugState
		if err := errors.Join(json.Unmarshal(raw, &result), json.Unmarshal(raw, &state)); err != nil {
			return fmt.Errorf("the answer of %s: %w", name, err)
		}
		if state.Structured.State.Status == "running" && s.waits(name) {
			name, arguments = "continue", map[string]any{"wait_ms": 60000}
			continue
		}
		if err := toolcmd.PrintContent(s.app.App, result); err != nil {
			return err
		}
		if result.IsError {
			return app.ErrReported
		}
		return nil
	}
}

// waits reports whether a tool lets the program run and waits for its stop.
func (s *debugShell) waits(name string) bool {
	tool, err := s.find(name)
	return err == nil && tool.has("wait_ms")
}

// errInterrupted ends the shell before it has begun.
var errInterrupted = errors.New("interrupted")

// await calls a tool. The first signal meanwhile pauses the program, a further one
// ends the shell. While there is no session, there is nothing to pause.
func (s *debugShell) await(ctx context.Context, name string, arguments any) (json.RawMessage, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type result struct {
		raw json.RawMessage
		err error
	}
	got := make(chan result, 1)
	go func() { // ends with the call, which the context ends
		raw, err := s.conversation.Client.Call(ctx, "tools/call", map[string]any{"name": s.full(name), "arguments": arguments})
		got <- result{raw, err}
	}()
	for paused := false; ; paused = true {
		select {
		case r := <-got:
			return r.raw, r.err
		case sig := <-s.signals:
			switch {
			case !s.begun:
				return nil, errInterrupted
			case paused || sig != os.Interrupt:
				return nil, errQuit
			}
			go func() { // its answer is that of the call
				_, _ = s.conversation.Client.Call(ctx, "tools/call", map[string]any{"name": s.full("pause"), "arguments": map[string]any{}})
			}()
		}
	}
}
