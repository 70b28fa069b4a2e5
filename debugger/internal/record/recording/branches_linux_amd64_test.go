package recording_test

import (
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/limits/worktime"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
)

// The progress of a search for branches counts from its beginning.
func TestProgressOfBranches(t *testing.T) {
	line := timeline(t, open(t, record(t, "sort", "/etc/services").file))
	work := (*worktime.Accounts)(nil).Begin(t.Context(), "")
	defer work.End()
	_, to := line.Bounds()
	from, last := to/2, 0.0
	never := func(*x86.Inst) (jumps, always bool) { return false, false }
	_, err := line.Branches(work.Context(), never, from, to, func(tr *history.Transition) bool {
		if last, _, _, _ = work.Progress(); last > float64(tr.Position+1-from) {
			t.Errorf("at %d of %d the progress is %v", tr.Position-from, to-from, last)
		}
		return !t.Failed()
	})
	check(t, err)
	if last == 0 {
		t.Error("there is no progress")
	}
}
