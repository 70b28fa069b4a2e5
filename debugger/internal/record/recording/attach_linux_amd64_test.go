package recording_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recording"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// A live process is one to attach to. It is ready, and goes on when it gets a line.
type live struct {
	command *exec.Cmd
	input   io.WriteCloser
	output  *bufio.Reader
}

// startLive starts the program live.c and waits until so many of its threads sleep.
func startLive(t *testing.T, sleeping int, args ...string) *live {
	t.Helper()
	program := debuggertest.Compile(t, filepath.Join("testdata", "live.c"), nil, "gcc", "-O1", "-pthread")
	return startProgram(t, sleeping, program, args...)
}

// startProgram is startLive for any program that says when it is ready.
func startProgram(t *testing.T, sleeping int, program string, args ...string) *live {
	t.Helper()
	needPermission(t)
	l := &live{command: exec.CommandContext(t.Context(), program, args...)}
	var err error
	if l.input, err = l.command.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := l.command.StdoutPipe()
	check(t, errors.Join(err, l.command.Start()))
	l.output = bufio.NewReader(out)
	if line, err := l.output.ReadString('\n'); err != nil || line != "ready\n" {
		t.Fatalf("%q (%v)", line, err)
	}
	l.awaitSleeping(t, sleeping)
	return l
}

// awaitSleeping waits until so many threads sleep.
func (l *live) awaitSleeping(t *testing.T, threads int) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); l.sleeping(t) < threads; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("of the threads, %d sleep", l.sleeping(t))
		}
	}
}

// sleeping returns how many threads sleep.
func (l *live) sleeping(t *testing.T) int {
	t.Helper()
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", l.command.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, name := range files {
		if text, err := os.ReadFile(name); err == nil && bytes.Contains(text, []byte(") S ")) {
			n++
		}
	}
	return n
}

// tell makes the process go on.
func (l *live) tell(t *testing.T) {
	t.Helper()
	if _, err := l.input.Write([]byte("go")); err != nil {
		t.Error(err)
	}
	_ = l.input.Close()
}

// finish waits for the end of the process, and compares its output. It returns its status,
// unless the recorder has read that.
func (l *live) finish(t *testing.T, want string) int {
	t.Helper()
	got, err := io.ReadAll(l.output)
	if err != nil || string(got) != want {
		t.Errorf("the program has written %q (%v), want %q", got, err, want)
	}
	_ = l.command.Wait() // the status is compared
	return l.command.ProcessState.ExitCode()
}

// Of live.c: results of its threads ('x' and the byte read are 121), and of one thread.
const (
	wantThreads = "1 alarms; 1 1 1 121 1 1go\n"
	wantAlone   = "1 alarms; 0 0 0 0 0 0go\n"
)

// attached records a process until it ends, or ctx is done, and sends the result.
func (l *live) attached(t *testing.T, ctx context.Context, file io.Writer) <-chan recording.Result {
	t.Helper()
	done := make(chan recording.Result, 1)
	go func() {
		defer close(done)
		result, err := recording.Attach(ctx, l.command.Process.Pid, file)
		if err = errors.Join(err, result.Err); err != nil {
			t.Error(err)
		}
		done <- result
	}()
	return done
}

// awaitTraced waits until the process runs in a code cache.
func (l *live) awaitTraced(t *testing.T) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); !strings.Contains(l.read(t, "maps"), "/memfd: (deleted)"); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the process is not recorded")
		}
	}
}

func (l *live) read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", l.command.Process.Pid, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestAttach records processes from the middle of their lives to their ends, and replays
// the recordings.
func TestAttach(t *testing.T) {
	for _, test := range []struct {
		name     string
		sleeping int
		args     []string
		want     string
	}{
		{"threads", 6, nil, wantThreads},
		{"alone", 1, []string{"alone"}, wantAlone},
		{"computing", 0, []string{"alone", "computing"}, wantAlone},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := startLive(t, test.sleeping, test.args...)
			var file bytes.Buffer
			done := l.attached(t, t.Context(), &file)
			l.awaitTraced(t)
			l.tell(t)
			result := <-done // before another one waits for the process
			l.finish(t, test.want)
			if result.Running || result.Status != 5 || result.Cut != "" {
				t.Errorf("%+v", result)
			}
			t.Logf("%d positions, %d events, %d bytes", result.Positions, result.Events, file.Len())
			r := open(t, file.Bytes())
			replayWhole(t, r)
			seekSome(t, r)
		})
	}
}

// TestAttachWhileOthersWrite records a process with a thread that makes restart_syscall, which
// may be a poll by its arguments, while another one writes the memory that a poll would.
func TestAttachWhileOthersWrite(t *testing.T) {
	program := debuggertest.Compile(t, filepath.Join("testdata", "beside.c"), nil, "gcc", "-O1", "-pthread")
	l := startProgram(t, 2, program)
	var file bytes.Buffer
	done := l.attached(t, t.Context(), &file)
	l.awaitTraced(t)
	l.awaitSleeping(t, 2)
	l.tell(t)
	result := <-done
	l.finish(t, "0 wrong\n")
	if result.Running || result.Status != 0 || result.Cut != "" {
		t.Errorf("%+v", result)
	}
	replayWhole(t, open(t, file.Bytes()))
}

