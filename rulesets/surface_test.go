package rulesets_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/mcptest"
	"github.com/triptych-mcp/triptych/rulesets"
)

// What clients see of the tools changes on purpose only.
func TestSurface(t *testing.T) {
	cfg := rulesets.Config{Store: "memory:"}
	table, err := cfg.Open(t.Context(), mcp.Env{
		Logger: slog.New(slog.DiscardHandler), Now: time.Now, Getenv: func(string) string { return "" },
	})
	if err != nil {
		t.Fatal(err)
	}
	mcptest.Surface(t, "testdata/tools", table)
}
