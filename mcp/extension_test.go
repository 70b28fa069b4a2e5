package mcp_test

import (
	"context"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/mcptest"
)

// Clients that name no revision see the documented tools and arguments only, and
// may use the others.
func TestExtensions(t *testing.T) {
	type args struct {
		Day  int  `json:"day"`
		Year *int `json:"year" extension:"true"`
	}
	answer := func(context.Context, *mcp.Call, args) (string, error) { return "done", nil }
	table := &mcp.Table{Family: "almanac", Documented: new(mcp.Documented), Tools: []mcp.Tool{
		{Name: "fetch", Doc: "Fetch", Call: mcp.Typed(answer)},
		{Name: "submit", Doc: "Submit", Call: mcp.Typed(answer), Extension: true},
	}}
	for revision, tools := range map[string]int{"": 1, "2024-11-05": 2, "2026-07-28": 2} {
		c := mcptest.Connect(t, table)
		if revision != "" {
			c.Initialize(revision)
		}
		list := c.List("tools")
		if len(list) != tools || strings.Contains(string(list[0]), "year") != (revision != "") {
			t.Errorf("revision %q: %s", revision, list)
		}
		if got := c.Call("submit", map[string]any{"day": 1, "year": 2024}).String(); got != "done" {
			t.Errorf("revision %q: got %s", revision, got)
		}
	}
}
