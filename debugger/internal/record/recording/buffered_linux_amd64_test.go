package recording_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// TestBufferedCalls records system calls that are made without a stop: they do what they do
// without a recorder, and replays have the same registers and memory.
func TestBufferedCalls(t *testing.T) {
	program := debuggertest.Compile(t, filepath.Join("testdata", "buffered.c"), nil, "gcc", "-O1", "-pthread")
	for _, kind := range []string{"threads", "alone"} {
		t.Run(kind, func(t *testing.T) {
			sample.Case(t)
			compareRun(t, program, kind)
		})
	}
}

// TestInterrupted records system calls that fail when their thread is stopped: they fail only
// when they do without a recorder.
func TestInterrupted(t *testing.T) {
	compareRun(t, debuggertest.Compile(t, filepath.Join("testdata", "interrupted.c"), nil, "gcc", "-O1", "-pthread"))
}

// compareRun checks that a program does the same when it is recorded, and replays the
// recording.
func compareRun(t *testing.T, program string, args ...string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), program, args...)
	want, _ := command.Output() // the status is compared
	r := record(t, command.Args...)
	if r.result.Status != command.ProcessState.ExitCode() || r.result.Cut != "" || string(r.output) != string(want) {
		t.Errorf("%+v, output\n%swant status %d and\n%s", r.result, r.output, command.ProcessState.ExitCode(), want)
	}
	replayWhole(t, open(t, r.file))
}
