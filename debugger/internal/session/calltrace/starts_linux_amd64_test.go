package calltrace_test

import (
	"slices"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest/recordtest"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
	"github.com/triptych-mcp/triptych/debugger/internal/session/calltrace"
)

// A search that stops at the function finds the same calls as one in
// all of its steps: of threads, in signal handlers, by jumps, and of a goroutine whose stack
// grows.
func TestStarts(t *testing.T) {
	for _, tt := range []struct {
		source, flag string
		arguments    []string
		calls        map[string]int // by function; -1 for any number
	}{
		{"around.c", "-O1", nil, map[string]int{"around": 41, "once": 41, "worker": 2}},
		{"long.c", "-O0", []string{"70"}, map[string]int{"work": 1, "node": 70, "leaf": 700}},
		{"long.c", "-O1", []string{"1100"}, map[string]int{"leaf": 11000}}, // more than are listed
		{"jumps.c", "-O0", nil, map[string]int{"deep": -1, "on_signal": 0, "ascending": -1}},
		{"stray.c", "-O0", nil, map[string]int{"store": 9, "strlen": -1}},
		{"cart/main.go", "-gcflags=all=-N -l", nil, map[string]int{"main.add": 3, "runtime.mallocgc": -1}},
	} {
		_, program := recordtest.Build(t, tt.source, tt.flag)
		s := recordtest.Main(t, program, tt.arguments...)
		for name, want := range tt.calls {
			for _, nth := range []int{0, 1, 2, 40, 500, 1025, 11000} {
				hits, steps, of, err := calltrace.Starts(t.Context(), s, name, nth)
				if err != nil || hits != steps || want >= 0 && of != want {
					t.Errorf("%s: call %d of %s: %s by hits, %s by steps, want %d: %v", tt.source, nth, name, hits, steps, want, err)
				}
			}
		}
		if tt.source == "around.c" {
			if n, err := calltrace.JumpsBack(t.Context(), s, "around"); n != 1 || err != nil {
				t.Errorf("%d jumps to the start of around (%v), want 1", n, err)
			}
		}
	}
}

// A jump back is none of the calls, also if other threads run between the thread's coming to the jump
// and the jump itself; and a jump that is not taken does not hide the next call.
func TestJumpsBackOfThreads(t *testing.T) {
	const entry, jump, after = 0x10, 0x18, 0x1a
	hits := []history.Hit{
		{Position: 1, Thread: 1, PC: entry, SP: 96},
		{Position: 2, Thread: 1, PC: jump, SP: 96},
		{Position: 5, Thread: 2, PC: entry, SP: 196},
		{Position: 6, Thread: 2, PC: jump, SP: 196},
		{Position: 9, Thread: 1, PC: entry, SP: 96}, // jumped
		{Position: 10, Thread: 1, PC: jump, SP: 96},
		{Position: 11, Thread: 1, PC: after, SP: 96}, // returns
		{Position: 14, Thread: 1, PC: entry, SP: 96},
		{Position: 17, Thread: 2, PC: entry, SP: 160}, // in a signal handler
	}
	if got := calltrace.CallsOf(hits, entry, jump); !slices.Equal(got, []uint64{1, 5, 14, 17}) {
		t.Errorf("calls at %v", got)
	}
}
