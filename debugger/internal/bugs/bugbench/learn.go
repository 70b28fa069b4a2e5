package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"slices"

	"github.com/triptych-mcp/triptych/debugger/internal/bugs"
)

// An example is a fix with the places that a search compares.
type example struct {
	project string
	want    []place
	choices []choice
}

// A choice is a place that a search compares.
type choice struct {
	place
	rank    float64
	columns []float64
	label   int // index of the place of the fix that it is, or -1
}

// learn prints weights that are learned from the tuning half, the logistic function of
// the confidence, and how good weights are that were learned without the project that
// they rank.
func learn(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("learn", flag.ContinueOnError)
	file := flags.String("fixes", filepath.Join(tables, "fixes.tsv"), "the fixes")
	if err := flags.Parse(args); err != nil {
		return err
	}
	fixes, err := readFixes(*file, "tuning")
	if err != nil {
		return err
	}
	var examples []example
	for _, project := range projects(fixes) {
		if examples, err = collect(ctx, filepath.Join(flags.Arg(0), project[0].project), project, examples); err != nil {
			return err
		}
	}
	base, slope := calibrate(examples)
	fmt.Fprintf(out, "as it is: %s\nconfidence: base %.2f, per rank %.2f\n", rankedBy(examples), base, slope)
	fmt.Fprintf(out, "learned without the project: %s\n", rankedBy(crossed(examples)))
	for i, w := range fit(examples) {
		fmt.Fprintf(out, "%-20s %5.2f\n", bugs.EvidenceColumns()[i], w)
	}
	return nil
}

// collect appends the examples of one project.
func collect(ctx context.Context, dir string, fixes []fix, to []example) ([]example, error) {
	co, err := newCheckout(ctx, openClone(dir))
	if err != nil {
		return nil, err
	}
	defer co.close()
	finder, err := bugs.New(bugs.Config{Workers: 1})
	if err != nil {
		return nil, err
	}
	for _, f := range fixes {
		if err := co.move(ctx, f.commit+"^"); err != nil {
			return nil, err
		}
		site := bugs.Site{File: f.places[0].file, Line: f.places[0].line}
		found, err := finder.Evidence(ctx, bugs.Request{Path: co.dir, Site: site})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.commit, err)
		}
		to = append(to, newExample(f, found))
	}
	return to, nil
}

// compared is the number of choices, the best ones so far, that weights are learned
// from, besides the places of the fix.
const compared = 150

func newExample(f fix, found []bugs.Evidence) example {
	e := example{project: f.project, want: f.places[1:]}
	slices.SortStableFunc(found, func(a, b bugs.Evidence) int { return cmp.Compare(b.Rank, a.Rank) })
	for i, c := range found {
		p := place{c.File, c.Line}
		label := slices.IndexFunc(e.want, func(w place) bool { return near(p, w) })
		if label >= 0 || i < compared {
			e.choices = append(e.choices, choice{p, c.Rank, c.Columns, label})
		}
	}
	return e
}

// Parameters of the descent, by Adam.
const (
	rounds     = 100
	rate       = 0.1
	shrinkage  = 0.003 // of the squares of the weights
	slow, fast = 0.99, 0.9
)

// fit returns the weights that maximize the likelihood of the places of the fixes in a
// softmax over the choices.
func fit(examples []example) []float64 {
	n := len(bugs.EvidenceColumns())
	weights, mean, square := make([]float64, n), make([]float64, n), make([]float64, n)
	for round := 1.0; round <= rounds; round++ {
		for i, g := range gradient(examples, weights) {
			g += shrinkage * weights[i]
			mean[i] = fast*mean[i] + (1-fast)*g
			square[i] = slow*square[i] + (1-slow)*g*g
			step := math.Sqrt(square[i]/(1-math.Pow(slow, round))) + 1e-8
			weights[i] -= rate * mean[i] / (1 - math.Pow(fast, round)) / step
		}
	}
	return weights
}

// gradient returns that of the mean negative logarithm of the likelihood.
func gradient(examples []example, weights []float64) []float64 {
	sum := make([]float64, len(weights))
	for _, e := range examples {
		shares, right := softmax(e, weights)
		for i, c := range e.choices {
			g := shares[i]
			if c.label >= 0 {
				g -= shares[i] / right[c.label] / float64(len(right))
			}
			if len(right) > 0 {
				for k, x := range c.columns {
					sum[k] += g * x / float64(len(examples))
				}
			}
		}
	}
	return sum
}

// softmax returns the share of each choice, and that of each place of the fix.
func softmax(e example, weights []float64) (shares []float64, right map[int]float64) {
	shares, right = make([]float64, len(e.choices)), map[int]float64{}
	most, all := math.Inf(-1), 0.0
	for i, c := range e.choices {
		shares[i] = weighted(c, weights)
		most = max(most, shares[i])
	}
	for i := range shares {
		shares[i] = math.Exp(shares[i] - most)
		all += shares[i]
	}
	for i, c := range e.choices {
		if shares[i] /= all; c.label >= 0 {
			right[c.label] += shares[i]
		}
	}
	return shares, right
}

// weighted returns the rank of a choice by weights.
func weighted(c choice, weights []float64) float64 {
	sum := 0.0
	for k, x := range c.columns {
		sum += weights[k] * x
	}
	return sum
}

// crossed returns the examples with ranks by weights that were learned from the other
// projects.
func crossed(examples []example) []example {
	names := map[string]bool{}
	for _, e := range examples {
		names[e.project] = true
	}
	var all []example
	for _, name := range slices.Sorted(maps.Keys(names)) {
		here := func(e example) bool { return e.project == name }
		weights := fit(slices.DeleteFunc(slices.Clone(examples), here))
		for _, e := range examples {
			if here(e) {
				e.choices = slices.Clone(e.choices)
				for i := range e.choices {
					e.choices[i].rank = weighted(e.choices[i], weights)
				}
				all = append(all, e)
			}
		}
	}
	return all
}

// first returns the first choices by rank, each of other lines.
func (e example) first() []choice {
	all := slices.Clone(e.choices)
	slices.SortStableFunc(all, func(a, b choice) int { return cmp.Compare(b.rank, a.rank) })
	var kept []choice
	for _, c := range all {
		same := func(k choice) bool { return k.file == c.file && max(k.line, c.line)-min(k.line, c.line) <= 5 }
		if len(kept) < shown && !slices.ContainsFunc(kept, same) {
			kept = append(kept, c)
		}
	}
	return kept
}

// rankedBy measures the ranks of examples.
func rankedBy(examples []example) score {
	var s score
	for _, e := range examples {
		var found []answer
		for _, c := range e.first() {
			found = append(found, answer{c.place, true})
		}
		s.add(found, e.want)
	}
	return s
}

// calibrate fits a logistic function of the rank to the first choices by Newton's
// method.
func calibrate(examples []example) (base, slope float64) {
	for range 25 {
		var g0, g1, h00, h01, h11 float64
		for _, e := range examples {
			for _, c := range e.first() {
				p := 1 / (1 + math.Exp(base-slope*c.rank))
				d := -p
				if c.label >= 0 {
					d++
				}
				v := p * (1 - p)
				g0, g1 = g0-d, g1+d*c.rank
				h00, h01, h11 = h00+v, h01-v*c.rank, h11+v*c.rank*c.rank
			}
		}
		det := h00*h11 - h01*h01 + 1e-12
		base += (h11*g0 - h01*g1) / det
		slope += (h00*g1 - h01*g0) / det
	}
	return base, slope
}
