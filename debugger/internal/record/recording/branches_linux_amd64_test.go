package recording_test

import (
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/limits/worktime"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
)

// The progress of a search for branches or for accesses counts from its beginning.
func TestProgressOfLogs(t *testing.T) {
	line := timeline(t, open(t, record(t, "sort", "/etc/services").file))
	_, to := line.Bounds()
	from := to / 2
	for name, search := range map[string]func(work *worktime.Work, see func(position uint64) bool) error{
		"branches": func(work *worktime.Work, see func(uint64) bool) error {
			never := func(*x86.Inst) (jumps, always bool) { return false, false }
			_, err := line.Branches(work.Context(), never, from, to, func(tr *history.Transition) bool { return see(tr.Position) })
			return err
		},
		"accesses": func(work *worktime.Work, see func(uint64) bool) error {
			_, err := line.Accesses(work.Context(), from, to, func(a *history.Access) bool { return see(a.Position) })
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			work := (*worktime.Accounts)(nil).Begin(t.Context(), "")
			defer work.End()
			last := 0.0
			check(t, search(work, func(position uint64) bool {
				if last, _, _, _ = work.Progress(); last > float64(position+1-from) {
					t.Errorf("at %d of %d the progress is %v", position-from, to-from, last)
				}
				return !t.Failed()
			}))
			if last == 0 {
				t.Error("there is no progress")
			}
		})
	}
}
