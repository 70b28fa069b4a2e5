package stepping_test

import (
	"context"
	"errors"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest/recordtest"
)

// A look at another position ends where it began, also one within another, and one that its
// request has ended.
func TestAtPositionOfRecording(t *testing.T) {
	program := debuggertest.Build(t, "work.c", "-O1", "-pthread")
	s := recordtest.Main(t, program, "3", "200000")
	h := s.Target.History
	first, last := h.Oldest(), h.End()
	here := last - (last-first)/3
	if err := s.Timeline.SeekQuietly(here); err != nil {
		t.Fatal(err)
	}
	at := func(want uint64) {
		t.Helper()
		if got := h.View().Position(); got != want {
			t.Errorf("the position is %d, want %d", got, want)
		}
	}
	if err := s.Timeline.AtPosition(t.Context(), first+1, func() {
		at(first + 1)
		if err := s.Timeline.AtPosition(t.Context(), last, func() { at(last) }); err != nil {
			t.Error(err)
		}
		at(first + 1)
	}); err != nil {
		t.Error(err)
	}
	at(here)
	ctx, cancel := context.WithCancel(t.Context())
	if err := s.Timeline.AtPosition(ctx, first, cancel); !errors.Is(err, context.Canceled) {
		t.Errorf("a look that has ended: %v", err)
	}
	at(here)
	if err := s.Timeline.AtPosition(ctx, last, func() {}); !errors.Is(err, context.Canceled) {
		t.Errorf("a look of a request that has ended: %v", err)
	}
	at(here)
}
