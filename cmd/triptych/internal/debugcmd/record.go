package debugcmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
	"github.com/triptych-mcp/triptych/debugger"
)

// RecordCommand returns the row of triptych record.
func RecordCommand(a *app.App) command.Command { return newCommands(a).recordCommand() }

// recordFlags are the flags of record.
type recordFlags struct {
	output  string
	follow  bool
	attach  int
	seconds float64
	limits
	repeated
}

// limits say which part of a recording its file has.
type limits struct {
	maxSize int    // in MiB, or 0
	keep    string // newest, oldest or ""
	onCrash bool
	pack    bool // all that a replay needs is added
}

// The values of keep.
const (
	keepNewest = "newest"
	keepOldest = "oldest"
)

// newest reports whether the newest part is kept. It is the one that shows a crash.
func (l limits) newest() bool { return l.keep == keepNewest || l.keep == "" && l.onCrash }

func (l limits) check() error {
	switch {
	case l.maxSize < 0:
		return cmderr.UsageErrorf("--max-size is a number of MiB")
	case l.keep != "" && l.keep != keepNewest && l.keep != keepOldest:
		return cmderr.UsageErrorf("--keep is %q, want newest or oldest", l.keep)
	}
	return nil
}

func (a commands) recordCommand() command.Command {
	var f recordFlags
	return command.Command{
		Name: "record", Args: "[PROGRAM [ARGUMENT...]]", Min: 0, Max: command.AnyNumber,
		KeepUser: true, Survives: true,
		Short: "run a program and record all that it does",
		Long: "Runs the program with its input, output, signals and exit status as they are, and\n" +
			"writes a file with which triptych replay and debugger/open_trace go back to any\n" +
			"instruction of it. The program must be one for x86-64 Linux. One of its threads\n" +
			"runs at a time. The file has memory of the program, and so perhaps secrets. All that\n" +
			"is recorded is in the file, and none of it in memory: -o is its place, --max-size its\n" +
			"budget. See docs/recording.md.\n\n" +
			"Children of the program run unrecorded, or with --follow each is recorded in a file\n" +
			"FILE.PID, as long as the program runs.\n\n" +
			"With --until-fail the program is run until it ends with a status that is not 0, by a\n" +
			"signal, in a deadlock, too late, or with a sanitizer's report. The command then ends\n" +
			"with the status of that run, 124 for a deadlock or a timeout and 1 for a report, or\n" +
			"with 0 if no run fails.\n\n" +
			"With --attach a process is recorded that runs already, until it ends, the command\n" +
			"is interrupted, or --seconds have passed. It then runs on.",
		Example: "triptych record -- ./shop orders.txt\n" +
			"triptych record --on-crash -o crash.recording -- ./shop\n" +
			"triptych record --until-fail --chaos --timeout 1m -- ./shop-test\n" +
			"triptych record --attach 4711 --seconds 10",
		Flags: func(set *pflag.FlagSet) {
			set.SetInterspersed(false) // what follows the program's name is for the program
			a.app.DataFlags(set)       // as all commands of the debugger have
			set.StringVarP(&f.output, "output", "o", "", "write the recording to this `file`\ndefault: PROGRAM.recording")
			set.BoolVar(&f.onCrash, "on-crash", false, "keep the file only if the program fails: by a signal or with a status that is not 0")
			set.BoolVar(&f.follow, "follow", false, "record each child of the program, too, in a file with its process id added to the name")
			set.IntVar(&f.attach, "attach", 0, "record the process with this `id`, which runs already")
			set.IntVar(&f.maxSize, "max-size", 0, "let the file have so many `MiB`; 0 for no limit\nThe format has a limit of 2 GiB before compression.")
			set.StringVar(&f.keep, "keep", "", "at --max-size, keep the oldest part and end, or drop it and go on: `oldest|newest`\ndefault: newest with --on-crash, else oldest")
			set.BoolVar(&f.pack, "pack", false, "add all files that a replay needs, so that it can be made on another system")
			set.BoolVar(&f.until, "until-fail", false, "run the program until it fails, without input, and keep the recording of that run only")
			set.IntVar(&f.repeat, "repeat", defaultRepeat, "with --until-fail: run it at most so many `times`")
			set.IntVar(&f.jobs, "jobs", 0, "with --until-fail: let this `number` of runs go on at the same time\ndefault: as many as there are processors")
			set.DurationVar(&f.timeout, "timeout", 0, "with --until-fail: a run that takes longer has failed; 0 for no limit")
			set.StringVar(&f.pattern, "fail-pattern", "", "with --until-fail: a run whose output matches this regular `expression` has failed, too")
			set.StringVar(&f.chaos, "chaos", "", "look for rare schedules of threads, by a `seed`; the same one has the same schedule")
			set.Lookup("chaos").NoOptDefVal = randomSeed
			set.Float64Var(&f.seconds, "seconds", 0, "with --attach, end the recording after this `time` in seconds; 0 for no limit")
		},
		Run: func(ctx context.Context, args []string) error { return a.record(ctx, &f, args) },
	}
}

