package race_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest/recordtest"
	"github.com/triptych-mcp/triptych/debugger/internal/session/inspect"
	"github.com/triptych-mcp/triptych/debugger/internal/session/race"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// mostRuns is the number of runs in one of which a race is to be found. It is not found in a run in
// which one thread ends before the other begins: the C library counts threads, which makes an order.
const mostRuns = 20

// A program names an argument of testdata/order.c and the functions whose accesses race.
type program struct{ name, functions string }

// Found are the races that the programs have by their construction, and no others.
func TestPrograms(t *testing.T) {
	_, path := recordtest.Build(t, "order.c", "-O1", "-pthread")
	for _, p := range []program{
		{"flag", "flag_set flag_wait"}, {"half", "half_locked half_bare"}, {"early", "half_locked half_bare"}, {"two_locks", "half_locked otherwise_locked"},
		{"read_lock", "read_locked"}, {"local", "local_set local"}, {"freed", "use_item free_item"}, {"fields", "set_a set_b"},
		{"copied", "copy_text read_text"}, {"lazy", "make"}, {"filled", "fill_text read_text"},
		{"mutex", ""}, {"rw_lock", ""}, {"condition", ""}, {"barriers", ""}, {"at_once", ""},
		{"joined", ""}, {"piped", ""}, {"acquired", ""}, {"spinning", ""}, {"semaphore", ""},
	} {
		t.Run(p.name, func(t *testing.T) {
			sample.Case(t)
			runs := mostRuns
			if p.functions == "" {
				runs = sample.Count(1, mostRuns)
			}
			for n := range runs {
				if p.found(t, path) {
					t.Logf("found in run %d", n+1)
					return
				}
			}
			if p.functions != "" {
				t.Errorf("no race in %d runs", runs)
			}
		})
	}
}

// found records a run, and reports whether it has races. Others than those of the functions are errors.
func (p *program) found(t *testing.T, path string) bool {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s := recordtest.Main(t, path, p.name)
	answer, err := race.Find(ctx, s, race.Query{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range answer.Races {
		if !p.has(r.Before.Frames) || !p.has(r.After.Frames) {
			t.Errorf("another race:\n%s", answer.Text())
			break
		}
	}
	return len(answer.Races) > 0
}

// has reports whether a stack has one of the functions.
func (p *program) has(frames []inspect.StackFrame) bool {
	return slices.ContainsFunc(frames, func(f inspect.StackFrame) bool {
		return slices.Contains(strings.Fields(p.functions), f.Function)
	})
}
