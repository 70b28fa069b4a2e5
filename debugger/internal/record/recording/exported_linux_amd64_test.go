package recording_test

import (
	"bytes"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
	"github.com/triptych-mcp/triptych/debugger/internal/record/replay"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
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
		compareTrace(t, r, line, from, to, want)
	}
}

// compareTrace exports a part of a recording as a trace, and opens the trace. It fills in the
// sums at positions by a forward replay, and compares them.
func compareTrace(t *testing.T, r *recfile.Recording, line *replay.Timeline, from, to uint64, want map[uint64]sum) {
	t.Helper()
	sums(t, r, want)
	var exported bytes.Buffer
	_, err := line.History().Export(t.Context(), &exported, history.ExportOptions{Format: history.Binary, From: from, To: to})
	check(t, err)
	trace, err := history.Open(t.Context(), &exported, nil)
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

// TestExportOfThreads exports parts in which threads end, and which are longer than a window, as
// traces. One of them ends where a window does.
func TestExportOfThreads(t *testing.T) {
	sample.Alone(t)
	const window = 3000
	program := debuggertest.Compile(t, filepath.Join("testdata", "threads.c"), nil, "gcc", "-O1", "-pthread")
	file := record(t, program, "condition").file
	line, err := timelineOf(t.Context(), open(t, bytes.Clone(file)), window, 1<<14)
	check(t, err)
	defer func() { check(t, line.Close()) }()
	r := open(t, file)
	ends := 0 // number of the event where the first thread ends
	for r.Event(ends).Kind != recfile.Exit {
		ends++
	}
	first, _ := line.Bounds()
	end := r.Event(ends).Position
	edge := end + window - (end-first)%window
	for n, to := range []uint64{min(end+2*window, r.End()), edge} {
		if n == 0 && !sample.Whole() {
			continue
		}
		from := end - 2*window
		want := map[uint64]sum{to: {}}
		for position := from; position < to; position += 1009 {
			want[position] = sum{}
		}
		compareTrace(t, r, line, from, to, want)
	}
}
