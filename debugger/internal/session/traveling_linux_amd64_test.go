package session_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/limits/worktime"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/failure"
	"github.com/triptych-mcp/triptych/debugger/internal/session/sessiontest"
)

// While a move through history is under way, a session advises to wait: no process runs
// that could be paused.
func TestTraveling(t *testing.T) {
	r := sessiontest.NewRegistry(t)
	s, err := r.AddProgram("test", launchCat(t), session.Program{})
	if err != nil {
		t.Fatal(err)
	}
	end := make(chan struct{})
	op := s.BeginTravel(t.Context(), func(context.Context) (proc.Stop, error) {
		<-end
		return s.Target.CurrentStop(), nil
	})
	if err := s.RequireStopped(); !errors.Is(err, failure.ErrTraveling) || !strings.Contains(err.Error(), "debugger/wait") {
		t.Errorf("got %v, want an advice to wait", err)
	}
	close(end)
	if _, err := s.Await(t.Context(), still{}, op, 1<<40); err != nil {
		t.Error(err)
	}
}

// A move back of a client that calls no tools ends at the limit of a call, too, and a run of the
// process has none.
func TestLimited(t *testing.T) {
	r := sessiontest.NewRegistry(t)
	r.Config.Work = worktime.NewAccounts(worktime.Limits{Call: time.Nanosecond})
	s, err := r.AddProgram("test", launchCat(t), session.Program{})
	if err != nil {
		t.Fatal(err)
	}
	op := s.BeginLimited(true, func(ctx context.Context) (proc.Stop, error) {
		<-ctx.Done()
		return s.Target.CurrentStop(), ctx.Err()
	})
	if _, err := s.Await(t.Context(), still{}, op, 1<<40); err == nil || !strings.Contains(err.Error(), "Search time used up") {
		t.Errorf("got %v, want the end of its time", err)
	}
	inside, done := s.Limit(t.Context())
	<-inside.Done()
	if err := done(inside.Err()); err == nil || !strings.Contains(err.Error(), "Search time used up") {
		t.Errorf("got %v, want the end of its time", err)
	}
	op = s.BeginLimited(false, func(ctx context.Context) (proc.Stop, error) { return s.Target.CurrentStop(), ctx.Err() })
	if _, err := s.Await(t.Context(), still{}, op, 1<<40); err != nil {
		t.Error(err)
	}
}

// still is a client that stays and hears nothing.
type still struct{}

func (still) InputClosed() <-chan struct{}                       { return nil }
func (still) Progress(context.Context, float64, float64, string) {}
