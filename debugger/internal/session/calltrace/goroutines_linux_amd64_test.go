package calltrace_test

import (
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest/recordtest"
	"github.com/triptych-mcp/triptych/debugger/internal/session/calltrace"
)

// A call of a goroutine is followed while the runtime gives the goroutine a larger stack or a smaller
// one, and from thread to thread.
func TestGoroutinesMove(t *testing.T) {
	_, program := recordtest.Build(t, "stacks/main.go", "-gcflags=all=-N -l")
	s := recordtest.Whole(t, program)
	for _, c := range []struct {
		function string
		want     []string
	}{
		{"main.work", []string{"work(n=100) at", " -> 200", "-> main.deep(n=100) = 5050 ", "\nreturned 5250 at "}},
		{"main.receive", []string{"\nreturned 45 at "}},
		{"main.shrunk", []string{"-> main.work(n=200) = 20500 ", "\nreturned 20501 at "}},
	} {
		text := traced(t, s, calltrace.Query{Function: c.function, Nth: 1}).Text()
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%q is not in\n%s", want, text)
			}
		}
	}
	tree, err := calltrace.Calls(t.Context(), s, traced(t, s, calltrace.Query{Function: "main.work", Nth: 1}).Thread, s.Target.History.Oldest(), s.Target.History.End(), nil)
	if err != nil {
		t.Fatal(err)
	}
	deep := tree.Lines(0, func(name string) bool { return name == "main.deep" })
	if n := len(deep); n < 2 || deep[n-1].Calls != deep[n-1].Nested+1 || deep[n-2].Function != "main.work" {
		t.Errorf("calls of main.deep: %+v", deep)
	}
}
