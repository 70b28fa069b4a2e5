package recording_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/limits/budget"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// TestHold looks at other windows of a recording while one is held. All memory of the program
// is then as it was, there and where one goes from there, and no pages stay taken.
func TestHold(t *testing.T) {
	sample.Alone(t)
	program := debuggertest.Build(t, "work.c", "-O1", "-pthread")
	account := budget.New(1 << 30).Open("ann")
	r, err := recfile.Read(bytes.NewReader(record(t, program, "3", "200000").file), account)
	if err != nil {
		t.Fatal(err)
	}
	h := timeline(t, r).History()
	seek := func(position uint64) {
		t.Helper()
		if _, err := h.Seek(position); err != nil {
			t.Fatal(err)
		}
	}
	first, last := h.Oldest(), h.End()
	here := last - (last-first)/3
	states := map[uint64][]byte{}
	check := func(position uint64) {
		t.Helper()
		got := writable(t, h.View())
		if want := states[position]; want == nil {
			states[position] = got
		} else if !bytes.Equal(got, want) {
			t.Errorf("position %d: the memory is not the same", position)
		}
	}
	around := []uint64{here, here - 1000, here + 1000, here}
	for _, position := range around {
		seek(position)
		check(position)
	}
	if bytes.Equal(states[here], states[here-1000]) {
		t.Fatal("the memory does not change")
	}
	var taken int64
	random := rand.New(rand.NewPCG(1, 2))
	for n := range 4 {
		restore := h.Hold()
		seek(first + 1)
		seek(first + random.Uint64N((last-first)/4))
		seek(here + 2000)
		seek(last)
		seek(first + 1)
		if err := restore(); err != nil {
			t.Fatal(err)
		}
		for _, position := range around {
			seek(position)
			check(position)
		}
		if now := account.Taken(); n < 2 {
			taken = now
		} else if now > taken+16<<10 {
			t.Errorf("after %d looks %d bytes are taken, before %d", n, now, taken)
		}
	}
}

// writable returns the writable memory of a view, without what cannot be read.
func writable(t *testing.T, v *history.View) []byte {
	t.Helper()
	var all []byte
	for _, m := range v.Maps() {
		if !m.Write || m.End-m.Start > 1<<20 {
			continue
		}
		b := make([]byte, m.End-m.Start)
		n, err := v.ReadMemory(m.Start, b)
		if err != nil && n == 0 {
			continue
		}
		all = append(all, b[:n]...)
	}
	return all
}
