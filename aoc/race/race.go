package race

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// A Puzzle identifies one part of a puzzle. Year is 0 if it is unknown.
type Puzzle struct {
	Year int `json:"year,omitempty"`
	Day  int `json:"day"`
	Part int `json:"part"`
}

func comparePuzzles(a, b Puzzle) int {
	return cmp.Or(cmp.Compare(a.Year, b.Year), cmp.Compare(a.Day, b.Day), cmp.Compare(a.Part, b.Part))
}

// A Run is one recorded attempt of a model at a puzzle.
type Run struct {
	Puzzle

	Model  string
	MS     int64 // milliseconds
	Failed bool  // the answer was wrong
}

// A Result summarizes the runs of one model on one part of a puzzle. Times are in
// milliseconds, and 0 if no run succeeded.
type Result struct {
	Puzzle

	Model    string `json:"model"`
	Runs     int    `json:"runs"`
	Failures int    `json:"failures"`
	Best     int64  `json:"best_ms"`
	Median   int64  `json:"median_ms"`
	P95      int64  `json:"p95_ms"`
	Rank     int    `json:"rank,omitempty"` // 0 if no run succeeded
}

// A Standing is the overall result of a model.
type Standing struct {
	Model    string `json:"model"`
	Rank     int    `json:"rank"`
	Points   int    `json:"points"`
	Gold     int    `json:"gold"`
	Silver   int    `json:"silver"`
	Bronze   int    `json:"bronze"`
	Solved   int    `json:"solved"` // parts
	Runs     int    `json:"runs"`
	Failures int    `json:"failures"`
	Total    int64  `json:"total_ms"` // sum of the medians
}

// A Duel counts the parts that both of two models solved, by the faster one.
type Duel struct {
	A    string `json:"a"`
	B    string `json:"b"`
	WinA int    `json:"a_faster"`
	WinB int    `json:"b_faster"`
	Ties int    `json:"equal"`
}

// A Race holds the statistics of a set of runs.
type Race struct {
	Standings []Standing `json:"standings"`         // best first
	Results   []Result   `json:"results,omitempty"` // by puzzle, then rank
	Duels     []Duel     `json:"head_to_head,omitempty"`
}

// New computes the statistics of runs.
func New(runs []Run) *Race {
	r := &Race{Standings: []Standing{}, Results: results(runs), Duels: []Duel{}}
	for group := range byPuzzle(r.Results) {
		rank(group)
	}
	slices.SortStableFunc(r.Results, func(a, b Result) int {
		return cmp.Or(comparePuzzles(a.Puzzle, b.Puzzle), cmp.Compare(rankOrLast(a), rankOrLast(b)), cmp.Compare(a.Model, b.Model))
	})
	r.Standings = standings(r.Results)
	r.Duels = duels(r.Standings, r.Results)
	return r
}

// rankOrLast orders results without a rank behind all others.
func rankOrLast(r Result) int {
	if r.Rank == 0 {
		return math.MaxInt
	}
	return r.Rank
}

// results returns a result for each puzzle and model, ordered by puzzle.
func results(runs []Run) []Result {
	type key struct {
		Puzzle
		model string
	}
	groups := map[key][]Run{}
	for _, run := range runs {
		k := key{run.Puzzle, run.Model}
		groups[k] = append(groups[k], run)
	}
	all := make([]Result, 0, len(groups))
	for k, group := range groups {
		all = append(all, result(k.Puzzle, k.model, group))
	}
	slices.SortFunc(all, func(a, b Result) int {
		return cmp.Or(comparePuzzles(a.Puzzle, b.Puzzle), cmp.Compare(a.Model, b.Model))
	})
	return all
}

func result(p Puzzle, model string, runs []Run) Result {
	r := Result{Puzzle: p, Model: model, Runs: len(runs)}
	var times []int64
	for _, run := range runs {
		if run.Failed {
			r.Failures++
		} else {
			times = append(times, run.MS)
		}
	}
	if len(times) > 0 {
		slices.Sort(times)
		r.Best, r.Median, r.P95 = times[0], median(times), percentile(times, 95)
	}
	return r
}

