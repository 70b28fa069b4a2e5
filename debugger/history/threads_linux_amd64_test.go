package history_test

import (
	"errors"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/history"
	"github.com/triptych-mcp/triptych/debugger/proc"
)

// Threads that come, wait for each other and end are recorded in turns, and
// are there in the past when they were.
func TestThreads(t *testing.T) {
	s := start(t, build(t, "-O1"), "threads")
	r := s.recorder(history.Options{})
	first, err := s.process.CurrentThread()
	if err != nil {
		t.Fatal(err)
	}
	moments := []moment{s.live(0, first)}
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
		moments = append(moments, s.live(result.Position, result.Thread))
		if result.Why == history.Hit {
			break
		}
		if result.Why != history.Counted {
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
}

// Children are let go; one that shares the memory makes a snapshot necessary.
func TestChildren(t *testing.T) {
	s := start(t, build(t, "-O1"), "children")
	s.lockstep(s.recorder(history.Options{}), 500)
}
