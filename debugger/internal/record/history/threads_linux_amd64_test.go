package history_test

import (
	"errors"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
)

// Threads that come, wait for each other and end are recorded in turns, and
// are there in the past when they were.
func TestThreads(t *testing.T) {
	path := build(t, "-O1")
	for _, part := range []string{"threads", "waiting", "sharing"} {
		t.Run(part, func(t *testing.T) { testThreads(t, start(t, path, part)) })
	}
}

func testThreads(t *testing.T, s *subject) {
	t.Helper()
	r := s.recorder(history.Options{})
	first, err := s.process.CurrentThread()
	if err != nil {
		t.Fatal(err)
	}
	moments := []moment{s.stepProcess(0, first)}
	most := 0
	for {
		result, err := r.Run(t.Context(), first, history.Limits{Steps: 2500, Until: s.atEnd})
		if err != nil {
			t.Fatal(err)
		}
		most = max(most, len(r.History().View().Threads()))
		if result.Why == history.ThreadEnded {
			continue
		}
		moments = append(moments, s.stepProcess(result.Position, result.Thread))
		if result.Why == history.ConditionMet {
			break
		}
		if result.Why != history.StepLimit {
			t.Fatalf("%+v", result)
		}
	}
	if most < 2 {
		t.Errorf("at most %d threads, want 2", most)
	}
	s.there(r, moments)
	if _, err := r.History().Seek(0); err != nil {
		t.Fatal(err)
	}
	if got := r.History().View().Threads(); len(got) != 1 || got[0] != first {
		t.Errorf("threads %v at the beginning, want %d", got, first)
	}
	if _, err := r.History().View().Regs(1); !errors.Is(err, proc.ErrNoThread) {
		t.Errorf("registers of no thread: %v", err)
	}
	s.requireUnharmed()
}

// Threads of Go have stacks for signals of their own, and are sent signals all
// the time. Handlers that are run while a thread is recorded are in its history.
func TestGoSignals(t *testing.T) {
	program := debuggertest.Start(t, "busy.go")
	process, err := proc.Attach(t.Context(), program.PID, proc.Options{})
	if err != nil {
		t.Skip("tracing is not permitted here: ", err)
	}
	t.Cleanup(func() { _ = process.Detach(t.Context()) })
	s := &subject{t, program, process, 0, map[uint64]uint64{}}
	s.breakAt(program.Symbol("main.visit"))
	stop, err := process.Resume(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r := s.recorder(history.Options{Single: true}) // the interpreter gets no signals
	moments := []moment{s.stepProcess(0, stop.Thread)}
	for range 4 {
		if err := unix.Tgkill(program.PID, stop.Thread, unix.SIGURG); err != nil {
			t.Fatal(err)
		}
		result, err := r.Run(t.Context(), stop.Thread, history.Limits{Steps: 701})
		if err != nil || result.Why != history.StepLimit {
			t.Fatalf("%+v, %v", result, err)
		}
		moments = append(moments, s.stepProcess(result.Position, result.Thread))
	}
	h := r.History()
	if h.Oldest() != 0 {
		t.Fatalf("history begins at %d: %s", h.Oldest(), h.StartReason())
	}
	handled := 0
	for at := range h.End() {
		if _, err := h.Seek(at); err != nil {
			t.Fatal(err)
		}
		if h.View().PC() == program.Symbol("runtime.sigtramp.abi0") {
			handled++
		}
	}
	if handled == 0 {
		t.Error("no handler was run")
	}
	s.there(r, moments)
	if err := process.Detach(t.Context()); err != nil {
		t.Fatal(err)
	}
	program.Ask("count")
}

// Children are let go; one that shares the memory makes a snapshot necessary.
func TestChildren(t *testing.T) {
	s := start(t, build(t, "-O1"), "children")
	s.lockstep(s.recorder(history.Options{}), 500)
}
