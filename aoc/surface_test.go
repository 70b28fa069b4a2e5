package aoc_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/aoc"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/mcp/mcptest"
)

// tableOf is the family's table on a data folder, at a time that stands still.
func tableOf(t *testing.T, data string) *mcp.Table {
	t.Helper()
	table, err := new(aoc.Config).Open(t.Context(), host.Env{
		Logger: slog.New(slog.DiscardHandler), Data: data,
		Now:    func() time.Time { return time.Date(2025, 12, 1, 10, 30, 0, 0, time.UTC) },
		Getenv: func(string) string { return "" },
	})
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// What clients see of the tools changes on purpose only.
func TestSurface(t *testing.T) {
	mcptest.Surface(t, "testdata/tools", tableOf(t, t.TempDir()))
}

func TestConversation(t *testing.T) {
	mcptest.Conversation(t, "testdata/conversation.txtar", func(data string) *mcp.Table { return tableOf(t, data) })
}
