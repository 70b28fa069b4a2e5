package mcp_test

import (
	"context"
	"testing"

	"github.com/triptych-mcp/triptych/mcp"
)

// TestCallsThatAreOverSendNothing has a handler that keeps its calls: once they
// are answered, nothing is sent for them.
func TestCallsThatAreOverSendNothing(t *testing.T) {
	var kept []*mcp.Call
	keep := func(ctx context.Context, c *mcp.Call, _ noArgs) (string, error) {
		for _, old := range kept {
			old.Progress(ctx, 1, 2, "of a call that is over")
			old.Log(ctx, mcp.LevelEmergency, "test", "of a call that is over")
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
	ask(t, h, "logging/setLevel", `{"level":"debug"}`)
	const wants = `{"name":"keep","_meta":{"progressToken":"p"}}`
	ask(t, h, "tools/call", wants)
	kept[0].Progress(t.Context(), 1, 2, "of a call that is over")
	ask(t, h, "tools/call", wants)
	if got := w.messages(); len(got) != 0 {
		t.Errorf("told %q", got)
	}
}
