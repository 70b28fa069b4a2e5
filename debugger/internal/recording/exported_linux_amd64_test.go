package recording_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/history"
)

// compareExport exports parts of a recording as traces, and opens the traces. At random
// positions they have the registers and vector registers that a forward replay passes.
func compareExport(t *testing.T, file []byte, seeks int) {
	t.Helper()
	const parts, length = 4, 20_000 // positions of a part
	r := open(t, file)
	random := rand.New(rand.NewPCG(3, uint64(r.End())))
	first := firstOfLast(r)
	line := timeline(t, open(t, bytes.Clone(file)))
	for range parts {
		from := first + random.Uint64N(r.End()-first)
		to := min(from+length, r.End())
		want := map[uint64]sum{from: {}, to: {}}
		for range seeks / parts {
			want[from+random.Uint64N(to-from+1)] = sum{}
		}
		sums(t, r, want)
		var exported bytes.Buffer
		_, err := line.History().Export(t.Context(), &exported, history.ExportOptions{Format: history.Binary, From: from, To: to})
		check(t, err)
		trace, err := history.Open(t.Context(), &exported)
		check(t, err)
		for position, w := range want {
			_, err := trace.Seek(position)
			check(t, err)
			regs, err := trace.View().Regs(0)
			check(t, err)
			vector, err := trace.View().XState(0, nil)
			check(t, err)
			got := sumOf(regs, vector, nil, trace.View().ReadMemory)
			if got.registers != w.registers || got.vector != w.vector {
				t.Errorf("position %d of a trace: other registers: %t, vector registers: %t",
					position, got.registers != w.registers, got.vector != w.vector)
			}
		}
	}
}