// record records a program and returns its exit status as an app.ExitError.
func (a commands) record(ctx context.Context, f *recordFlags, args []string) error {
	tuneCollector()
	if err := errors.Join(f.limits.check(), f.repeated.check()); err != nil {
		return err
	}
	switch {
	case f.attach != 0 && (f.until || f.chaos != ""):
		return cmderr.UsageErrorf("--until-fail and --chaos are for programs that are run, and not for --attach")
	case f.follow && f.jobs > 1:
		return cmderr.UsageErrorf("--follow is for one run at a time, and not for --jobs")
	case f.attach != 0 && f.follow:
		return cmderr.UsageErrorf("--follow is for programs that are run, and not for --attach")
	case f.attach != 0 && len(args) > 0:
		return cmderr.UsageErrorf("--attach records a process, so there is no program to run")
	case f.attach != 0:
		return a.recordProcess(ctx, f)
	case len(args) == 0:
		return cmderr.UsageErrorf("name a program, or a process with --attach")
	}
	path, err := exec.LookPath(args[0])
	if err != nil {
		return err
	}
	name := f.output
	if name == "" {
		name = filepath.Base(args[0]) + ".recording"
	}
	program := debugger.RecordedProgram{Path: path, Args: args, Env: os.Environ(), Files: []uintptr{0, 1, 2}}
	if program.Seed, err = f.seed(); err != nil {
		return err
	}
	program.Chaos = program.Seed != 0
	if f.follow {
		program.Child = childFiles(name, f.limits)
	}
	if f.until {
		return a.recordUntilFailure(ctx, f, program, name)
	}
	file, err := createOutput(name, f.limits)
	if err != nil {
		return err
	}
	run, err := recordInto(ctx, file.recording(), program)
	if err != nil {
		return errors.Join(err, file.recording().Close(), file.remove())
	}
	a.keepRecorded(f, &run, file)
	a.keepChildren(f, &run, name)
	return exitOf(&run)
}

// keepRecorded reports the recording, or removes it. The program has ended with a status, which is
// that of the command, so that what fails is only reported.
func (a commands) keepRecorded(f *recordFlags, run *debugger.RecordedRun, file *outputFile) {
	err := file.recording().Close()
	switch {
	case f.onCrash && run.Status == 0 || run.Events == 0:
		err = errors.Join(err, file.remove())
	case f.pack:
		err = errors.Join(err, a.pack(file.Name()))
	}
	reportRecorded(a.IO, f, run, file)
	if run.Err != nil && run.Err.Error() != run.Cut {
		err = errors.Join(run.Err, err)
	}
	report(a.IO, err)
}

// report prints an error that does not end the command.
func report(out *cmdio.IO, err error) {
	if err != nil {
		fmt.Fprintf(out.Err, "triptych: %s\n", strings.ReplaceAll(err.Error(), "\n", "; "))
	}
}

// garbagePercent is the growth of a recorder's heap after which garbage is collected. The heap
// is small, and the program waits while its code is translated.
const garbagePercent = 400

