package bugs

import (
	"math"
	"testing"
)

// The confidence of a place without a copy and without a risk follows from its rank
// alone: one half where the exponent is zero. A copy is as sure as it is similar, a risk
// as its rule is often right.
func TestConfidence(t *testing.T) {
	var realloc rule
	for _, r := range allRules() {
		if r.id == "c-realloc-self" {
			realloc = r
		}
	}
	s := &search{query: query{codes: make([]uint16, 1)}, found: Diagnosis{Kind: ResourceLeak}}
	tests := []struct {
		name string
		c    candidate
		want float64
	}{
		{"even", candidate{rank: confidenceBase / confidencePerRank}, 0.5},
		{"nothing", candidate{rank: -100}, 0},
		{"copy", candidate{alike: 0.9, rank: -100}, 0.9},
		{"hardly a copy", candidate{alike: 0.7, rank: -100}, 0},
		{"risk", candidate{risk: &risk{rule: &realloc}, rank: -100}, 0.75}, // 3 of 4 in rules.tsv
	}
	for _, tt := range tests {
		if got := s.confidence(tt.c); math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}
