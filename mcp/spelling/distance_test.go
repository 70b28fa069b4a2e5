package spelling_test

import (
	"testing"

	"github.com/triptych-mcp/triptych/mcp/spelling"
)

// The first two are the examples that everybody counts by hand.
func TestDistance(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{
		{"kitten", "sitting", 3}, {"saturday", "sunday", 3}, {"", "", 0}, {"", "abc", 3}, {"name", "name", 0}, {"nema", "name", 2},
	} {
		for _, pair := range [][2]string{{tt.a, tt.b}, {tt.b, tt.a}} {
			if got := spelling.Distance(pair[0], pair[1]); got != tt.want {
				t.Errorf("from %q to %q: got %d, want %d", pair[0], pair[1], got, tt.want)
			}
		}
	}
}
