package debugcmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"syscall"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/toolcmd"
)

// DebugCommand returns the row of triptych debug.
func DebugCommand(a *app.App) app.Command { return commands{a}.debugCommand() }

func (a commands) debugCommand() app.Command {
	input := ""
	return app.Command{
		Name: "debug", Args: "PROGRAM|PID [ARGUMENT...]", Min: 1, Max: app.AnyNumber,
		KeepUser: true,
		Short:    "debug a program in a shell",
		Long: "Launches the program, or attaches to the process, and reads commands: the tools\n" +
			"of the debugger without their prefix, such as step_over, or as much of a name as\n" +
			"is unique. Arguments follow as NAME=VALUE; the most common one needs no name:\n" +
			"\"set_breakpoint main\", \"evaluate p->next\". help lists the commands, the tab key\n" +
			"completes them, an empty line repeats the last one. Ctrl-C pauses the program, or\n" +
			"clears the line; launch and attach end the session before. A program that is to\n" +
			"read its input gets it with --input; \"send_input TEXT\" types a line to it. quit ends the session and a program that was launched, and detaches from others.",
		Example: "triptych debug ./shop\n" +
			"triptych debug -- ./shop --verbose orders.txt\n" +
			"triptych debug 4711",
		Flags: func(set *pflag.FlagSet) {
			set.StringVar(&input, "input", "", "what the program reads: a `file`, or pipe or tty for lines of send_input; nothing without it")
			a.ServerFlags(set)
		},
		Run: func(ctx context.Context, args []string) error {
			return a.shell(ctx, func(ctx context.Context, s *debugShell) error { return s.start(ctx, input, args) })
		},
	}
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
	session      string      // its id
	launched     bool        // the program ends with it
	tools        []debugTool // in the order of the table
	last         string      // the command that an empty line repeats
}

// start launches the program or attaches to the process.
func (s *debugShell) start(ctx context.Context, input string, args []string) error {
	if pid, err := strconv.Atoi(args[0]); err == nil && len(args) == 1 {
		return s.call(ctx, "attach", map[string]any{"pid": pid})
	}
	arguments := map[string]any{"path": args[0]}
	if len(args) > 1 {
		arguments["args"] = args[1:]
	}
	return s.launch(ctx, input, arguments)
}

// launch launches a program with what it is to read.
func (s *debugShell) launch(ctx context.Context, input string, arguments map[string]any) error {
	switch input {
	case "":
		return s.call(ctx, "launch", arguments)
	case "tty":
		arguments["input"] = "terminal"
		return s.call(ctx, "launch", arguments)
	}
	arguments["input"] = "pipe"
	if input == "pipe" {
		return s.call(ctx, "launch", arguments)
	}
	text, err := os.ReadFile(input)
	if err == nil {
		err = s.call(ctx, "launch", arguments)
	}
	if err == nil {
		err = s.call(ctx, "send_input", map[string]any{"text": string(text), "eof": true})
	}
	return err
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

// read waits for a line. A signal is like the end of the input: nothing runs that it could be for.
// At a terminal Ctrl-C is not: it clears the line, or was meant for what has just ended.
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
	for {
		select {
		case r := <-got:
			return r.line, r.err
		case sig := <-s.signals:
			if sig == os.Interrupt && in.interrupted() {
				continue
			}
			in.restore()
			return "", io.EOF
		}
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
	return s.executeTool(ctx, tool, rest)
}

// begins are the tools that begin a session. The shell has one at a time.
var begins = []string{"launch", "attach", "open_core", "open_trace"}

// executeTool calls a tool with arguments. One that begins a session ends the one before: a program
// that was launched is killed, others run on.
func (s *debugShell) executeTool(ctx context.Context, tool *debugTool, rest string) error {
	given, err := s.app.debugArguments(tool, rest)
	if err != nil {
		return err
	}
	arguments, err := given.Object(ctx, s.conversation, tool.full)
	if err != nil {
		return err
	}
	before, end := s.session, map[string]any{"session": s.session}
	if s.launched {
		end["kill"] = true
	}
	if err := s.call(ctx, tool.name, arguments); err != nil {
		return err
	}
	if slices.Contains(begins, tool.name) && before != "" && before != s.session {
		return s.call(ctx, "detach", end)
	}
	return nil
}

// debugState is the part of an answer that shows whether the program runs.
type debugState struct {
	Structured struct {
		State struct {
			Status  string `json:"status"`
			Session string `json:"session"`
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
		if id := state.Structured.State.Session; id != "" && name != "detach" {
			s.launched = s.launched && id == s.session || name == "launch"
			s.session = id
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

// await calls a tool. Each Ctrl-C meanwhile pauses the program, another signal ends the shell. While
// there is no session, there is nothing to pause.
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
	for {
		select {
		case r := <-got:
			return r.raw, r.err
		case sig := <-s.signals:
			switch {
			case !s.begun:
				return nil, errInterrupted
			case sig != os.Interrupt:
				return nil, errQuit
			}
			go func() { // its answer is that of the call
				_, _ = s.conversation.Client.Call(ctx, "tools/call", map[string]any{"name": s.full("pause"), "arguments": map[string]any{}})
			}()
		}
	}
}
