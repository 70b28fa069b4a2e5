package recording_test

import (
	"path/filepath"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
)

// TestSignalsBeforePopf records signals that come before popf: the program does not see that
// they were delivered by steps.
func TestSignalsBeforePopf(t *testing.T) {
	r := record(t, debuggertest.Compile(t, filepath.Join("testdata", "trapped.c"), nil, "gcc", "-O1"))
	if string(r.output) != "0\n" || r.result.Status != 0 || r.result.Cut != "" {
		t.Fatalf("%q, %+v", r.output, r.result)
	}
	replayWhole(t, open(t, r.file))
}
