package rulesets

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/rulesets/webhook"
)

// lines is a writer that hands on what is written.
type lines chan string

func (l lines) Write(p []byte) (int, error) {
	l <- string(p)
	return len(p), nil
}

// A webhook that ends is reported at once, while the server goes on.
func TestHookThatEndsIsLogged(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	logged := make(lines, 10)
	table := &mcp.Table{Watch: func(context.Context, mcp.Changes) error {
		select {
		case line := <-logged:
			if !strings.Contains(line, "level=ERROR") || !strings.Contains(line, "webhook") {
				t.Errorf("logged %s", line)
			}
		case <-time.After(time.Minute):
			t.Error("nothing was logged")
		}
		return nil
	}}
	withHook(table, &webhook.Hook{Record: webhook.OpenFile(filepath.Join(file, "webhook.json")), Logger: slog.New(slog.NewTextHandler(logged, nil))})
	if err := table.Watch(t.Context(), nil); err == nil {
		t.Error("the error is lost")
	}
}
