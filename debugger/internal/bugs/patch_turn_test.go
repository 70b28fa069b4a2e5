package bugs

import (
	"slices"
	"testing"
)

// TestInTurn orders the findings of three changes.
func TestInTurn(t *testing.T) {
	at := func(lines ...int) (all []candidate) {
		for _, line := range lines {
			all = append(all, candidate{line: line})
		}
		return all
	}
	var got []int
	for _, c := range inTurn([][]candidate{at(1, 4, 6), at(2), nil, at(3, 5)}) {
		got = append(got, c.line)
	}
	if want := []int{1, 2, 3, 4, 5, 6}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
