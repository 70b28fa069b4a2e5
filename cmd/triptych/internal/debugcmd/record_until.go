package debugcmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
	"github.com/triptych-mcp/triptych/debugger"
)

// repeated are the flags of record that say what a failure is, and how often a program is run.
type repeated struct {
	until   bool
	repeat  int
	jobs    int    // runs at the same time, or 0 for as many as there are processors
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
	case !r.until && (r.repeat != defaultRepeat || r.jobs != 0 || r.timeout != 0 || r.pattern != ""):
		return cmderr.UsageErrorf("--repeat, --jobs, --timeout and --fail-pattern are for --until-fail")
	case r.repeat < 1:
		return cmderr.UsageErrorf("--repeat is %d, want at least 1", r.repeat)
	case r.jobs < 0:
		return cmderr.UsageErrorf("--jobs is %d, want at least 1, or 0", r.jobs)
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
		return 0, cmderr.UsageErrorf("--chaos is %q, want a number from 1 on", r.chaos)
	}
	return seed, nil
}

// A search runs a program until it fails, several times at once. The first run that fails ends the
// others.
type search struct {
	a       commands
	f       *recordFlags
	program debugger.RecordedProgram
	name    string // of the file
	failure *regexp.Regexp
	null    *os.File
	began   time.Time
	cancel  context.CancelFunc // ends all runs

	mu     sync.Mutex
	begun  int // runs
	ended  int // of them, without a failure
	failed *run
}

// A run is one of a search.
type run struct {
	*search
	debugger.RecordedRun
	number int
	seed   uint64
	output *os.File // of the program
	file   *outputFile
	why    string // it has failed
	status int    // of the command
}

// recordUntilFailure runs a program until it fails, and keeps that recording.
func (a commands) recordUntilFailure(ctx context.Context, f *recordFlags, program debugger.RecordedProgram, name string) (err error) {
	s := &search{a: a, f: f, program: program, name: name, began: time.Now()}
	text := sanitizers
	if f.pattern != "" {
		text += "|(?:" + f.pattern + ")"
	}
	if s.failure, err = regexp.Compile(text); err != nil {
		return cmderr.UsageErrorf("--fail-pattern: %v", err)
	}
	if s.null, err = os.Open(os.DevNull); err != nil {
		return err
	}
	defer func() { _ = s.null.Close() }()
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	return s.search(ctx)
}

// jobs returns how many runs go on at the same time. The recordings of children, and what is not a regular file,
// have one name.
func (s *search) jobs() int {
	info, err := os.Lstat(s.name)
	if s.f.follow || err == nil && !info.Mode().IsRegular() {
		return 1
	}
	return min(cmp.Or(s.f.jobs, runtime.GOMAXPROCS(0)), s.f.repeat)
}

// search runs the program. The program gets the signals of the terminal, too: how a run ends that
// was interrupted says nothing.
func (s *search) search(ctx context.Context) error {
	all, cancel := context.WithCancel(ctx)
	defer cancel()
	s.cancel = cancel
	jobs := s.jobs()
	errs := make([]error, jobs)
	var group sync.WaitGroup
	for job := range jobs {
		group.Go(func() { errs[job] = s.work(all, job, jobs) })
	}
	group.Wait()
	switch err := errors.Join(errs...); {
	case s.failed != nil:
		report(s.a.IO, err)
		return s.found()
	case err != nil:
		return err
	case ctx.Err() != nil:
		fmt.Fprintf(s.a.Err, "%striptych: interrupted: none of %d runs has failed\n", s.line(), s.ended)
		return cmderr.ExitError(signalStatus + int(syscall.SIGINT))
	}
	fmt.Fprintf(s.a.Err, "%striptych: none of %d runs has failed\n", s.line(), s.ended)
	return nil
}

