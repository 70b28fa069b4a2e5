package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/aoc"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/recorder"
	"github.com/triptych-mcp/triptych/rulesets"
)

// An App is one run of the program: the world it runs in, and what the flags
// said. Tests make their own.
type App struct {
	*cmdio.IO
	Getenv   func(string) string
	Now      func() time.Time
	Families []Family
	Configs  configs
	Flags    globalFlags
	Level    *slog.LevelVar // of the log; nil before it is made
	Hangups  chan os.Signal // of CatchHangups; nil if the process does not catch them
	keepUser bool           // of the row that runs
	quiet    bool           // the log has errors alone, unless a level is given
}

// globalFlags are the flags that several commands share.
type globalFlags struct {
	Data        string
	Store       string
	Stores      []string // given besides
	logLevel    string
	logFormat   string
	families    []string
	toolNames   string
	OTLP        string
	Toolsets    []string
	tools       []string
	readOnly    bool
	Outputs     string
	Audit       recorder.Settings
	storePrefix string
	Remote      remoteFlags
	config      string
}

func New() *App {
	known := configs{Rulesets: new(rulesets.Config), AoC: new(aoc.Config), Debugger: newDebugger()}
	return &App{
		IO:     &cmdio.IO{In: os.Stdin, Out: os.Stdout, Err: os.Stderr},
		Getenv: os.Getenv, Now: time.Now, Families: newFamilies(&known), Configs: known,
	}
}

// Run runs one command line of a table and returns the exit status. It tells what went
// wrong.
func (a *App) Run(ctx context.Context, table command.Command, args []string) int {
	return a.Report(a.programOf(table).Run(ctx, args))
}

// programOf returns the program with a table. What its flags say, it says to a.
func (a *App) programOf(table command.Command) *command.Program {
	return &command.Program{
		IO: a.IO, Table: table, ConfigFile: &a.Flags.config, Prepare: a.prepare,
		KeepFlags: func() func() {
			given := a.Flags
			return func() { a.Flags = given }
		},
	}
}

// prepare reads the configuration file of a row that is to run, and applies what the row
// says of the process.
func (a *App) prepare(row command.Command, set *pflag.FlagSet) error {
	if row.Config {
		if err := a.ReadConfigFile(set); err != nil {
			return err
		}
	}
	a.useLogFormat()
	a.keepUser = row.KeepUser
	if !row.Survives {
		a.endAtHangup()
	}
	return nil
}

// CompletionCommand returns the row of triptych completion.
func (a *App) CompletionCommand(table func() command.Command) command.Command {
	return command.CompletionCommand(func() *command.Program { return a.programOf(table()) })
}

// Report tells people about an error and returns the exit status for it.
func (a *App) Report(err error) int {
	if err == nil {
		return 0
	}
	if status, ok := errors.AsType[cmderr.ExitError](err); ok {
		return int(status)
	}
	a.tell(err)
	if _, ok := errors.AsType[*cmderr.UsageError](err); ok {
		return 2
	}
	return 1
}

// tell writes an error and the advice on it to standard error.
func (a *App) tell(err error) {
	var hints []string
	if h, ok := errors.AsType[*cmderr.HintError](err); ok {
		hints = h.Hints
	}
	told := errors.Is(err, cmderr.ErrReported)
	a.useLogFormat() // the error may be one of the flags, before any command ran
	if lines, ok := a.Err.(*jsonLines); ok && !told {
		lines.fail(err, hints)
		return
	}
	if !told {
		fmt.Fprintf(a.Err, "triptych: %v\n", err)
	}
	for _, hint := range hints {
		fmt.Fprintf(a.Err, "triptych: hint: %s\n", hint)
	}
}
