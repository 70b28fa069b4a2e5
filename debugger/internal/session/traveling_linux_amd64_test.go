package session_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/failure"
	"github.com/triptych-mcp/triptych/debugger/internal/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
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
		return s.CurrentStop(), nil
	})
	if err := s.RequireStopped(); !errors.Is(err, failure.ErrTraveling) || !strings.Contains(err.Error(), "debugger/wait") {
		t.Errorf("got %v, want an advice to wait", err)
	}
	close(end)
	if _, err := s.Await(t.Context(), still{}, op, 1<<40); err != nil {
		t.Error(err)
	}
}

// still is a client that stays and hears nothing.
type still struct{}

func (still) InputClosed() <-chan struct{}                       { return nil }
func (still) Progress(context.Context, float64, float64, string) {}
