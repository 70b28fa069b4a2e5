package recording_test

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recording"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// TestChaosOfCalls records programs that expect of system calls what the manual pages do not
// promise, until each fails. A program that expects only what they promise never does.
func TestChaosOfCalls(t *testing.T) {
	needPermission(t)
	program := debuggertest.Compile(t, filepath.Join("testdata", "races", "calls.c"), nil, "gcc", "-O1", "-pthread")
	chaos := func(name string) recording.Program {
		return recording.Program{Path: program, Args: []string{program, name}, Chaos: true, EndDeadlocks: true}
	}
	for _, name := range []string{"reads", "writes", "wakes", "polls", "sleeps", "interrupts"} {
		t.Run(name, func(t *testing.T) {
			sample.Case(t)
			file, first := recordUntilFailure(t, mostRuns, chaos(name))
			replayWhole(t, open(t, file))
			p := chaos(name)
			if name == "interrupts" {
				return // it has a timer
			}
			p.Seed = first.seed
			if again := recordSeed(t, &p, new(bytes.Buffer)); again.Status != first.Status || again.Killed != first.Killed {
				t.Errorf("seed %d: first %+v, then %+v", p.Seed, first.Result, again)
			}
		})
	}
	for _, name := range []string{"relies", "raises"} {
		t.Run(name, func(t *testing.T) {
			p := chaos(name)
			for p.Seed = 1; p.Seed <= uint64(sample.Count(5, 50)); p.Seed++ {
				var file bytes.Buffer
				if result := recordSeed(t, &p, &file); result.Status != 0 {
					t.Fatalf("seed %d: %+v", p.Seed, result)
				}
				replayWhole(t, open(t, file.Bytes()))
			}
		})
	}
}

// TestReports finds bugs of public reports, which are named in the programs.
func TestReports(t *testing.T) {
	needPermission(t)
	for _, test := range []struct {
		source  string
		command []string
		bugs    []string
	}{
		{"reports.cc", []string{"g++", "-O1", "-pthread"}, []string{"notified", "scheduler"}},
		{"reports.go", []string{"go", "build"}, []string{"wait"}},
	} {
		program := debuggertest.Compile(t, filepath.Join("testdata", "races", test.source), nil, test.command...)
		for _, name := range test.bugs {
			t.Run(name, func(t *testing.T) {
				sample.Case(t)
				p := recording.Program{Path: program, Args: []string{program, name}, Chaos: true, EndDeadlocks: true}
				file, _ := recordUntilFailure(t, mostRuns, p)
				replayWhole(t, open(t, file))
			})
		}
	}
}

// A program without random addresses maps memory wherever the kernel does, also where a process
// that replays it would have mappings of the kernel's own.
func TestChaosMapsEverywhere(t *testing.T) {
	needPermission(t)
	// A program without a loader has nothing there at first.
	program := debuggertest.Compile(t, filepath.Join("testdata", "top.c"), nil, "gcc", "-static")
	for seed := uint64(1); seed <= 8; seed++ { // half of them have random addresses for new mappings
		var file bytes.Buffer
		p := recording.Program{Path: program, Args: []string{program}, Chaos: true, Seed: seed}
		if result := recordSeed(t, &p, &file); result.Status != 0 {
			t.Fatalf("seed %d: %+v", seed, result)
		}
		replayWhole(t, open(t, file.Bytes()))
	}
}
