package recording_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recording"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// TestThreads records programs with several threads, compares what they write with what
// they write without a recorder, and replays them.
func TestThreads(t *testing.T) {
	program := debuggertest.Compile(t, filepath.Join("testdata", "threads.c"), nil, "gcc", "-O1", "-pthread")
	for _, test := range []string{"join", "handover", "condition", "local", "signals", "fork", "exec", "leader", "group", "sleep", "robust", "read", "poll", "shared", "unknown", "timeouts"} {
		t.Run(test, func(t *testing.T) {
			sample.Case(t)
			command := exec.CommandContext(t.Context(), program, test)
			want, _ := command.Output() // the status is compared
			r := record(t, program, test)
			if r.result.Status != command.ProcessState.ExitCode() || r.result.Cut != "" || string(r.output) != string(want) {
				t.Errorf("%+v, output %q, want status %d and %q", r.result, r.output, command.ProcessState.ExitCode(), want)
			}
			if n := recording.Expired(r.result); test == "timeouts" && n > 4 {
				t.Errorf("four calls were made again %d times after their timeout", n)
			}
			t.Logf("%d positions, %d events, %d bytes", r.result.Positions, r.result.Events, len(r.file))
			replayWhole(t, open(t, r.file))
		})
	}
}
