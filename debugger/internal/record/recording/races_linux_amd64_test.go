package recording_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recording"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// mostRuns is the number of runs in which a race is to be found.
const mostRuns = 200

// TestRacesAreRecorded records programs that fail by races, until each fails.
func TestRacesAreRecorded(t *testing.T) {
	needPermission(t)
	program := debuggertest.Compile(t, filepath.Join("testdata", "races", "races.c"), nil, "gcc", "-O1", "-pthread")
	for _, name := range []string{"order", "handler"} {
		t.Run(name, func(t *testing.T) {
			file, _ := recordUntilFailure(t, 5*mostRuns, recording.Program{Path: program, Args: []string{program, name}})
			replay(t, open(t, file))
		})
	}
}

// TestChaos finds races with chaos. The seed that has found one finds it again.
func TestChaos(t *testing.T) {
	needPermission(t)
	for _, test := range []struct {
		source  string
		command []string
		races   []string
	}{
		{"races.c", []string{"gcc", "-O1", "-pthread"}, []string{"order", "torn", "deadlock2", "lost", "aba", "handler", "deadlock3", "wakeup"}},
		{"races.cc", []string{"g++", "-O1", "-pthread"}, []string{"twice", "released"}},
		{"races.rs", []string{"rustc", "-Copt-level=1"}, []string{"taken"}},
		{"races.go", []string{"go", "build"}, []string{"total"}},
	} {
		program := debuggertest.Compile(t, filepath.Join("testdata", "races", test.source), nil, test.command...)
		for _, name := range test.races {
			t.Run(name, func(t *testing.T) {
				sample.Case(t)
				p := recording.Program{Path: program, Args: []string{program, name}, Chaos: true, EndDeadlocks: true}
				file, first := recordUntilFailure(t, mostRuns, p)
				for range sample.Count(1, 100) {
					replay(t, open(t, file))
				}
				if p.Seed = first.seed; test.source == "races.go" {
					return // its runtime reads clocks
				}
				if again := recordSeed(t, &p, new(bytes.Buffer)); again.Status != first.Status || again.Positions != first.Positions {
					t.Errorf("seed %d: first %+v, then %+v", p.Seed, first.Result, again)
				}
			})
		}
	}
}

// A failedRun is a run that has failed, with its seed.
type failedRun struct {
	seed uint64
	recording.Result
}

// recordUntilFailure records a program with one seed after the other until it fails, and returns
// that recording.
func recordUntilFailure(t *testing.T, runs uint64, p recording.Program) ([]byte, failedRun) {
	t.Helper()
	for p.Seed = 1; p.Seed <= runs; p.Seed++ {
		var file bytes.Buffer
		if result := recordSeed(t, &p, &file); result.Status != 0 {
			t.Logf("seed %d: %d positions, status %d, killed by %d, a deadlock: %t",
				p.Seed, result.Positions, result.Status, result.Killed, result.Deadlock)
			return file.Bytes(), failedRun{p.Seed, result}
		}
	}
	t.Fatalf("no run of %d has failed", runs)
	return nil, failedRun{}
}

func recordSeed(t *testing.T, p *recording.Program, file *bytes.Buffer) recording.Result {
	t.Helper()
	p.Env = os.Environ()
	result, err := recording.Record(t.Context(), *p, file)
	check(t, errors.Join(err, result.Err))
	return result
}
