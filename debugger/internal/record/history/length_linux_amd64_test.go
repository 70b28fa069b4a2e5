package history_test

import (
	"strconv"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
)

// BenchmarkLength measures what the length of a history does to going back: one
// position from its end, and all the way to its beginning, and forth again.
func BenchmarkLength(b *testing.B) {
	for _, steps := range []uint64{1_000, 10_000, 100_000, 1_000_000} {
		b.Run(strconv.FormatUint(steps, 10), func(b *testing.B) {
			s := start(b, build(b, "-O0"), "spin")
			r := s.recorder(history.Options{})
			if _, err := r.Step(b.Context(), 0, steps); err != nil {
				b.Fatal(err)
			}
			h := r.History()
			b.Run("one_back_and_forth", func(b *testing.B) { benchmarkSeek(b, h, h.End()-1) })
			b.Run("to_the_beginning_and_back", func(b *testing.B) { benchmarkSeek(b, h, h.Oldest()) })
		})
	}
}

func benchmarkSeek(b *testing.B, h *history.History, to uint64) {
	seek := func() {
		for _, position := range []uint64{to, h.End()} {
			if _, err := h.Seek(position); err != nil {
				b.Fatal(err)
			}
		}
	}
	seek() // the first time it reads the pages
	for b.Loop() {
		seek()
	}
	b.ReportMetric(float64(h.Bytes())/float64(h.End()-h.Oldest()), "B/step")
}
