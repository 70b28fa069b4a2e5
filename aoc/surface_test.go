package aoc_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/aoc"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/mcptest"
)

// What clients see of the tools changes on purpose only.
func TestSurface(t *testing.T) {
	cfg := aoc.Config{Dir: t.TempDir()}
	table, err := cfg.Open(t.Context(), mcp.Env{
		Logger: slog.New(slog.DiscardHandler), Now: time.Now, Getenv: func(string) string { return "" },
	})
	if err != nil {
		t.Fatal(err)
	}
	mcptest.Surface(t, "testdata/tools", table)
}