// tuneCollector has the process collect garbage seldom, unless the user has chosen how often.
func tuneCollector() {
	if _, chosen := os.LookupEnv("GOGC"); !chosen {
		debug.SetGCPercent(garbagePercent)
	}
}

// recordInto runs the program. Signals that the terminal sends to all its processes reach
// the program anyway; others are passed on.
func recordInto(ctx context.Context, file io.Writer, program debugger.RecordedProgram) (debugger.RecordedRun, error) {
	ctx = context.WithoutCancel(ctx)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM)
	defer signal.Stop(signals)
	done := make(chan struct{})
	defer close(done)
	program.Started = func(pid int) { go passOn(signals, done, pid) }
	return debugger.RecordProgram(ctx, program, file)
}

// passOn sends signals to a process until done is closed.
func passOn(signals <-chan os.Signal, done <-chan struct{}, pid int) {
	process, err := os.FindProcess(pid)
	for err == nil {
		select {
		case s := <-signals:
			_ = process.Signal(s) // it may have ended
		case <-done:
			return
		}
	}
}

// reportRecorded says on standard error what was recorded.
func reportRecorded(out *cmdio.IO, f *recordFlags, run *debugger.RecordedRun, file *outputFile) {
	if f.onCrash && run.Status == 0 {
		return
	}
	switch {
	case run.Events == 0:
		fmt.Fprintf(out.Err, "triptych: nothing is recorded: %s\n", run.Cut)
		return
	case run.Cut != "":
		fmt.Fprintf(out.Err, "triptych: the recording ends before the program: %s%s\n", run.Cut, file.hint())
	}
	fmt.Fprintf(out.Err, "triptych: recorded %s; see them by: triptych replay %s\n", file.extent(run), file.Name())
}

// pack adds to a recording what its replay needs, and says what it could not add.
func (a commands) pack(path string) error {
	left, err := debugger.PackRecording(path)
	for _, each := range left {
		fmt.Fprintf(a.Err, "triptych: not packed: %v\n", each)
	}
	return err
}

// signalStatus is added to the number of a signal that has killed a program, as shells do.
const signalStatus = 128

// exitOf returns the exit status of a program.
func exitOf(run *debugger.RecordedRun) error {
	switch {
	case run.Killed != 0:
		return cmderr.ExitError(signalStatus + run.Killed)
	case run.Status != 0:
		return cmderr.ExitError(run.Status)
	}
	return nil
}

// ReplayCommand returns the row of triptych replay.
func ReplayCommand(a *app.App) command.Command { return newCommands(a).replayCommand() }

func (a commands) replayCommand() command.Command {
	pack := false
	return command.Command{
		Name: "replay", Args: "FILE", Min: 1, Max: 1,
		KeepUser: true,
		Short:    "go through a recording of a program",
		Long: "Replays a file that triptych record has written, checks that it is the same as\n" +
			"the recorded run, and reads commands at its end: seek, step_backward,\n" +
			"reverse_continue, last_write, get_stack_trace and the others of triptych debug.\n" +
			"The files that the program had mapped and that are not in the recording must still\n" +
			"be the same; --pack adds them to it. The program is not run again: its output is not\n" +
			"repeated and no file is changed.",
		Example: "triptych replay shop.recording\n" +
			"echo get_stack_trace | triptych replay shop.recording\n" +
			"triptych replay --pack shop.recording",
		Flags: func(set *pflag.FlagSet) {
			set.BoolVar(&pack, "pack", false, "add all files that a replay on another system needs to the recording, and end")
			a.debuggerFlags(set)
		},
		Run: func(ctx context.Context, args []string) error {
			if pack {
				return a.pack(args[0])
			}
			path, err := filepath.Abs(args[0])
			if err != nil {
				return err
			}
			traces := &a.app.Configs.Debugger.Traces
			*traces = append(*traces, filepath.Dir(path))
			return a.shell(ctx, func(ctx context.Context, s *debugShell) error {
				return s.call(ctx, "open_trace", map[string]any{"file": path})
			})
		},
	}
}
