package session_test

import (
	"errors"
	"strings"
	"syscall"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/sessiontest"
	"github.com/triptych-mcp/triptych/debugger/internal/session/target"
)

// launchCat launches a program that would never end, stopped at its beginning.
func launchCat(t *testing.T) target.Target {
	t.Helper()
	d, err := target.Launch(t.Context(), proc.Spec{Path: "/bin/cat"}, target.PipeInput, proc.Options{}, "launched")
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// A second restart of a session fails while the first one launches the program,
// by the id of the session and without it, and launches nothing.
func TestRestartTwiceAtOnce(t *testing.T) {
	r := sessiontest.NewRegistry(t)
	first, err := r.AddProgram("test", launchCat(t), session.Program{})
	if err != nil {
		t.Fatal(err)
	}
	var again *session.Session
	restart := func(id string) error {
		return r.Restart(t.Context(), "test", id, func(p session.Program) (err error) {
			for _, other := range []string{"", first.ID} {
				err := r.Restart(t.Context(), "test", other, func(session.Program) error {
					t.Errorf("the session %q is launched twice", other)
					return nil
				})
				if err == nil || !strings.Contains(err.Error(), first.ID+" is being restarted by another call") {
					t.Errorf("the second restart of %q: %v", other, err)
				}
			}
			again, err = r.AddProgram("test", launchCat(t), p)
			return err
		})
	}
	for _, id := range []string{"", first.ID} { // one after the other is no conflict
		if err := restart(id); err != nil {
			t.Fatalf("restart of %q: %v", id, err)
		}
		if all := r.All(); len(all) != 1 || all[0] != again || again.ID != first.ID || again.Target.PID == first.Target.PID {
			t.Errorf("restart of %q: there are %d sessions", id, len(all))
		}
	}
}

// A session does not replace another one with its id, and its program is killed.
func TestSessionWithUsedID(t *testing.T) {
	r := sessiontest.NewRegistry(t)
	first, err := r.AddProgram("test", launchCat(t), session.Program{})
	if err != nil {
		t.Fatal(err)
	}
	d := launchCat(t)
	_, err = r.AddProgram("test", d, session.Program{ID: first.ID})
	if err == nil || !strings.Contains(err.Error(), "there is a session "+first.ID+" already") {
		t.Errorf("the second session: %v", err)
	}
	if found, err := r.Find("test", first.ID); found != first {
		t.Errorf("the first session was replaced by %v, %v", found, err)
	}
	if err := syscall.Kill(d.PID, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("the second program is still there: %v", err)
	}
}
