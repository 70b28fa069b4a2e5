package recording_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/guard"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recording"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// Environment variables that make the test program a recorder, which a test kills.
const (
	childProgram = "RECORDING_TEST_PROGRAM"
	childFile    = "RECORDING_TEST_FILE"
	childProcess = "RECORDING_TEST_PROCESS" // one to attach to, instead of a program
	childFilter  = "RECORDING_TEST_FILTER"  // not empty: the recorder has a seccomp filter
	childRing    = "RECORDING_TEST_RING"    // not empty: a ring with short segments
	childChaos   = "RECORDING_TEST_CHAOS"   // not empty: with chaos
)

func TestMain(m *testing.M) {
	if os.Getenv(childFilter) != "" {
		if err := refuseCalls(); err != nil {
			os.Exit(92)
		}
	}
	if program := os.Getenv(childProgram); program != "" {
		os.Exit(recordAlone(program, os.Getenv(childFile)))
	}
	if len(os.Args) == 2 && os.Args[1] == guard.Command {
		os.Exit(guard.Main())
	}
	if process := os.Getenv(childProcess); process != "" {
		os.Exit(attachAlone(process))
	}
	os.Exit(m.Run())
}

// recordAlone records a program that writes to standard output.
func recordAlone(program, path string) int {
	file, err := os.Create(path)
	if err != nil {
		return 90
	}
	var w io.Writer = file
	if os.Getenv(childRing) != "" {
		ring := recfile.NewRing(file, path, 0)
		dueAfter(ring, 4)
		w = ring
	}
	_, err = recording.Record(context.Background(), recording.Program{
		Path: program, Args: []string{program, "-c", "/bin/bash"}, Env: []string{"PATH=/usr/bin:/bin", "LC_ALL=C"}, Files: []uintptr{0, 1, 2},
		Chaos: os.Getenv(childChaos) != "",
	}, w)
	if err != nil {
		return 91
	}
	return 0
}

// TestKilledRecorder kills recorders while programs run: they run on and write what they
// write without them, and what was flushed until then can be replayed. One program makes
// system calls, the other one also executes instructions that are not translated, and code
// that it changes.
func TestKilledRecorder(t *testing.T) {
	kills := sample.Count(2, 40)
	gzip, err := exec.LookPath("gzip")
	if err != nil {
		t.Skip("the test needs gzip")
	}
	record(t, gzip, "--version") // skips the test where nothing can be recorded
	restless := debuggertest.Compile(t, filepath.Join("testdata", "restless.c"), nil, "gcc", "-O1")
	for i, program := range []string{gzip, restless} {
		killed := 0
		command := exec.CommandContext(t.Context(), program, "-c", "/bin/bash")
		command.Env = []string{"PATH=/usr/bin:/bin", "LC_ALL=C"}
		want, err := command.Output()
		if err != nil {
			t.Fatal(err)
		}
		for n := range kills / 2 {
			var ring []string
			if (n+i)%2 == 1 {
				ring = []string{childRing + "=1"}
			}
			killed += killOne(t, program, want, len(want)*(n+1)/(kills/2+2), ring...)
		}
		if killed == 0 {
			t.Errorf("%s: no recorder was killed before it had ended", program)
		}
	}
}

// killOne kills a recorder when the program has written some of what it writes. It returns 0
// if the recorder had ended before, else 1. The recorder has some more variables.
func killOne(t *testing.T, program string, want []byte, after int, variables ...string) (killed int) {
	t.Helper()
	folder := t.TempDir()
	defer func() { _ = os.RemoveAll(folder) }() // there may be a thousand
	out, err := os.Create(filepath.Join(folder, "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = out.Close() }()
	file := filepath.Join(folder, "file")
	recorder := exec.Command(os.Args[0]) // the test kills it
	recorder.Env = append(os.Environ(), childProgram+"="+program, childFile+"="+file)
	recorder.Env = append(recorder.Env, variables...)
	recorder.Stdout, recorder.Stderr = out, os.Stderr
	if err := recorder.Start(); err != nil {
		t.Fatal(err)
	}
	awaitSize(t, out.Name(), after)
	_ = recorder.Process.Kill()
	_ = recorder.Wait() // its status follows
	if killed = 1; recorder.ProcessState.Exited() {
		killed = 0
	}
	if status := recorder.ProcessState.ExitCode(); status > 0 {
		t.Errorf("the recorder has ended with status %d", status)
	}
	awaitSize(t, out.Name(), len(want))
	if got, err := os.ReadFile(out.Name()); err != nil || !bytes.Equal(got, want) {
		t.Errorf("after a kill at %d bytes: %s has written %d other bytes (%v)", after, program, len(got), err)
	}
	if b, err := os.ReadFile(file); err != nil {
		t.Error(err)
	} else if r, err := recfile.Read(bytes.NewReader(b), nil); err == nil { // else nothing was flushed
		replayWhole(t, r)
	}
	return killed
}

// awaitSize waits until a file has some size, nearly as long as the test may take: programs
// on a busy machine are slow.
func awaitSize(t *testing.T, path string, size int) {
	t.Helper()
	deadline, ok := t.Deadline()
	if deadline = deadline.Add(-10 * time.Second); !ok {
		deadline = time.Now().Add(time.Hour)
	}
	for ; ; time.Sleep(time.Millisecond) {
		info, err := os.Stat(path)
		if err == nil && info.Size() >= int64(size) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s has not got %d bytes", path, size)
		}
	}
}
