package debugcmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"regexp"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/debugger"
)

// repeated are the flags of record that say what a failure is, and how often a program is run.
type repeated struct {
	until   bool
	repeat  int
	chaos   string // a seed, or randomSeed, or "" for none
	timeout time.Duration
	pattern string // of output that is a failure
}

// randomSeed is the value of --chaos alone.
const randomSeed = "random"

// sanitizers matches the reports of sanitizers, some of which do not change the exit status.
const sanitizers = `(ERROR|WARNING): [A-Za-z]*Sanitizer: |: runtime error: |WARNING: DATA RACE`

// statusTimeout is the exit status when the failure is that the program does not end, as of
// timeout(1).
const statusTimeout = 124

func (r repeated) check() error {
	switch {
	case !r.until && (r.repeat != defaultRepeat || r.timeout != 0 || r.pattern != ""):
		return app.UsageErrorf("--repeat, --timeout and --fail-pattern are for --until-fail")
	case r.repeat < 1:
		return app.UsageErrorf("--repeat is %d, want at least 1", r.repeat)
	}
	_, err := r.seed()
	return err
}

const defaultRepeat = 1000

// seed returns the seed of the first run, or 0 without chaos.
func (r repeated) seed() (uint64, error) {
	switch r.chaos {
	case "":
		return 0, nil
	case randomSeed:
		return uint64(rand.Uint32()) + 1, nil
	}
	seed, err := strconv.ParseUint(r.chaos, 10, 63)
	if err != nil || seed == 0 {
		return 0, app.UsageErrorf("--chaos is %q, want a number from 1 on", r.chaos)
	}
	return seed, nil
}

// A search runs a program until it fails.
type search struct {
	a       commands
	f       *recordFlags
	program debugger.RecordedProgram
	name    string // of the file
	failure *regexp.Regexp
	output  *os.File // of the last run
	file    *outputFile
	began   time.Time
}

// recordUntilFailure runs a program until it fails, and keeps that recording.
func (a commands) recordUntilFailure(ctx context.Context, f *recordFlags, program debugger.RecordedProgram, name string) (err error) {
	s := &search{a: a, f: f, program: program, name: name, began: time.Now()}
	text := sanitizers
	if f.pattern != "" {
		text += "|(?:" + f.pattern + ")"
	}
	if s.failure, err = regexp.Compile(text); err != nil {
		return app.UsageErrorf("--fail-pattern: %v", err)
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		return err
	}
	defer func() { _ = null.Close() }()
	if s.output, err = os.CreateTemp("", "triptych-output-"); err != nil {
		return err
	}
	defer func() { _ = errors.Join(s.output.Close(), os.Remove(s.output.Name())) }()
	s.program.Files = []uintptr{null.Fd(), s.output.Fd(), s.output.Fd()}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	return s.search(ctx)
}

// search runs the program. The program gets the signals of the terminal, too: how a run ends that
// was interrupted says nothing.
func (s *search) search(ctx context.Context) error {
	for n := 1; n <= s.f.repeat; n++ {
		why, status, err := s.run(ctx)
		switch {
		case err != nil:
			return err
		case ctx.Err() != nil:
			fmt.Fprintf(s.a.Err, "%striptych: interrupted: none of %d runs has failed\n", s.line(), n-1)
			return app.ExitError(signalStatus + int(syscall.SIGINT))
		case why != "":
			return s.found(n, why, status)
		}
		s.progress(n)
		if s.program.Seed != 0 {
			s.program.Seed++
		}
	}
	fmt.Fprintf(s.a.Err, "%striptych: none of %d runs has failed\n", s.line(), s.f.repeat)
	return nil
}

