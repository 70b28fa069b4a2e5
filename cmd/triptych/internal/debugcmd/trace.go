package debugcmd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
	"github.com/triptych-mcp/triptych/debugger"
)

// TraceCommand returns the row of triptych trace.
func TraceCommand(a *app.App) command.Command { return newCommands(a).traceCommand() }

func (a commands) traceCommand() command.Command {
	return command.Command{
		Name:  "trace",
		Short: "look at traces of programs",
		Long: "A trace is a piece of a process's history, instruction by instruction, that\n" +
			"debugger/export_trace has written in the format binary.",
		Example: "triptych trace show crash.trace\n" +
			"triptych trace show crash.trace --from 100 --to 120\n" +
			"triptych trace show crash.trace --last-write 0x404010 --size 4",
		Sub: []command.Command{a.traceShow()},
	}
}

// traceFlags are the flags of trace show.
type traceFlags struct {
	from, to, at string // positions, "" when not given
	stack        bool
	lastWrite    string
	size         int
	executable   string
	root         string
	memory       debugger.FileMemory
	asJSON       bool
}

func (a commands) traceShow() command.Command {
	var f traceFlags
	return command.Command{
		Name: "show", Args: "FILE", Min: 1, Max: 1,
		Short: "print what is in a trace",
		Long: "Without flags it says what the trace is about, or what a recording of triptych record\n" +
			"needs of the system: files that it has not, and instruction set extensions. Positions are counted in steps:\n" +
			"position 7 is before step 7. Code that the trace lacks, and symbols, are read\n" +
			"from the program and its libraries if they still are the same.",
		Flags: func(set *pflag.FlagSet) {
			a.app.DataFlags(set)
			set.StringVar(&f.from, "from", "", "print the steps from this `position` on")
			set.StringVar(&f.to, "to", "", "print the steps up to this `position`")
			set.StringVar(&f.at, "at", "", "print where the thread is at this `position`, and its registers")
			set.BoolVar(&f.stack, "stack", false, "print the stack, too")
			set.StringVar(&f.lastWrite, "last-write", "", "print which step has last written this `address` before --at, or before the end\nIt is a number such as 0x404010, or an expression such as &total.")
			set.IntVar(&f.size, "size", 8, "how many `bytes` of memory --last-write is about")
			set.StringVar(&f.executable, "executable", "", "the program's `file` if it is no longer where it was")
			set.StringVar(&f.root, "root", "", "a `folder` with a copy of the process's files, such as those of its container; it is looked in first")
			command.InGroup(set, command.GroupDebugger, f.memory.RegisterFlag)
			command.JSONFlag(set, &f.asJSON)
		},
		Run: func(ctx context.Context, args []string) error {
			print, err := f.choose()
			if err != nil {
				return err
			}
			if done, err := a.printRecording(ctx, args[0], &f); done || err != nil {
				return err
			}
			return a.withTrace(ctx, args[0], &f, func(trace *debugger.TraceFile) error {
				return print(ctx, a, trace)
			})
		},
	}
}

// printRecording prints what a recording has and needs. It returns false for another file.
func (a commands) printRecording(ctx context.Context, path string, f *traceFlags) (bool, error) {
	s, err := debugger.SummarizeRecording(ctx, path, debugger.TraceOptions{Memory: f.memory, Getenv: a.app.Getenv})
	switch {
	case s == nil || err != nil:
		return false, err
	case f.from != "" || f.to != "" || f.at != "" || f.lastWrite != "":
		return true, cmderr.UsageErrorf("%s is a recording: triptych replay %s goes to its positions", path, path)
	}
	return true, printEither(a.IO, s, f.asJSON)
}

// withTrace opens a trace.
func (a commands) withTrace(ctx context.Context, path string, f *traceFlags, use func(*debugger.TraceFile) error) error {
	logger, err := a.app.Logger(slog.LevelError)
	if err != nil {
		return err
	}
	trace, err := debugger.OpenTrace(ctx, path, debugger.TraceOptions{
		Executable: f.executable, Root: f.root, Memory: f.memory, Getenv: a.app.Getenv, Log: logger,
	})
	if err != nil {
		return err
	}
	return errors.Join(use(trace), trace.Close())
}

// A tracePrinter prints one view of a trace.
type tracePrinter func(ctx context.Context, a commands, trace *debugger.TraceFile) error

// choose says which view the flags mean.
func (f *traceFlags) choose() (tracePrinter, error) {
	steps := f.from != "" || f.to != ""
	switch {
	case steps && (f.at != "" || f.lastWrite != ""):
		return nil, cmderr.UsageErrorf("--from and --to do not go with --at and --last-write")
	case f.stack && (f.at == "" || f.lastWrite != ""):
		return nil, cmderr.UsageErrorf("--stack goes with --at alone")
	case f.size < 1 || f.size > maxWritten:
		return nil, cmderr.UsageErrorf("--size is %d, want 1 to %d", f.size, maxWritten)
	case steps:
		return f.printSteps, nil
	case f.lastWrite != "":
		return f.printWrite, nil
	case f.at != "":
		return f.printMoment, nil
	}
	return f.printSummary, nil
}

// maxWritten limits the bytes of --last-write, and maxShownFrames how
// many frames --stack prints.
const (
	maxWritten     = 4096
	maxShownFrames = 100
)

// position reads one of the trace's; "" is the usual one.
func position(flag, text string, usual uint64, trace *debugger.TraceFile) (uint64, error) {
	if text == "" {
		return usual, nil
	}
	n, err := strconv.ParseUint(text, 10, 64)
	first, last := trace.Positions()
	if err != nil || n < first || n > last {
		return 0, cmderr.UsageErrorf("--%s is %q, want a position from %d to %d", flag, text, first, last)
	}
	return n, nil
}

func (f *traceFlags) printSummary(_ context.Context, a commands, trace *debugger.TraceFile) error {
	return printEither(a.IO, trace.Summary(), f.asJSON)
}

func (f *traceFlags) printSteps(ctx context.Context, a commands, trace *debugger.TraceFile) error {
	first, last := trace.Positions()
	from, err := position("from", f.from, first, trace)
	if err != nil {
		return err
	}
	to, err := position("to", f.to, last, trace)
	if err != nil {
		return err
	}
	if from >= to {
		return cmderr.UsageErrorf("--from is %d and --to is %d, want steps between them", from, to)
	}
	return trace.WriteSteps(ctx, a.Out, from, to, f.asJSON)
}

func (f *traceFlags) printMoment(_ context.Context, a commands, trace *debugger.TraceFile) error {
	at, err := position("at", f.at, 0, trace)
	if err != nil {
		return err
	}
	frames := 0
	if f.stack {
		frames = maxShownFrames
	}
	moment, err := trace.At(at, frames)
	if err != nil {
		return err
	}
	return printEither(a.IO, moment, f.asJSON)
}

func (f *traceFlags) printWrite(ctx context.Context, a commands, trace *debugger.TraceFile) error {
	_, last := trace.Positions()
	before, err := position("at", f.at, last, trace)
	if err != nil {
		return err
	}
	write, ok, err := trace.LastWrite(ctx, f.lastWrite, f.size, before)
	switch {
	case err != nil:
		return err
	case !ok:
		return fmt.Errorf("no step of the trace before position %d has written to the %d bytes at %s", before, write.Size, write.Written)
	}
	return printEither(a.IO, write, f.asJSON)
}

// printEither prints an answer for people or for programs.
func printEither(out *cmdio.IO, answer interface{ Text() string }, asJSON bool) error {
	if asJSON {
		return out.PrintJSON(answer)
	}
	return out.Printf("%s\n", answer.Text())
}
