package recording_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/recording"
)

// TestFutexes records programs with threads that wait for futexes, which the recorder wakes
// itself in part. They write what they write without a recorder.
func TestFutexes(t *testing.T) {
	program := debuggertest.Compile(t, filepath.Join("testdata", "futex.c"), nil, "gcc", "-O1", "-pthread")
	for _, test := range []string{"wrong", "counts", "requeue", "interrupted", "-c"} {
		t.Run(test, func(t *testing.T) {
			command := exec.CommandContext(t.Context(), program, test)
			want, _ := command.Output() // the status is compared
			r := record(t, program, test)
			if r.result.Status != command.ProcessState.ExitCode() || r.result.Cut != "" || string(r.output) != string(want) {
				t.Errorf("%+v, output %q, want status %d and %q", r.result, r.output, command.ProcessState.ExitCode(), want)
			}
			if parked, woken := recording.Futexes(r.result); parked == 0 || woken == 0 && test == "-c" {
				t.Errorf("the recorder has parked threads %d times, and woken %d", parked, woken)
			}
			replay(t, open(t, r.file))
		})
	}
}

// TestKilledRecorderOfThreads kills recorders while two threads take turns. They run on.
func TestKilledRecorderOfThreads(t *testing.T) {
	program := debuggertest.Compile(t, filepath.Join("testdata", "futex.c"), nil, "gcc", "-O1", "-pthread")
	want, _ := exec.CommandContext(t.Context(), program, "-c").Output() // its status is not 0
	killed := 0
	for n := range 3 {
		killed += killOne(t, program, want, len(want)*(n+1)/5)
	}
	if killed == 0 {
		t.Error("no recorder was killed before it had ended")
	}
}
