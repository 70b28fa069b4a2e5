package calltrace_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest/recordtest"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
	"github.com/triptych-mcp/triptych/debugger/internal/session/calltrace"
)

// The tree that is made of the branches that translated code logs is that of all steps, whole and
// from any position to any other.
func TestCallsLikeSteps(t *testing.T) {
	for _, tt := range []struct{ source, flag, argument string }{
		{"around.c", "-O1", ""},
		{"long.c", "-O2", "1500"}, // the log is full at times
		{"jumps.c", "-O0", ""},
		{"branches.c", "-O2", ""},
		{"short.c", "-O1", ""},
		{"shapes.cc", "-O2", ""},
		{"stray.c", "-O0", ""},
		{"cart/main.go", "-gcflags=all=-N -l", ""},
	} {
		_, program := recordtest.Build(t, tt.source, tt.flag)
		s := recordtest.Main(t, program, tt.argument)
		h := s.Target.History
		threads := map[int]bool{}
		if err := h.Steps.Transitions(t.Context(), h.Oldest(), h.End(), func(step *history.Transition) bool {
			threads[step.Thread] = true
			return true
		}); err != nil {
			t.Fatal(err)
		}
		branches, steps, err := calltrace.Branches(t.Context(), s, h.Oldest(), h.End())
		if diff := cmp.Diff(steps, branches); diff != "" || err != nil || len(steps) == 0 {
			t.Fatalf("%s: %v (-steps +branches):\n%.3000s", tt.source, err, diff)
		}
		t.Logf("%s: %d events in %d positions", tt.source, len(steps), h.End()-h.Oldest())
		span := h.End() - h.Oldest()
		for n := range uint64(4) {
			from, to := h.Oldest()+span*n/10, h.End()-span*n*n/30
			for thread := range threads {
				got, err := calltrace.Calls(t.Context(), s, thread, from, to, nil)
				if err != nil {
					t.Fatal(err)
				}
				want, err := calltrace.CallsBySteps(t.Context(), s, thread, from, to)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(text(want), text(got)); diff != "" {
					t.Fatalf("%s, thread %d, positions %d to %d (-steps +branches):\n%s", tt.source, thread, from, to, diff)
				}
			}
		}
	}
}

// text is a tree in words.
func text(t *calltrace.Tree) []string {
	lines := []string{fmt.Sprint(t.Thread, t.From, t.To, t.Calls, t.Cut)}
	for _, l := range t.Lines(200, nil) {
		lines = append(lines, fmt.Sprintf("%+v", l))
	}
	return lines
}