// run runs the program once. If it has failed, it returns why, and the status of the command. Otherwise
// the file is removed.
func (s *search) run(ctx context.Context) (why string, status int, err error) {
	if _, err := s.output.Seek(0, io.SeekStart); err != nil {
		return "", 0, err
	}
	if err := s.output.Truncate(0); err != nil {
		return "", 0, err
	}
	if s.file, err = createOutput(s.name, s.f.limits); err != nil {
		return "", 0, err
	}
	run, late, err := s.record(ctx)
	if err = errors.Join(err, s.file.recording().Close()); err == nil && ctx.Err() == nil {
		why, status, err = s.judge(&run, late)
	}
	if why == "" || err != nil {
		return "", 0, errors.Join(err, s.file.remove())
	}
	s.a.keepChildren(s.f, &run, s.name)
	if run.Events == 0 {
		return "", 0, errors.Join(fmt.Errorf("nothing is recorded: %s", run.Cut), s.file.remove())
	}
	why += fmt.Sprintf(" after %s", s.file.extent(&run))
	if run.Cut != "" {
		why += fmt.Sprintf(", and the recording ends before the program: %s%s", run.Cut, s.file.hint())
	}
	return why, status, nil
}

// record records the program. When the time is over, or ctx is done, it is killed.
func (s *search) record(ctx context.Context) (run debugger.RecordedRun, late bool, err error) {
	if s.f.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, s.f.timeout)
		defer cancel()
	}
	var process atomic.Int64
	stop := context.AfterFunc(ctx, func() { killProcess(process.Load()) })
	defer stop()
	p := s.program
	p.EndDeadlocks = true
	p.Started = func(pid int) {
		if process.Store(int64(pid)); ctx.Err() != nil {
			killProcess(int64(pid))
		}
	}
	run, err = debugger.RecordProgram(context.WithoutCancel(ctx), p, s.file.recording())
	return run, errors.Is(ctx.Err(), context.DeadlineExceeded) && run.Killed == int(syscall.SIGKILL), errors.Join(err, run.Err)
}

// killProcess kills a process that was started and not waited for.
func killProcess(pid int64) {
	if process, err := os.FindProcess(int(pid)); pid > 0 && err == nil {
		_ = process.Kill() // it may have ended
	}
}

// judge returns why a run has failed, or "".
func (s *search) judge(run *debugger.RecordedRun, late bool) (why string, status int, err error) {
	switch {
	case run.Deadlock:
		return "has a deadlock: all threads wait for each other", statusTimeout, nil
	case late:
		return fmt.Sprintf("has not ended after %v", s.f.timeout), statusTimeout, nil
	case run.Killed != 0:
		return fmt.Sprintf("was killed by signal %d (%v)", run.Killed, syscall.Signal(run.Killed)), signalStatus + run.Killed, nil
	case run.Status != 0:
		return fmt.Sprintf("has ended with status %d", run.Status), run.Status, nil
	}
	text, err := os.ReadFile(s.output.Name())
	if found := s.failure.Find(text); found != nil {
		return fmt.Sprintf("has written %q", found), 1, nil
	}
	return "", 0, err
}

// found shows the output of the run that has failed, and says what can be done.
func (s *search) found(n int, why string, status int) error {
	if s.f.pack {
		s.a.report(s.a.pack(s.file.Name()))
	}
	text, err := os.ReadFile(s.output.Name())
	s.a.report(err)
	fmt.Fprint(s.a.Err, s.line())
	_, err = s.a.Out.Write(text)
	s.a.report(err)
	fmt.Fprintf(s.a.Err, "triptych: run %d %s\n", n, why)
	if s.program.Seed != 0 {
		fmt.Fprintf(s.a.Err, "triptych: the same schedule again: --chaos=%d\n", s.program.Seed)
	}
	fmt.Fprintf(s.a.Err, "triptych: see where it ends, and go back from there: triptych replay %s\n"+
		"triptych: in it, type get_stack_trace, last_write EXPRESSION, reverse_continue\n", s.file.Name())
	return app.ExitError(status)
}

// progress shows a person how many runs there were.
func (s *search) progress(n int) {
	if s.terminal() {
		each := time.Since(s.began) / time.Duration(n)
		fmt.Fprintf(s.a.Err, "%s%d of %d runs, %v each; none has failed", s.line(), n, s.f.repeat, each.Round(time.Millisecond))
	}
}

// line returns what clears the line of the progress.
func (s *search) line() string {
	if s.terminal() {
		return "\r\x1b[K"
	}
	return ""
}

// terminal reports whether the errors are written to a terminal.
func (s *search) terminal() bool {
	file, ok := s.a.Err.(*os.File)
	return ok && app.IsTerminal(file)
}
