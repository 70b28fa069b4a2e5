package inplace_test

import (
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/record/inplace"
)

// TestExactCounts runs loops that use the counters of instructions very differently, and makes
// sure that each Run executes exactly as many instructions as it may, also where the loop
// before has used other counters.
func TestExactCounts(t *testing.T) {
	loops := debuggertest.Compile(t, filepath.Join("testdata", "counters.c"), nil, "gcc", "-O1")
	rng := rand.New(rand.NewPCG(1, 2))
	launch(t, []string{loops}, func(g *guest) {
		g.until(t.Context(), func() bool { return g.Executed() > 1_000_000 })
		for range 200 {
			n := 1 + rng.Int64N(1<<(1+rng.IntN(21)))
			before := g.Executed()
			stop, err := g.Run(t.Context(), n)
			must(err)
			if executed := g.Executed() - before; stop.Kind != inplace.Done || executed != n {
				panic(failuref("stop of kind %d after %d instructions at %#x, want %d", stop.Kind, executed, g.Regs.RIP, n))
			}
		}
		t.Logf("%d instructions", g.Executed())
	})
}