// work makes one run after the other.
func (s *search) work(ctx context.Context, job, jobs int) (err error) {
	output, err := os.CreateTemp("", "triptych-output-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, output.Close(), os.Remove(output.Name())) }()
	name := s.name
	p := s.program
	p.Files = []uintptr{s.null.Fd(), output.Fd(), output.Fd()}
	if jobs > 1 {
		name = fmt.Sprintf("%s.job%d", s.name, job+1)
		p.Place = job + 1
	}
	for r := s.next(); r != nil && ctx.Err() == nil; r = s.next() {
		r.output, p.Seed = output, r.seed
		if err = r.make(ctx, p, name); err != nil {
			s.cancel()
			return err
		}
	}
	return nil
}

// next returns the next run, or nil.
func (s *search) next() *run {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.begun == s.f.repeat {
		return nil
	}
	r := &run{search: s, number: s.begun + 1}
	if s.program.Seed != 0 {
		r.seed = s.program.Seed + uint64(s.begun)
	}
	s.begun++
	return r
}

// make runs the program once, and removes its files unless this run has failed first.
func (r *run) make(ctx context.Context, p debugger.RecordedProgram, name string) (err error) {
	if err := errors.Join(r.output.Truncate(0), rewind(r.output)); err != nil {
		return err
	}
	if r.file, err = createOutput(name, r.f.limits); err != nil {
		return err
	}
	late, err := r.record(ctx, p)
	err = errors.Join(err, r.file.recording().Close())
	switch {
	case ctx.Err() != nil: // it was killed, which is no failure of the recorder either
		return r.file.remove()
	case err == nil:
		err = r.judge(late)
	}
	if err == nil && r.why != "" && r.Events == 0 {
		err = fmt.Errorf("nothing is recorded: %s", r.Cut)
	}
	if err != nil || !r.end(ctx) {
		return errors.Join(err, r.file.remove(), removeChildren(&r.RecordedRun, name))
	}
	return r.show()
}

func rewind(f *os.File) error {
	_, err := f.Seek(0, io.SeekStart)
	return err
}

// end counts the run, and reports whether it has failed, as the first one.
func (r *run) end(ctx context.Context) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case ctx.Err() != nil:
	case r.why == "":
		r.ended++
		r.progress(r.ended)
	default:
		r.failed = r
		r.cancel()
		return true
	}
	return false
}

// show shows the output of the run that has failed.
func (r *run) show() error {
	text, err := os.ReadFile(r.output.Name())
	fmt.Fprint(r.a.Err, r.line())
	_, failed := r.a.Out.Write(text)
	return errors.Join(err, failed)
}

// record records the program. When the time is over, or ctx is done, it is killed.
func (r *run) record(ctx context.Context, p debugger.RecordedProgram) (late bool, err error) {
	if r.f.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, r.f.timeout)
		defer cancel()
	}
	var process atomic.Int64
	stop := context.AfterFunc(ctx, func() { killProcess(process.Load()) })
	defer stop()
	p.EndDeadlocks = true
	p.Started = func(pid int) {
		if process.Store(int64(pid)); ctx.Err() != nil {
			killProcess(int64(pid))
		}
	}
	r.RecordedRun, err = debugger.RecordProgram(context.WithoutCancel(ctx), p, r.file.recording())
	late = errors.Is(ctx.Err(), context.DeadlineExceeded) && r.Killed == int(syscall.SIGKILL)
	return late, errors.Join(err, r.Err)
}

// killProcess kills a process that was started and not waited for.
func killProcess(pid int64) {
	if process, err := os.FindProcess(int(pid)); pid > 0 && err == nil {
		_ = process.Kill() // it may have ended
	}
}

// judge says why the run has failed, if it has.
func (r *run) judge(late bool) error {
	switch {
	case r.Deadlock:
		r.why, r.status = "has a deadlock: all threads wait for each other", statusTimeout
	case late:
		r.why, r.status = fmt.Sprintf("has not ended after %v", r.f.timeout), statusTimeout
	case r.Killed != 0:
		r.why, r.status = fmt.Sprintf("was killed by signal %d (%v)", r.Killed, syscall.Signal(r.Killed)), signalStatus+r.Killed
	case r.Status != 0:
		r.why, r.status = fmt.Sprintf("has ended with status %d", r.Status), r.Status
	default:
		text, err := os.ReadFile(r.output.Name())
		if found := r.failure.Find(text); found != nil {
			r.why, r.status = fmt.Sprintf("has written %q", found), 1
		}
		return err
	}
	return nil
}

// found keeps the recording of the run that has failed, and says what can be done.
func (s *search) found() error {
	r := s.failed
	if made := r.file.Name(); made != s.name {
		if err := os.Rename(made, s.name); err != nil {
			return err
		}
	}
	s.a.keepChildren(s.f, &r.RecordedRun, s.name)
	if s.f.pack {
		report(s.a.IO, s.a.pack(s.name))
	}
	fmt.Fprintf(s.a.Err, "triptych: run %d %s after %s", r.number, r.why, r.file.extent(&r.RecordedRun))
	if r.Cut != "" {
		fmt.Fprintf(s.a.Err, ", and the recording ends before the program: %s%s", r.Cut, r.file.hint())
	}
	fmt.Fprintln(s.a.Err)
	if r.seed != 0 {
		fmt.Fprintf(s.a.Err, "triptych: the same schedule again: --chaos=%d\n", r.seed)
	}
	fmt.Fprintf(s.a.Err, "triptych: see where it ends, and go back from there: triptych replay %s\n"+
		"triptych: in it, type get_stack_trace, race, last_write EXPRESSION, reverse_continue\n", s.name)
	return cmderr.ExitError(r.status)
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
	return ok && cmdio.IsTerminal(file)
}
