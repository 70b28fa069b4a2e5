package recording_test

import (
	"slices"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/record/recording"
)

// TestSchedule compares schedules of three threads that can always run.
func TestSchedule(t *testing.T) {
	const slices, threads = 3000, 3
	first := recording.Schedule(1, threads, slices)
	if !equal(first, recording.Schedule(1, threads, slices)) {
		t.Error("the same seed leads to other schedules")
	}
	if equal(first, recording.Schedule(2, threads, slices)) {
		t.Error("another seed leads to the same schedule")
	}
	for seed := range uint64(100) {
		ran := make(map[int]int)
		shortest := ^uint64(0)
		for n, s := range recording.Schedule(seed, threads, slices) {
			if ran[s.Thread]++; n >= 2*threads && ran[s.Thread] < (n+1)/threads-2 {
				t.Fatalf("seed %d: of %d slices, thread %d has had %d", seed, n+1, s.Thread, ran[s.Thread])
			}
			shortest = min(shortest, s.Length)
		}
		if shortest > 1<<20 {
			t.Errorf("seed %d: no slice is shorter than %d", seed, shortest)
		}
	}
}

// TestScheduleCosts adds up how many slices a program of two threads has in 2^32 instructions.
func TestScheduleCosts(t *testing.T) {
	const most = 1 << 32 / 1_000_000
	var counts []int
	for seed := range uint64(100) {
		counts = append(counts, recording.SlicesOf(seed, 2, 1<<32))
	}
	slices.Sort(counts)
	if median := counts[len(counts)/2]; median > most {
		t.Errorf("%d slices, want at most %d", median, most)
	}
}

func equal(a, b []recording.Slice) bool { return slices.Equal(a, b) }
