package recording_test

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/recording"
)

// TestLimits opens a recording with little memory for checkpoints, which are then fewer,
// and with little for the process that replays it, which is an error.
func TestLimits(t *testing.T) {
	program := debuggertest.Compile(t, filepath.Join("testdata", "writes.c"), nil, "gcc", "-O2", "-pthread")
	r := open(t, record(t, program, "20").file)
	spacing := r.End() / 16
	counts := make(map[uint64]int)
	for _, budget := range []uint64{1 << 40, 1} {
		line, err := recording.NewTimelineIn(t.Context(), r, spacing, budget, 1<<40)
		check(t, err)
		list := line.Checkpoints()
		counts[budget] = len(list)
		for n, at := range list[1:] {
			if budget > 1 && at-list[n] != spacing || (at-list[0])%spacing != 0 {
				t.Errorf("checkpoints at %v, want distances of %d", list, spacing)
			}
		}
		check(t, line.Close())
	}
	if all, few := counts[1<<40], counts[1]; all < 14 || few > all/2 || few < 1 {
		t.Errorf("%d checkpoints, and %d in a byte", all, few)
	}
	_, err := recording.NewTimelineIn(t.Context(), r, spacing, 1<<40, 1)
	if _, ok := errors.AsType[*recording.LimitError](err); !ok {
		t.Errorf("a replay in a byte of memory: %v", err)
	}
}
