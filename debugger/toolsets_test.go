package debugger

import (
	"log/slog"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/mcp"
)

// TestToolsetsNameTools finds names of tools that do not exist, whose tools
// would be in the core.
func TestToolsetsNameTools(t *testing.T) {
	table, err := new(Config).Open(t.Context(), mcp.Env{
		Logger: slog.New(slog.DiscardHandler), Now: time.Now, Data: t.TempDir(), Getenv: func(string) string { return "" },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = table.Close() }()
	left := map[string]bool{}
	for name := range toolsets {
		left[name] = true
	}
	for _, tool := range table.Tools {
		delete(left, tool.Name)
	}
	for name := range left {
		t.Errorf("there is no tool %s", name)
	}
}
