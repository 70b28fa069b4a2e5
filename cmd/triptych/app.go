package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/triptych-mcp/triptych/aoc"
	"github.com/triptych-mcp/triptych/rulesets"
)

// An app is one run of the program: the world it runs in, and what the flags
// said. Tests make their own.
type app struct {
	in       *os.File
	out      *os.File
	err      io.Writer
	getenv   func(string) string
	now      func() time.Time
	families []family
	configs  configs
	flags    globalFlags
}

// globalFlags are the flags that several commands share.
type globalFlags struct {
	data      string
	store     string
	logLevel  string
	families  []string
	toolNames string
	toolsets  []string
	tools     []string
	readOnly  bool
	outputs   string
	noAudit   bool
	auditSync string
	auditKeep string
	auditSize byteSize
	remote    remoteFlags
	config    string
}

func newApp() *app {
	known := configs{rulesets: new(rulesets.Config), aoc: new(aoc.Config), debugger: newDebugger()}
	return &app{
		in: os.Stdin, out: os.Stdout, err: os.Stderr,
		getenv: os.Getenv, now: time.Now, families: newFamilies(&known), configs: known,
	}
}

// run runs one command line of a table and returns the exit status. It tells what went
// wrong.
func (a *app) run(ctx context.Context, table command, args []string) int {
	root := a.cobra(only(table, args))
	root.SetArgs(args)
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	return a.report(root.ExecuteContext(ctx))
}

// report tells people about an error and returns the exit status for it.
func (a *app) report(err error) int {
	if err == nil {
		return 0
	}
	if !errors.Is(err, errTold) {
		fmt.Fprintf(a.err, "triptych: %v\n", err)
	}
	if h, ok := errors.AsType[*hintError](err); ok {
		for _, hint := range h.hints {
			fmt.Fprintf(a.err, "triptych: hint: %s\n", hint)
		}
	}
	if _, ok := errors.AsType[*usageError](err); ok {
		return 2
	}
	return 1
}

// isTerminal reports whether a person sits at the other end of a file.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && f.Name() != os.DevNull && !isNull(info)
}

// isNull reports whether a file is the null device, which is a character
// device like a terminal.
func isNull(info os.FileInfo) bool {
	null, err := os.Stat(os.DevNull)
	return err == nil && os.SameFile(info, null)
}
