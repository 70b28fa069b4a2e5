package recording_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recording"
)

// TestRacesAreRecorded records programs that fail by races, until each fails.
func TestRacesAreRecorded(t *testing.T) {
	needPermission(t)
	program := debuggertest.Compile(t, filepath.Join("testdata", "races", "races.c"), nil, "gcc", "-O1", "-pthread")
	for _, name := range []string{"order", "handler"} {
		t.Run(name, func(t *testing.T) {
			file := recordUntilFailure(t, 1000, recording.Program{Path: program, Args: []string{program, name}})
			replay(t, open(t, file))
		})
	}
}

// recordUntilFailure records a program with one seed after the other until it fails, and returns
// that recording.
func recordUntilFailure(t *testing.T, runs uint64, p recording.Program) []byte {
	t.Helper()
	for p.Seed = 1; p.Seed <= runs; p.Seed++ {
		var file bytes.Buffer
		p.Env = os.Environ()
		result, err := recording.Record(t.Context(), p, &file)
		check(t, errors.Join(err, result.Err))
		if result.Status != 0 {
			t.Logf("seed %d: %d positions", p.Seed, result.Positions)
			return file.Bytes()
		}
	}
	t.Fatalf("no run of %d has failed", runs)
	return nil
}
