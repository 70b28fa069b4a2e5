package debugger_test

import (
	"context"
	"log/slog"
	"os"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/document/isolate"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/guard"
)

// TestMain makes the test binary its own guard, and its own reader of documents.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == guard.Command {
		os.Exit(guard.Main())
	}
	if os.Getenv(asDocuments) != "" {
		if err := isolate.Serve(context.Background(), os.Stdin, os.Stdout, slog.New(slog.DiscardHandler)); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}
