package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/triptych-mcp/triptych/aoc"
	"github.com/triptych-mcp/triptych/rulesets"
)

// An App is one run of the program: the world it runs in, and what the flags
// said. Tests make their own.
type App struct {
	In       *os.File
	Out      *os.File
	Err      io.Writer
	Getenv   func(string) string
	Now      func() time.Time
	Families []Family
	Configs  configs
	Flags    globalFlags
	Level    *slog.LevelVar // of the log; nil before it is made
	Hangups  chan os.Signal // of CatchHangups; nil if the process does not catch them
	keepUser bool           // of the row that runs
	table    Command        // of all commands
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
	otlp        string
	Toolsets    []string
	tools       []string
	readOnly    bool
	Outputs     string
	NoAudit     bool
	auditSync   string
	auditKeep   string
	storePrefix string
	auditSize   ByteSize
	Remote      remoteFlags
	config      string
}

func New() *App {
	known := configs{Rulesets: new(rulesets.Config), AoC: new(aoc.Config), Debugger: newDebugger()}
	return &App{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		Getenv: os.Getenv, Now: time.Now, Families: newFamilies(&known), Configs: known,
	}
}

// Run runs one command line of a table and returns the exit status. It tells what went
// wrong.
func (a *App) Run(ctx context.Context, table Command, args []string) int {
	a.table = table
	root := a.cobra(OnlyNamed(table, args))
	root.SetArgs(args)
	root.SetIn(a.In)
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		completeFlags(root)
	}
	return a.Report(root.ExecuteContext(ctx))
}

// Report tells people about an error and returns the exit status for it.
func (a *App) Report(err error) int {
	if err == nil {
		return 0
	}
	if status, ok := errors.AsType[ExitError](err); ok {
		return int(status)
	}
	a.tell(err)
	if _, ok := errors.AsType[*usageError](err); ok {
		return 2
	}
	return 1
}

// tell writes an error and the advice on it to standard error.
func (a *App) tell(err error) {
	var hints []string
	if h, ok := errors.AsType[*HintError](err); ok {
		hints = h.Hints
	}
	told := errors.Is(err, ErrReported)
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

// IsTerminal reports whether a person sits at the other end of a file.
func IsTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && f.Name() != os.DevNull && !isNull(info)
}

// isNull reports whether a file is the null device, which is a character
// device like a terminal.
func isNull(info os.FileInfo) bool {
	null, err := os.Stat(os.DevNull)
	return err == nil && os.SameFile(info, null)
}
