package rulesets_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/mcp/mcptest"
	"github.com/triptych-mcp/triptych/rulesets"
)

// inMemory is the family's table on a store that forgets, at a time that stands
// still.
func inMemory(t *testing.T) *mcp.Table {
	t.Helper()
	table, err := new(rulesets.Config).Open(t.Context(), host.Env{
		Store:  "memory:",
		Logger: slog.New(slog.DiscardHandler),
		Now:    func() time.Time { return time.Date(2025, 10, 29, 10, 30, 0, 0, time.UTC) },
		Getenv: func(string) string { return "" },
	})
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// What clients see of the tools changes on purpose only.
func TestSurface(t *testing.T) {
	mcptest.Surface(t, "testdata/tools", inMemory(t))
}

func TestConversation(t *testing.T) {
	mcptest.Conversation(t, "testdata/conversation.txtar", func(string) *mcp.Table { return inMemory(t) })
}
