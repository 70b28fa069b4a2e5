package recording_test

import (
	"path/filepath"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
)

// TestAlignmentChecks records a program that makes the processor trap at unaligned accesses. The
// code around its instructions makes some, too.
func TestAlignmentChecks(t *testing.T) {
	compareRun(t, debuggertest.Compile(t, filepath.Join("testdata", "aligned.c"), nil, "gcc", "-O1"))
}
