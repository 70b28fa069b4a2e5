package proc_test

import (
	"os"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/guard"
)

// TestMain makes the test binary its own guard, and a tracer to be killed.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case guard.Command:
			os.Exit(guard.Main())
		case victimCommand:
			os.Exit(victimMain(os.Args[2:]))
		}
	}
	os.Exit(m.Run())
}
