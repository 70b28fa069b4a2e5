package main

import (
	"time"

	"github.com/triptych-mcp/triptych/conformance/bench/figures"
)

// readings holds the measurements, by the name of the measure and by the side, one
// value a round: seconds for one of what is counted, or bytes.
type readings map[string]map[string][]float64

// take keeps the value of a round.
func (r readings) take(measure, side string, value float64) {
	if r[measure] == nil {
		r[measure] = map[string][]float64{}
	}
	r[measure][side] = append(r[measure][side], value)
}

// takeTime keeps how long each of n took.
func (r readings) takeTime(measure, side string, took time.Duration, n int) {
	r.take(measure, side, took.Seconds()/float64(n))
}

// of is the median of a side's rounds; ok is false if there are none.
func (r readings) of(measure, side string) (value float64, ok bool) {
	list := r[measure][side]
	return figures.Median(list), len(list) > 0
}

// times returns the ratio of one side's values to another's: the median of the
// rounds' ratios.
func (r readings) times(measure, much, little string) float64 {
	a, b := r[measure][much], r[measure][little]
	var ratios []float64
	for i := range min(len(a), len(b)) {
		ratios = append(ratios, a[i]/b[i])
	}
	return figures.Median(ratios)
}

// medianTime calls f so many times and is the median of what it returns.
func medianTime(n int, f func() (time.Duration, error)) (time.Duration, error) {
	var list []float64
	for range n {
		took, err := f()
		if err != nil {
			return 0, err
		}
		list = append(list, float64(took))
	}
	return time.Duration(figures.Median(list)), nil
}
