package validate

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// TestTextSet compares the set with a map.
func TestTextSet(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var s textSet
	known := map[string]bool{}
	if s.has("") || s.has("a") {
		t.Error("an empty set has a text")
	}
	for i := range 60_000 {
		text := strconv.Itoa(random.IntN(40_000))
		switch {
		case i%1000 == 0:
			text = strings.Repeat(text, 1+random.IntN(maxInTable/2))
		case i == 7:
			text = ""
		}
		if s.has(text) != known[text] || s.add(text) == known[text] || !s.has(text) {
			t.Fatalf("text %d, %.40q, was there: %v", i, text, known[text])
		}
		known[text] = true
	}
	if s.size() != len(known) {
		t.Errorf("the set has %d texts, want %d", s.size(), len(known))
	}
	for text := range known {
		if !s.has(text) || s.has(text+"x") {
			t.Fatalf("%.40q is not there", text)
		}
	}
}
