package recording_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

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
			replayWhole(t, open(t, file))
		})
	}
}

// The races of testdata/races, by the program that has them.
var races = []struct {
	source  string
	command []string
	names   []string
}{
	{"races.c", []string{"gcc", "-O1", "-pthread"}, []string{"order", "torn", "deadlock2", "lost", "aba", "handler", "deadlock3", "wakeup"}},
	{"races.cc", []string{"g++", "-O1", "-pthread"}, []string{"twice", "released"}},
	{"races.rs", []string{"rustc", "-Copt-level=1"}, []string{"taken"}},
	{"races.go", []string{"go", "build"}, []string{"total"}},
}

// eachRace calls do with each race and a program that runs it. Chaos is off.
func eachRace(t testing.TB, do func(name, language string, p recording.Program)) {
	t.Helper()
	for _, r := range races {
		program := debuggertest.Compile(t, filepath.Join("testdata", "races", r.source), nil, r.command...)
		for _, name := range r.names {
			do(name, filepath.Ext(r.source), recording.Program{Path: program, Args: []string{program, name}, EndDeadlocks: true})
		}
	}
}

// TestChaos finds races with chaos. The seed that has found one finds it again.
func TestChaos(t *testing.T) {
	needPermission(t)
	eachRace(t, func(name, language string, p recording.Program) {
		t.Run(name, func(t *testing.T) {
			sample.Case(t)
			p.Chaos = true
			file, first := recordUntilFailure(t, mostRuns, p)
			for range sample.Count(1, 100) {
				replayWhole(t, open(t, file))
			}
			if p.Seed = first.seed; language == ".go" {
				return // its runtime reads clocks
			}
			if again := recordSeed(t, &p, new(bytes.Buffer)); again.Status != first.Status || again.Positions != first.Positions {
				t.Errorf("seed %d: first %+v, then %+v", p.Seed, first.Result, again)
			}
		})
	})
}

// BenchmarkRaces counts how many of 100 runs fail: natively, on one processor, recorded, and with
// chaos. With -benchtime 100x it is the table of docs/recording.md.
func BenchmarkRaces(b *testing.B) {
	needPermission(b)
	eachRace(b, func(name, language string, p recording.Program) {
		for how, fails := range map[string]func(b *testing.B, seed uint64) bool{
			"native":        func(b *testing.B, _ uint64) bool { return failsNatively(b, p.Args...) },
			"one processor": func(b *testing.B, _ uint64) bool { return failsNatively(b, "taskset", "-c", "0", p.Path, name) },
			"recorded": func(b *testing.B, seed uint64) bool {
				p.Seed, p.Chaos = seed, false
				return recordSeed(b, &p, new(bytes.Buffer)).Status != 0
			},
			"chaos": func(b *testing.B, seed uint64) bool {
				p.Seed, p.Chaos = seed, true
				return recordSeed(b, &p, new(bytes.Buffer)).Status != 0
			},
		} {
			b.Run(name+language+"/"+how, func(b *testing.B) {
				failed := 0
				for seed := range uint64(b.N) {
					if fails(b, seed+1) {
						failed++
					}
				}
				b.ReportMetric(100*float64(failed)/float64(b.N), "failures/100")
			})
		}
	})
}

// failsNatively runs a command, for whose end it waits for 10 seconds.
func failsNatively(b *testing.B, command ...string) bool {
	ctx, stop := context.WithTimeout(b.Context(), 10*time.Second)
	defer stop()
	err := exec.CommandContext(ctx, command[0], command[1:]...).Run()
	_, exited := errors.AsType[*exec.ExitError](err)
	if err != nil && !exited {
		b.Fatal(err)
	}
	return err != nil
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

func recordSeed(t testing.TB, p *recording.Program, file *bytes.Buffer) recording.Result {
	t.Helper()
	p.Env = os.Environ()
	result, err := recording.Record(t.Context(), *p, file)
	check(t, errors.Join(err, result.Err))
	return result
}
