package debugger_test

import (
	"os"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/proc"
)

// TestMain makes the test binary its own guard.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == proc.GuardCommand {
		os.Exit(proc.GuardMain())
	}
	os.Exit(m.Run())
}
