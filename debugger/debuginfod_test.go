package debugger

import (
	"log/slog"
	"testing"

	"github.com/triptych-mcp/triptych/mcp/host"
)

// TestDebuginfod: servers are asked only if the option or its variable is set, whatever
// DEBUGINFOD_URLS says; with it the variable must have URLs.
func TestDebuginfod(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	const servers = "https://debuginfod.example"
	for name, tt := range map[string]struct {
		option         bool
		variable, urls string
		asks, fails    bool
	}{
		"neither":                 {false, "", "", false, false},
		"servers alone":           {false, "", servers, false, false},
		"the variable is 0":       {false, "0", servers, false, false},
		"the option":              {true, "", servers, true, false},
		"the variable":            {false, "1", servers, true, false},
		"the option, no servers":  {true, "", "", false, true},
		"the option, without TLS": {true, "", "http://debuginfod.example", false, true},
	} {
		t.Run(name, func(t *testing.T) {
			env := host.Env{Logger: slog.New(slog.DiscardHandler), Getenv: func(name string) string {
				return map[string]string{"TRIPTYCH_DEBUGINFOD": tt.variable, "DEBUGINFOD_URLS": tt.urls}[name]
			}}
			c := Live{Debuginfod: tt.option}
			sessions, _, err := c.open(env)
			if (err != nil) != tt.fails {
				t.Fatalf("open: %v", err)
			}
			if err == nil && (sessions.FindDebug != nil) != tt.asks {
				t.Errorf("servers are asked: %v, want %v", !tt.asks, tt.asks)
			}
		})
	}
}