// TestAttachExec records a process that executes another program, to the end of that.
func TestAttachExec(t *testing.T) {
	l := startProgram(t, 1, "sh", "-c", "echo ready; read line; exec printf '%s\\n' other")
	var file bytes.Buffer
	done := l.attached(t, t.Context(), &file)
	l.awaitTraced(t)
	l.tell(t)
	result := <-done
	l.finish(t, "other\n")
	if result.Running || result.Status != 0 || result.Cut != "" {
		t.Errorf("%+v", result)
	}
	r := open(t, file.Bytes())
	if last := r.Last(); last.Position < firstOfLast(r)+1000 {
		t.Errorf("the recording has not enough of the other program: %+v", last)
	}
	replayWhole(t, r)
}

// TestAttachAndLeave ends recordings while the process runs, and while its threads get a
// signal: it is as before, and goes on.
func TestAttachAndLeave(t *testing.T) {
	l := startLive(t, 6)
	before, processors := l.read(t, "maps"), l.processors(t)
	for range 3 {
		ctx, cancel := context.WithCancel(t.Context())
		var file bytes.Buffer
		done := l.attached(t, ctx, &file)
		l.awaitTraced(t)
		cancel()
		if result := l.disturb(processors, done); !result.Running {
			t.Errorf("%+v", result)
		}
		replayWhole(t, open(t, file.Bytes()))
	}
	if after := l.read(t, "maps"); after != before {
		t.Errorf("its mappings were\n%sand are\n%s", before, after)
	}
	if after := l.processors(t); !maps.Equal(after, processors) {
		t.Errorf("its threads had the processors %v, and have %v", processors, after)
	}
	if text := l.read(t, "status"); !strings.Contains(text, "TracerPid:\t0\n") {
		t.Error("it is still traced")
	}
	l.tell(t)
	if status := l.finish(t, wantThreads); status != 5 {
		t.Errorf("it has ended with status %d", status)
	}
}

// processors returns the processors that each thread may use.
func (l *live) processors(t *testing.T) map[int]string {
	t.Helper()
	folders, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", l.command.Process.Pid))
	check(t, err)
	all := make(map[int]string)
	for _, folder := range folders {
		tid, err := strconv.Atoi(filepath.Base(folder))
		check(t, err)
		status, err := procfs.ReadStatus(folder + "/status")
		check(t, err)
		all[tid] = status["Cpus_allowed_list"]
	}
	return all
}

// disturb sends signals to threads until the process is recorded no longer.
func (l *live) disturb(threads map[int]string, done <-chan recording.Result) recording.Result {
	for {
		for tid := range threads {
			_ = unix.Tgkill(l.command.Process.Pid, tid, unix.SIGWINCH)
		}
		select {
		case result := <-done:
			return result
		default:
		}
	}
}

// seekSome compares states of a timeline with those that a replay passes.
func seekSome(t *testing.T, r *recfile.Recording) {
	t.Helper()
	first := r.Event(0).Position
	line, want := timeline(t, r), map[uint64]state{first + 1: {}, first + (r.End()-first)/2: {}}
	pass(t, r, want)
	for position, w := range want {
		if _, err := line.History().Seek(position); err != nil {
			t.Fatal(err)
		}
		v := line.History().View()
		got, err := v.Regs(0)
		got.EFlags, got.OrigRAX = w.regs.EFlags, w.regs.OrigRAX // a translated replay clears dead flags
		stack := make([]byte, len(w.stack))
		if _, err2 := v.ReadMemory(got.RSP, stack); errors.Join(err, err2) != nil || got != w.regs || !bytes.Equal(stack, w.stack) {
			t.Errorf("position %d: %+v (%v, %v), want %+v", position, got, err, err2, w.regs)
		}
	}
}

// attachAlone records a process and writes the recording nowhere.
func attachAlone(process string) int {
	pid, err := strconv.Atoi(process)
	if err != nil {
		return 90
	}
	if _, err := recording.Attach(context.Background(), pid, io.Discard); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 91
	}
	return 0
}

// TestAttachedRecorderKilled kills a recorder that has attached to a process, which goes on.
// In some moments of attaching it does not yet, see docs/recording.md.
func TestAttachedRecorderKilled(t *testing.T) {
	sample.OnlyWhole(t)
	l := startLive(t, 6)
	for range 2 {
		recorder := exec.Command(os.Args[0]) // the test kills it
		recorder.Env = append(os.Environ(), childProcess+"="+strconv.Itoa(l.command.Process.Pid))
		recorder.Stderr = os.Stderr
		check(t, recorder.Start())
		l.awaitTraced(t)
		_ = recorder.Process.Kill()
		_ = recorder.Wait()
	}
	l.tell(t)
	if status := l.finish(t, wantThreads); status != 5 {
		t.Errorf("it has ended with status %d", status)
	}
}
