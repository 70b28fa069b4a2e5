package waits_test

import (
	"slices"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/session/waits"
)

// Each cycle is told once, from where it was met, and without the threads that only wait
// for it.
func TestCycles(t *testing.T) {
	for _, tt := range []struct {
		name    string
		holders map[int]int
		want    []string
	}{
		{"none", map[int]int{1: 2, 2: 3, 4: 0}, nil},
		{"itself", map[int]int{5: 5}, []string{"Deadlock: 5 waits for it"}},
		{"two, and one behind", map[int]int{1: 3, 3: 2, 2: 3}, []string{"Deadlock: 3 waits for it; 2 waits for it"}},
		{"two cycles", map[int]int{1: 2, 2: 1, 7: 8, 8: 9, 9: 7, 10: 7}, []string{"Deadlock: 1 waits for it; 2 waits for it", "Deadlock: 7 waits for it; 8 waits for it; 9 waits for it"}},
	} {
		all := map[int]waits.Wait{}
		for thread, holder := range tt.holders {
			all[thread] = waits.Wait{For: "it", Holder: holder}
		}
		if got := waits.Cycles(all); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
