package memdiff

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// The operations on sets agree with those on their addresses, one by one.
func TestSpanSets(t *testing.T) {
	const addresses = 24
	random := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		a, b := random.Uint64()%(1<<addresses), random.Uint64()%(1<<addresses)
		for _, op := range []struct {
			name string
			got  spanSet
			want uint64
		}{
			{"and", setOf(a).and(setOf(b)), a & b},
			{"or", setOf(a).or(setOf(b)), a | b},
			{"minus", setOf(a).minus(setOf(b)), a &^ b},
		} {
			if want := setOf(op.want); !slices.Equal(op.got, want) {
				t.Fatalf("%v %s %v = %v, want %v", setOf(a), op.name, setOf(b), op.got, want)
			}
		}
	}
}

// setOf makes the set of the bits of a number.
func setOf(bits uint64) spanSet {
	var s spanSet
	for i := range uint64(64) {
		if bits>>i&1 != 0 {
			s = ptrace.AppendRange(s, ptrace.Range{Start: i, End: i + 1})
		}
	}
	return s
}

// Batches return the requested spans, in pieces that can be read at once.
func TestBatches(t *testing.T) {
	s := spanSet{{Start: 0, End: 10}, {Start: 4096, End: 4096 + 3*CompareStep}, {Start: 1 << 40, End: 1<<40 + 5}}
	var all spanSet
	for _, b := range batches(s) {
		if n := b.size(); n > CompareStep {
			t.Errorf("a batch of %d bytes", n)
		}
		for _, r := range b {
			all = ptrace.AppendRange(all, r)
		}
	}
	if !slices.Equal(all, s) {
		t.Errorf("batches of %v, want %v", all, s)
	}
}

// What differs is found from its first byte to its last.
func TestDiffer(t *testing.T) {
	for _, n := range []int{1, 7, 300, 4096} {
		for _, at := range [][2]int{{0, 0}, {0, n - 1}, {n / 2, n / 2}, {n / 3, n - 1}, {n - 1, n - 1}} {
			a, b := make([]byte, n), make([]byte, n)
			b[at[0]]++
			b[at[1]] |= 4
			if first, last, ok := Differ(a, b); !ok || first != at[0] || last != at[1]+1 {
				t.Errorf("%d bytes that differ at %v: %d, %d, %v", n, at, first, last, ok)
			}
		}
		if _, _, ok := Differ(make([]byte, n), make([]byte, n)); ok {
			t.Errorf("%d bytes differ from themselves", n)
		}
	}
}
