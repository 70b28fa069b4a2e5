package debugger

import (
	"log/slog"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
)

// TestToolsetsNameTools finds names of tools that do not exist, whose tools
// would be in the core.
func TestToolsetsNameTools(t *testing.T) {
	table, err := new(Config).Open(t.Context(), host.Env{
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

// On other systems the tools that need a running process are not listed, and those
// for recordings are.
func TestOtherSystems(t *testing.T) {
	table, err := new(Config).Open(t.Context(), host.Env{
		Logger: slog.New(slog.DiscardHandler), Now: time.Now, Data: t.TempDir(), Getenv: func(string) string { return "" },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = table.Close() }()
	for _, name := range live {
		if !slices.ContainsFunc(table.Tools, func(tool mcp.Tool) bool { return tool.Name == name }) && runtime.GOOS == "linux" && runtime.GOARCH == "amd64" {
			t.Errorf("there is no tool %s", name)
		}
	}
	var elsewhere []string
	for _, tool := range onSystem(slices.Clone(table.Tools), "darwin", "arm64") {
		elsewhere = append(elsewhere, tool.Name)
	}
	for name, want := range map[string]bool{
		"debugger/attach": false, "debugger/launch": false, "debugger/write_memory": false,
		"debugger/open_core": true, "debugger/open_trace": true, "debugger/last_write": true, "validate_schema": true,
	} {
		if slices.Contains(elsewhere, name) != want {
			t.Errorf("%s listed on macOS: %t, want %t", name, !want, want)
		}
	}
}
