package history_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
)

// shadowed is a process that seems to have a shadow stack.
type shadowed struct{ history.Target }

func (shadowed) ShadowStack() bool { return true }

// With a shadow stack the processor executes each instruction, and the process cannot be set
// back. The past can be looked at.
func TestShadowStack(t *testing.T) {
	s := start(t, build(t, "-O1"), "text")
	r, err := history.New(shadowed{history.NewTarget(s.process)}, history.Options{})
	if err != nil {
		t.Fatal(err)
	}
	first := s.stepProcess(0, 0)
	result, err := r.Run(t.Context(), 0, history.Limits{Time: time.Minute, Until: s.atEnd})
	if err != nil || result.Why != history.ConditionMet {
		t.Fatalf("%+v, %v", result, err)
	}
	if _, err := r.History().Seek(0); err != nil {
		t.Fatal(err)
	}
	s.requireSame(r.History().View(), first)
	if n := history.Interpreted(r); n != 0 {
		t.Errorf("%d pages of the process were loaded to interpret instructions", n)
	}
	refused, ok := errors.AsType[*history.RewindError](r.Rewind(t.Context()))
	if !ok || !strings.Contains(refused.Reason, "shadow stack") {
		t.Errorf("%v", refused)
	}
}
