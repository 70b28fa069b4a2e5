package recording_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recording"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// TestTurns records programs with threads that pass the turn to each other without a stop.
// They write what they write without a recorder.
func TestTurns(t *testing.T) {
	program := debuggertest.Compile(t, filepath.Join("testdata", "turns.c"), nil, "gcc", "-O1", "-pthread")
	for _, test := range []struct {
		name  string
		turns int // without a stop, at least
	}{{"many", 0}, {"wakes", 0}, {"late", 0}, {"ring", 50}, {"signals", 0}} {
		t.Run(test.name, func(t *testing.T) {
			sample.Case(t)
			command := exec.CommandContext(t.Context(), program, test.name)
			want, _ := command.Output() // the status is compared
			r := record(t, program, test.name)
			if r.result.Status != command.ProcessState.ExitCode() || r.result.Cut != "" || string(r.output) != string(want) {
				t.Errorf("%+v, output %q, want status %d and %q", r.result, r.output, command.ProcessState.ExitCode(), want)
			}
			if turns := recording.Turns(r.result); turns < test.turns {
				t.Errorf("threads have passed the turn %d times, want at least %d", turns, test.turns)
			}
			replayWhole(t, open(t, r.file))
		})
	}
}
