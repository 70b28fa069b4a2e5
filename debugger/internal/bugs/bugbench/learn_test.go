package main

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/bugs"
)

// drawn returns examples in which a column, and only that one, tells the right place.
func drawn(n, telling int) []example {
	random := rand.New(rand.NewPCG(1, 2))
	var all []example
	for i := range n {
		want := place{"a.c", 1000}
		e := example{project: string(rune('a' + i%3)), want: []place{want}}
		for k := range 30 {
			c := choice{place: place{"a.c", 20 * k}, label: -1, columns: make([]float64, len(bugs.EvidenceColumns()))}
			for j := range c.columns {
				c.columns[j] = random.Float64()
			}
			c.columns[telling] /= 4
			e.choices = append(e.choices, c)
		}
		right := &e.choices[random.IntN(30)]
		right.place, right.label, right.columns[telling] = want, 0, 0.9
		all = append(all, e)
	}
	return all
}

// Weights that are learned from two projects rank the right place of the third first.
func TestLearn(t *testing.T) {
	const telling = 3
	examples := drawn(30, telling)
	weights := fit(examples)
	for i, w := range weights {
		if i != telling && math.Abs(w) > weights[telling]/2 {
			t.Errorf("column %d has the weight %.2f, the one that tells %.2f", i, w, weights[telling])
		}
	}
	if got := rankedBy(crossed(examples)); got.rank/float64(got.fixes) < 0.9 {
		t.Errorf("MRR is %v, want at least 0.9", got)
	}
}

// A logistic function is found again from choices drawn by it.
func TestCalibrate(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var all []example
	for range 400 {
		e := example{want: []place{{"a.c", 1}}}
		for k := range shown {
			c := choice{place: place{"b.c", 20 * k}, rank: 10 * random.Float64(), label: -1}
			if random.Float64() < 1/(1+math.Exp(5-c.rank)) {
				c.label = 0
			}
			e.choices = append(e.choices, c)
		}
		all = append(all, e)
	}
	if base, slope := calibrate(all); math.Abs(base-5) > 0.5 || math.Abs(slope-1) > 0.1 {
		t.Errorf("got %.2f and %.2f, want 5 and 1", base, slope)
	}
}
