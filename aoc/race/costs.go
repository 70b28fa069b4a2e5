package race

import (
	"cmp"
	"slices"
)

// Costs holds what runs have spent, failed ones included. Quantities that no run told
// are 0.
type Costs struct {
	Attempts  int     `json:"attempts"` // answers tried; a run that does not tell them has one
	TokensIn  int64   `json:"tokens_in,omitempty"`
	TokensOut int64   `json:"tokens_out,omitempty"`
	CostUSD   float64 `json:"cost_usd,omitempty"`
	// Success is the number of successful runs over that of attempts.
	Success float64 `json:"success"`
	// TokensPerStar and CostPerStar are the totals over the parts that were solved.
	TokensPerStar int64   `json:"tokens_per_star,omitempty"`
	CostPerStar   float64 `json:"cost_per_star_usd,omitempty"`

	successes int
}

func (c *Costs) add(r *Run) {
	c.Attempts += max(r.Attempts, 1)
	c.TokensIn += r.TokensIn
	c.TokensOut += r.TokensOut
	c.CostUSD += r.CostUSD
	if !r.Failed() {
		c.successes++
	}
	c.Success = float64(c.successes) / float64(c.Attempts)
}

// perStar sets what a solved part has cost.
func (c *Costs) perStar(solved int) {
	if solved > 0 {
		c.TokensPerStar = (c.TokensIn + c.TokensOut) / int64(solved)
		c.CostPerStar = c.CostUSD / float64(solved)
	}
}

// costs returns the costs of each model.
func costs(runs []Run) map[string]Costs {
	all := map[string]Costs{}
	for i := range runs {
		c := all[runs[i].Model]
		c.add(&runs[i])
		all[runs[i].Model] = c
	}
	return all
}

// An Order says what a table of standings is sorted by.
type Order string

// The orders of standings. In each, models that solved more parts come first.
const (
	ByTime     Order = "time"
	ByTimed    Order = "timed" // by the server's clock
	ByTokens   Order = "tokens"
	ByCost     Order = "cost"
	ByAttempts Order = "attempts"
)

// Orders are all orders.
var Orders = []Order{ByTime, ByTimed, ByTokens, ByCost, ByAttempts}

// quantities return the value that an order compares, of models that solved the same number of parts.
// A model that has not told a quantity comes last.
var quantities = map[Order]func(Standing) float64{
	ByTime:     func(s Standing) float64 { return float64(s.Total) },
	ByTimed:    func(s Standing) float64 { return float64(s.TimedTotal) },
	ByTokens:   func(s Standing) float64 { return float64(s.TokensIn + s.TokensOut) },
	ByCost:     func(s Standing) float64 { return s.CostUSD },
	ByAttempts: func(s Standing) float64 { return float64(s.Attempts) },
}

// Sorted returns the standings in an order, ranked by it.
func (r *Race) Sorted(order Order) []Standing {
	quantity := quantities[order]
	if order == ByTime || quantity == nil {
		return r.Standings
	}
	compare := func(a, b Standing) int {
		x, y := quantity(a), quantity(b)
		return cmp.Or(
			cmp.Compare(b.Solved-b.Unverified, a.Solved-a.Unverified),
			cmp.Compare(b.Solved, a.Solved),
			compareBools(x == 0, y == 0), cmp.Compare(x, y),
		)
	}
	list := slices.Clone(r.Standings)
	slices.SortStableFunc(list, compare)
	for i := range list {
		list[i].Rank, list[i].Tied = i+1, false
		if i > 0 && compare(list[i], list[i-1]) == 0 {
			list[i].Rank, list[i].Tied, list[i-1].Tied = list[i-1].Rank, true, true
		}
	}
	return list
}

// A LanguageResult sums up the runs of a language.
type LanguageResult struct {
	Language string `json:"language"` // "" if it was not told
	Models   int    `json:"models"`
	Runs     int    `json:"runs"`
	Failures int    `json:"failures"`
	Median   int64  `json:"median_ms"` // of the successful runs; 0 if there is none
	Costs
}

// Languages returns the results of runs by language, the one with most runs first.
func Languages(kind Kind, runs []Run) []LanguageResult {
	all := map[string]*LanguageResult{}
	times, models := map[string][]int64{}, map[string]map[string]bool{}
	for i := range runs {
		run := &runs[i]
		if run.Kind != kind {
			continue
		}
		l := all[run.Language]
		if l == nil {
			l = &LanguageResult{Language: run.Language}
			all[run.Language], models[run.Language] = l, map[string]bool{}
		}
		l.Runs++
		l.add(run)
		models[run.Language][run.Model] = true
		if run.Failed() {
			l.Failures++
		} else {
			times[run.Language] = append(times[run.Language], run.MS)
		}
	}
	list := make([]LanguageResult, 0, len(all))
	for name, l := range all {
		l.Models = len(models[name])
		if found := times[name]; len(found) > 0 {
			slices.Sort(found)
			l.Median = median(found)
		}
		list = append(list, *l)
	}
	slices.SortFunc(list, func(a, b LanguageResult) int {
		return cmp.Or(cmp.Compare(b.Runs, a.Runs), cmp.Compare(a.Language, b.Language))
	})
	return list
}
