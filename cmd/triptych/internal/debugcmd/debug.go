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
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
)

// DebugCommand returns the row of triptych debug.
func DebugCommand(a *app.App) command.Command { return newCommands(a).debugCommand() }

func (a commands) debugCommand() command.Command {
	input := ""
	return command.Command{
		Name: "debug", Args: "PROGRAM|PID [ARGUMENT...]", Min: 1, Max: command.AnyNumber,
		KeepUser: true,
		Short:    "debug a program in a shell",
		Long: "Launches the program, or attaches to the process, and reads commands: the tools\n" +
			"of the debugger without their prefix, such as step_over, or as much of a name as\n" +
			"is unique. Arguments follow as NAME=VALUE; the most common one needs no name:\n" +
			"\"set_breakpoint main\", \"evaluate p->next\". help lists the commands, the tab key\n" +
			"completes them, an empty line repeats the last one. Ctrl-C pauses the program, or\n" +
			"clears the line; launch and attach end the session before. quit ends the session\n" +
			"and a program that was launched, and detaches from others.\n\n" +
			"The program has a terminal of its own if the shell has one: its output comes as it\n" +
			"is written, and lines that are typed while it runs are its input. With --input it\n" +
			"reads a file, or what \"send_input TEXT\" types.",
		Example: "triptych debug ./shop\n" +
			"triptych debug ./shop --verbose orders.txt\n" +
			"triptych debug 4711",
		Flags: func(set *pflag.FlagSet) {
			set.SetInterspersed(false) // what follows the program's name is for the program
			set.StringVar(&input, "input", "", "what the program reads: a `file`, pipe, or tty; without it tty at a terminal, else nothing")
			a.debuggerFlags(set)
		},
		Run: func(ctx context.Context, args []string) error {
			return a.shell(ctx, func(ctx context.Context, s *debugShell) error { return s.start(ctx, input, args) })
		},
	}
}

// shell runs a shell whose session is started by a function.
func (a commands) shell(ctx context.Context, start func(ctx context.Context, s *debugShell) error) error {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	ctx = context.WithoutCancel(ctx) // Ctrl-C is the shell's
	s := &debugShell{IO: a.IO, app: a.app, signals: signals, keys: newKeyboard(a.In)}
	return s.converse(ctx, func() error { return start(ctx, s) })
}

// converse starts a session and reads commands for it.
func (s *debugShell) converse(ctx context.Context, start func() error) (err error) {
	if s.conversation, err = s.app.Only("debugger").Converse(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.conversation.Close()) }()
	if err := s.loadTools(ctx); err != nil {
		return err
	}
	if err := start(); err != nil {
		return err
	}
	s.begun = true
	return s.loop(ctx)
}

// A debugShell reads commands for one debugging session.
type debugShell struct {
	*cmdio.IO
	app          *app.App
	conversation *app.Conversation
	signals      <-chan os.Signal
	keys         *keyboard   // what is typed at a terminal, nil without one
	begun        bool        // there is a session
	session      string      // its id
	launched     bool        // the program ends with it
	written      int64       // up to which byte get_output has shown the program's output; 0 if it is not known
	midLine      bool        // what was printed last does not end its line
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
	switch input {
	case "":
	case "tty":
		arguments["input"] = terminalInput
	default:
		arguments["input"] = input
	}
	return s.call(ctx, "launch", arguments)
}

// terminalInput is the input of launch that makes a terminal.
const terminalInput = "terminal"

// errQuit ends the shell.
var errQuit = errors.New("quit")

// loop reads commands until quit, the end of the input or a signal.
func (s *debugShell) loop(ctx context.Context) error {
	in := newLineReader(s.IO, s.keys, s.complete)
	for {
		line, err := s.read(in)
		if err != nil {
			if s.keys != nil {
				s.print("\n") // the line has the prompt only
			}
			return ignoreEOF(err)
		}
		switch err := s.execute(ctx, line); {
		case errors.Is(err, errQuit):
			return nil
		case err != nil && !errors.Is(err, cmderr.ErrReported):
			fmt.Fprintf(s.Err, "triptych: %v\n", err)
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
	given, err := s.debugArguments(tool, rest)
	if err != nil {
		return err
	}
	object, err := given.Object(ctx, s.conversation, tool.full)
	if err != nil {
		return err
	}
	arguments := map[string]any{}
	raw := map[string]json.RawMessage{}
	if err := json.Unmarshal(object, &raw); err != nil {
		return fmt.Errorf("the arguments of %s: %w", tool.name, err)
	}
	for name, value := range raw {
		arguments[name] = value
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
