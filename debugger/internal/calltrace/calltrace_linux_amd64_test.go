package calltrace_test

import (
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/calltrace"
	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest/recordtest"
	"github.com/triptych-mcp/triptych/debugger/internal/stepping"
)

// traced returns the trace of a call.
func traced(t *testing.T, s *stepping.Stepper, q calltrace.Query) *calltrace.CallTrace {
	t.Helper()
	trace, err := calltrace.Trace(t.Context(), s, q, calltrace.Options{MaxBytes: 60_000})
	if err != nil {
		t.Fatal(err)
	}
	return trace
}

// The write behind the array is shown by the name of what it overwrites.
func TestStrayWrite(t *testing.T) {
	_, program := recordtest.Build(t, "stray.c", "-O0")
	s := recordtest.Main(t, program)
	here := s.History.View().Position()
	text := traced(t, s, calltrace.Query{Function: "store"}).Text()
	for _, want := range []string{
		"slot=8, price=108)", "call 9 of 9, called from main stray.c:", "s->prices[slot] = price;   | s->owner: 0x", " -> 0x6c",
		`-> digits(text=0x`, `"ann 42") = 2   [at `, "\nreturned 10 at ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if now := s.History.View().Position(); now != here {
		t.Errorf("the position is %d, it was %d", now, here)
	}
}
