package mcp_test

import (
	"context"
	"testing"

	"github.com/triptych-mcp/triptych/mcp"
)

// TestCallsThatAreOverAreDumb: a call that a handler has kept says nothing to the
// client, also not in the name of the next call, whose memory it may be.
func TestCallsThatAreOverAreDumb(t *testing.T) {
	var kept []*mcp.Call
	keep := func(ctx context.Context, c *mcp.Call, _ noArgs) (string, error) {
		for _, old := range kept {
			if old == c {
				return "again", nil // the memory is used again; nothing is told through it
			}
			old.Progress(ctx, 1, 2, "of a call that is over")
		}
		kept = append(kept, c)
		return "kept", nil
	}
	s, err := mcp.New(mcp.Config{Name: "test", Version: "1"}, &mcp.Table{Family: "kept", Tools: []mcp.Tool{
		{Name: "keep", Doc: "keeps calls", Call: mcp.Typed(keep)},
	}})
	if err != nil {
		t.Fatal(err)
	}
	w := newWire()
	h := s.Bind(mcp.Caller{Principal: mcp.Local(), Connection: true, Send: w}, nil)
	initialize(t, h, "2025-11-25", "{}")
	const wants = `{"name":"keep","_meta":{"progressToken":"p"}}`
	ask(t, h, "tools/call", wants)
	kept[0].Progress(t.Context(), 1, 2, "of a call that is over")
	ask(t, h, "tools/call", wants)
	if got := w.messages(); len(got) != 0 {
		t.Errorf("told %q", got)
	}
}

// TestCallsHaveTheirOwnMemory: calls that run at the same time, or as a part of
// another, are not the same.
func TestCallsHaveTheirOwnMemory(t *testing.T) {
	var h *mcp.Handler
	var open []*mcp.Call
	nested := func(ctx context.Context, c *mcp.Call, _ noArgs) (string, error) {
		for _, outer := range open {
			if outer == c {
				t.Error("a call runs in the memory of one that is not over")
			}
		}
		if open = append(open, c); len(open) < 3 {
			ask(t, h, "tools/call", `{"name":"nested"}`)
		}
		open = open[:len(open)-1]
		c.Progress(ctx, 1, 1, "own")
		return "", nil
	}
	s, err := mcp.New(mcp.Config{Name: "test", Version: "1"}, &mcp.Table{Family: "nested", Tools: []mcp.Tool{
		{Name: "nested", Doc: "calls itself", Call: mcp.Typed(nested)},
	}})
	if err != nil {
		t.Fatal(err)
	}
	w := newWire()
	h = s.Bind(mcp.Caller{Principal: mcp.Local(), Connection: true, Send: w}, nil)
	initialize(t, h, "2025-11-25", "{}")
	for range 2 { // the second time with memory to use again
		ask(t, h, "tools/call", `{"name":"nested","_meta":{"progressToken":"p"}}`)
	}
	const told = `notifications/progress {"progressToken":"p","progress":1,"total":1,"message":"own"}`
	if got := w.messages(); len(got) != 2 || got[0] != told || got[1] != told {
		t.Errorf("told %q, want twice %q: only who was asked for progress tells of it", got, told)
	}
}