// median returns the median of sorted times; of an even number the mean of the
// middle two, rounded down.
func median(sorted []int64) int64 {
	n := len(sorted)
	if n%2 == 1 {
		return sorted[n/2]
	}
	low, high := sorted[n/2-1], sorted[n/2]
	return low + (high-low)/2
}

// percentile returns the smallest time that at least p percent do not exceed
// (nearest rank).
func percentile(sorted []int64, p int) int64 {
	return sorted[(len(sorted)*p+99)/100-1]
}

// byPuzzle yields the consecutive results of each puzzle. all is ordered by puzzle.
func byPuzzle(all []Result) func(yield func([]Result) bool) {
	return func(yield func([]Result) bool) {
		for len(all) > 0 {
			n := slices.IndexFunc(all, func(r Result) bool { return r.Puzzle != all[0].Puzzle })
			if n < 0 {
				n = len(all)
			}
			if !yield(all[:n]) {
				return
			}
			all = all[n:]
		}
	}
}

// rank sets the ranks of the results of one puzzle.
func rank(group []Result) {
	for i := range group {
		if group[i].Runs == group[i].Failures {
			continue
		}
		group[i].Rank = 1
		for _, other := range group {
			if other.Runs > other.Failures && other.Median < group[i].Median {
				group[i].Rank++
			}
		}
	}
}

// standings returns the overall results, best first.
func standings(all []Result) []Standing {
	models := map[string]*Standing{}
	for _, r := range all {
		if models[r.Model] == nil {
			models[r.Model] = &Standing{Model: r.Model}
		}
	}
	for _, r := range all {
		models[r.Model].add(r, len(models))
	}
	list := make([]Standing, 0, len(models))
	for _, model := range slices.Sorted(maps.Keys(models)) {
		list = append(list, *models[model])
	}
	slices.SortStableFunc(list, func(a, b Standing) int {
		return cmp.Or(cmp.Compare(b.Points, a.Points), cmp.Compare(a.Total, b.Total))
	})
	for i := range list {
		list[i].Rank = i + 1
		if i > 0 && list[i].Points == list[i-1].Points && list[i].Total == list[i-1].Total {
			list[i].Rank = list[i-1].Rank
		}
	}
	return list
}

// add adds a result in a race of n models: rank 1 earns n points, rank 2 n-1.
func (s *Standing) add(r Result, n int) {
	s.Runs += r.Runs
	s.Failures += r.Failures
	if r.Rank == 0 {
		return
	}
	s.Solved++
	s.Points += n - r.Rank + 1
	s.Total += r.Median
	switch r.Rank {
	case 1:
		s.Gold++
	case 2:
		s.Silver++
	case 3:
		s.Bronze++
	}
}

// duels compares all pairs of models, in the order of the standings.
func duels(list []Standing, all []Result) []Duel {
	times := map[string]map[Puzzle]int64{}
	for _, r := range all {
		if r.Rank == 0 {
			continue
		}
		if times[r.Model] == nil {
			times[r.Model] = map[Puzzle]int64{}
		}
		times[r.Model][r.Puzzle] = r.Median
	}
	found := []Duel{}
	for i, a := range list {
		for _, b := range list[i+1:] {
			found = append(found, duel(a.Model, b.Model, times[a.Model], times[b.Model]))
		}
	}
	return found
}

func duel(a, b string, timesA, timesB map[Puzzle]int64) Duel {
	d := Duel{A: a, B: b}
	for p, ms := range timesA {
		other, ok := timesB[p]
		switch {
		case !ok:
		case ms < other:
			d.WinA++
		case ms > other:
			d.WinB++
		default:
			d.Ties++
		}
	}
	return d
}
