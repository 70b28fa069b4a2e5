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

// A Kind says what the time of a run measures. Runs of different kinds are never
// compared.
type Kind string

// The kinds of runs.
const (
	// Solve is the time of a model from the instruction to the answer.
	Solve Kind = "solve"
	// Program is the time that a finished program ran.
	Program Kind = "program"
)

// A Run is one recorded attempt of a model at a puzzle.
type Run struct {
	Puzzle

	Kind  Kind
	Model string
	MS    int64 // milliseconds, as recorded by the client
	Timed int64 // milliseconds, as the server timed it; 0 if it did not
	// Correct is whether the answer was right; nil means that it was not verified.
	Correct *bool

	Language  string
	Attempts  int      // answers tried; 0 if unknown
	TokensIn  *int64   // nil if unknown, as the next two
	TokensOut *int64   //
	CostUSD   *float64 //

	CPU    int64 // milliseconds of processor time of a program; 0 if unknown
	Memory int64 // bytes of a program at most; 0 if unknown
}

// Failed reports whether the answer was wrong.
func (r *Run) Failed() bool { return r.Correct != nil && !*r.Correct }

// A Result summarizes the runs of one model on one part of a puzzle. Times are in
// milliseconds, and 0 if no run succeeded. If some runs are verified, only those count.
type Result struct {
	Puzzle

	Model      string `json:"model"`
	Runs       int    `json:"runs"`
	Failures   int    `json:"failures"`
	Unverified bool   `json:"unverified,omitempty"` // no successful run is verified
	Best       int64  `json:"best_ms"`
	Median     int64  `json:"median_ms"`
	P95        int64  `json:"p95_ms"`
	Worst      int64  `json:"worst_ms"`
	Mean       int64  `json:"-"`                         // rounded down
	Timed      int64  `json:"timed_median_ms,omitempty"` // by the server's clock; 0 if it timed no run
	CPU        int64  `json:"cpu_median_ms,omitempty"`   // processor time; 0 if unknown
	Memory     int64  `json:"peak_bytes,omitempty"`      // of all runs at most; 0 if unknown
	Rank       int    `json:"rank,omitempty"`            // 0 if no run succeeded
	Tied       bool   `json:"tied,omitempty"`            // with another model of the same rank
}

// A Standing is the overall result of a model.
type Standing struct {
	Model      string `json:"model"`
	Rank       int    `json:"rank"`
	Tied       bool   `json:"tied,omitempty"`
	Points     int    `json:"points"`
	Gold       int    `json:"gold"`
	Silver     int    `json:"silver"`
	Bronze     int    `json:"bronze"`
	Solved     int    `json:"solved"` // parts, verified or not
	Unverified int    `json:"unverified,omitempty"`
	Runs       int    `json:"runs"`
	Failures   int    `json:"failures"`
	Total      int64  `json:"total_ms"` // sum of the medians
	Costs

	TimedTotal int64 `json:"timed_total_ms,omitempty"` // sum of the medians by the server's clock
	TimedParts int   `json:"timed_parts,omitempty"`    // parts in that sum
	CPUTotal   int64 `json:"cpu_total_ms,omitempty"`   // sum of the medians of processor time
	Memory     int64 `json:"peak_bytes,omitempty"`     // of all runs at most
}

// A Duel counts the parts that both of two models solved, by the faster one.
type Duel struct {
	A    string `json:"a"`
	B    string `json:"b"`
	WinA int    `json:"a_faster"`
	WinB int    `json:"b_faster"`
	Ties int    `json:"equal"`
}

// A Race holds the statistics of a set of runs of one kind.
type Race struct {
	Kind      Kind       `json:"kind"`
	Standings []Standing `json:"standings"`         // best first
	Results   []Result   `json:"results,omitempty"` // by puzzle, then rank
	Duels     []Duel     `json:"head_to_head,omitempty"`
}

// New computes the statistics of the runs of a kind.
func New(kind Kind, runs []Run) *Race {
	runs = slices.DeleteFunc(slices.Clone(runs), func(r Run) bool { return r.Kind != kind })
	r := &Race{Kind: kind, Standings: []Standing{}, Results: results(runs), Duels: []Duel{}}
	for group := range byPuzzle(r.Results) {
		rank(group)
	}
	slices.SortStableFunc(r.Results, func(a, b Result) int {
		return cmp.Or(comparePuzzles(a.Puzzle, b.Puzzle), cmp.Compare(rankOrLast(a), rankOrLast(b)), cmp.Compare(a.Model, b.Model))
	})
	r.Standings = standings(r.Results, costs(runs))
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
	var verified, unverified samples
	for i := range runs {
		switch run := &runs[i]; {
		case run.Failed():
			r.Failures++
		case run.Correct != nil:
			verified.add(run)
		default:
			unverified.add(run)
		}
	}
	counted := verified
	if r.Unverified = len(verified.told) == 0 && len(unverified.told) > 0; r.Unverified {
		counted = unverified
	}
	if n := len(counted.told); n > 0 {
		times := counted.told
		slices.Sort(times)
		r.Best, r.Median, r.P95, r.Worst = times[0], median(times), percentile(times, 95), times[n-1]
		r.Mean = mean(times)
	}
	r.Timed, r.CPU, r.Memory = Median(counted.timed), Median(counted.cpu), counted.memory
	return r
}

