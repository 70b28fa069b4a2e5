package bearer

import (
	"testing"
	"time"
)

// TestTally: of many refusals of one key in a second one is recorded, the next
// one says how many were not, and keys do not count for one another.
func TestTally(t *testing.T) {
	var all tally
	all.init()
	noon := time.Date(2026, 7, 28, 12, 0, 0, 0, time.UTC)
	for i, tt := range []struct {
		key  string
		at   time.Duration
		more string
		ok   bool
	}{
		{"a", 0, "", true},
		{"a", 10 * time.Millisecond, "", false},
		{"a", 999 * time.Millisecond, "", false},
		{"b", 999 * time.Millisecond, "", true},
		{"a", time.Second, " (and 2 more)", true},
		{"a", 3 * time.Second, "", true},
	} {
		if more, ok := all.due(tt.key, noon.Add(tt.at)); more != tt.more || ok != tt.ok {
			t.Errorf("refusal %d: %q, %v, want %q, %v", i, more, ok, tt.more, tt.ok)
		}
	}
}
