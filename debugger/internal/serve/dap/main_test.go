package dap_test

import (
	"os"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/guard"
)

// TestMain makes the test binary its own guard.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == guard.Command {
		os.Exit(guard.Main())
	}
	os.Exit(m.Run())
}
