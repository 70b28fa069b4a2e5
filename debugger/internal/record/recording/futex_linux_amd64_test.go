package recording_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recording"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// TestFutexes records programs with threads that wait for futexes, which the recorder wakes
// itself in part. They write what they write without a recorder.
func TestFutexes(t *testing.T) {
	program := debuggertest.Compile(t, filepath.Join("testdata", "futex.c"), nil, "gcc", "-O1", "-pthread")
	for _, test := range []string{"wrong", "counts", "requeue", "interrupted", "-c"} {
		t.Run(test, func(t *testing.T) {
			if test == "-c" { // as long as all others; it is also what TestKilledRecorderOfThreads records
				sample.OnlyWhole(t)
			}
			command := exec.CommandContext(t.Context(), program, test)
			want, _ := command.Output() // the status is compared
			for tries := 5; ; tries-- { // on a busy machine each thread may find what it waits for
				r := record(t, program, test)
				if r.result.Status != command.ProcessState.ExitCode() || r.result.Cut != "" || string(r.output) != string(want) {
					t.Errorf("%+v, output %q, want status %d and %q", r.result, r.output, command.ProcessState.ExitCode(), want)
				}
				replayWhole(t, open(t, r.file))
				parked, woken := recording.Futexes(r.result)
				if parked > 0 && (woken > 0 || test != "-c") {
					break
				} else if tries == 0 {
					t.Fatalf("the recorder has parked threads %d times, and woken %d", parked, woken)
				}
			}
		})
	}
}

// TestKilledRecorderOfThreads kills recorders while two threads take turns. They run on.
func TestKilledRecorderOfThreads(t *testing.T) {
	program := debuggertest.Compile(t, filepath.Join("testdata", "futex.c"), nil, "gcc", "-O1", "-pthread")
	want, _ := exec.CommandContext(t.Context(), program, "-c").Output() // its status is not 0
	killed := 0
	kills := sample.Count(2, 3)
	for n := range kills {
		killed += killOne(t, program, want, len(want)*(n+1)/(kills+2))
	}
	if killed == 0 {
		t.Error("no recorder was killed before it had ended")
	}
}