// samples are the measurements of successful runs, without those that are unknown.
type samples struct {
	told, timed, cpu []int64
	memory           int64
}

func (s *samples) add(r *Run) {
	s.told = append(s.told, r.MS)
	if r.Timed > 0 {
		s.timed = append(s.timed, r.Timed)
	}
	if r.CPU > 0 {
		s.cpu = append(s.cpu, r.CPU)
	}
	s.memory = max(s.memory, r.Memory)
}

// Median sorts times and returns their median, 0 if there is none.
func Median(times []int64) int64 {
	if len(times) == 0 {
		return 0
	}
	slices.Sort(times)
	return median(times)
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

// plus adds times that are not negative; a sum that is too large is the largest time.
func plus(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// mean returns the mean of times that are not negative, rounded down. It does not hold
// their sum, which may exceed an int64.
func mean(times []int64) int64 {
	n := int64(len(times))
	var whole, rest int64
	for _, t := range times {
		whole += t / n
		rest += t % n
	}
	return whole + rest/n
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

// rank sets the ranks of the results of one puzzle: the fastest first, and verified
// ones before all others.
func rank(group []Result) {
	for i := range group {
		r := &group[i]
		if r.Runs == r.Failures {
			continue
		}
		r.Rank = 1
		for j, other := range group {
			switch order := compareResults(other, *r); {
			case i == j || other.Runs == other.Failures:
			case order < 0:
				r.Rank++
			case order == 0:
				r.Tied = true
			}
		}
	}
}

func compareResults(a, b Result) int {
	return cmp.Or(compareBools(a.Unverified, b.Unverified), cmp.Compare(a.Median, b.Median))
}

// compareBools orders false before true.
func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// standings returns the overall results, best first: by verified parts, by parts, then
// by the sum of the medians.
func standings(all []Result, spent map[string]Costs) []Standing {
	models := map[string]*Standing{}
	solvers := map[string]bool{}
	for _, r := range all {
		if models[r.Model] == nil {
			models[r.Model] = &Standing{Model: r.Model, Costs: spent[r.Model]}
		}
		if r.Rank > 0 {
			solvers[r.Model] = true
		}
	}
	for _, r := range all {
		models[r.Model].add(r, len(solvers))
	}
	list := make([]Standing, 0, len(models))
	for _, model := range slices.Sorted(maps.Keys(models)) {
		s := models[model]
		s.perStar(s.Solved)
		list = append(list, *s)
	}
	return rankBy(list, func(a, b Standing) int { return cmp.Compare(a.Total, b.Total) })
}

// rankBy sorts standings and sets their ranks: by verified parts, by parts, then by
// compare.
func rankBy(list []Standing, compare func(a, b Standing) int) []Standing {
	order := func(a, b Standing) int {
		return cmp.Or(
			cmp.Compare(b.Solved-b.Unverified, a.Solved-a.Unverified),
			cmp.Compare(b.Solved, a.Solved),
			compare(a, b),
		)
	}
	slices.SortStableFunc(list, order)
	for i := range list {
		list[i].Rank, list[i].Tied = i+1, false
		if i > 0 && order(list[i], list[i-1]) == 0 {
			list[i].Rank, list[i].Tied, list[i-1].Tied = list[i-1].Rank, true, true
		}
	}
	return list
}

// add adds a result in a race of n models that have solved something: rank 1 earns n
// points, rank 2 n-1.
func (s *Standing) add(r Result, n int) {
	s.Runs += r.Runs
	s.Failures += r.Failures
	if r.Rank == 0 {
		return
	}
	s.Solved++
	if r.Unverified {
		s.Unverified++
	}
	if r.Timed > 0 {
		s.TimedTotal, s.TimedParts = plus(s.TimedTotal, r.Timed), s.TimedParts+1
	}
	s.CPUTotal, s.Memory = plus(s.CPUTotal, r.CPU), max(s.Memory, r.Memory)
	s.Points += n - r.Rank + 1
	s.Total = plus(s.Total, r.Median)
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
