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

	successes           int
	tokenRuns, costRuns int // runs that told them
}

func (c *Costs) add(r *Run) {
	c.Attempts += max(r.Attempts, 1)
	if r.TokensIn != nil || r.TokensOut != nil {
		c.TokensIn += valueOf(r.TokensIn)
		c.TokensOut += valueOf(r.TokensOut)
		c.tokenRuns++
	}
	if r.CostUSD != nil {
		c.CostUSD += *r.CostUSD
		c.costRuns++
	}
	if !r.Failed() {
		c.successes++
	}
	c.Success = float64(c.successes) / float64(c.Attempts)
}

func valueOf[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
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

// comparisons compare standings of models that solved the same number of parts. A model
// that told a quantity for some of its runs comes behind those that told it for all, and
// one that told nothing comes last.
var comparisons = map[Order]func(a, b Standing) int{
	ByTimed: func(a, b Standing) int {
		return cmp.Or(cmp.Compare(b.TimedParts, a.TimedParts), cmp.Compare(a.TimedTotal, b.TimedTotal))
	},
	ByTokens: func(a, b Standing) int {
		return cmp.Or(cmp.Compare(a.untold(a.tokenRuns), b.untold(b.tokenRuns)), cmp.Compare(a.TokensIn+a.TokensOut, b.TokensIn+b.TokensOut))
	},
	ByCost: func(a, b Standing) int {
		return cmp.Or(cmp.Compare(a.untold(a.costRuns), b.untold(b.costRuns)), cmp.Compare(a.CostUSD, b.CostUSD))
	},
	ByAttempts: func(a, b Standing) int { return cmp.Compare(a.Attempts, b.Attempts) },
}

// untold returns 0 if all runs told a quantity, 1 if some did, and 2 if none did.
func (s Standing) untold(told int) int {
	switch told {
	case s.Runs:
		return 0
	case 0:
		return 2
	}
	return 1
}

// Sorted returns the standings in an order, ranked by it.
func (r *Race) Sorted(order Order) []Standing {
	compare := comparisons[order]
	if compare == nil {
		return r.Standings
	}
	return rankBy(slices.Clone(r.Standings), compare)
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
		l.Median = Median(times[name])
		list = append(list, *l)
	}
	slices.SortFunc(list, func(a, b LanguageResult) int {
		return cmp.Or(cmp.Compare(b.Runs, a.Runs), cmp.Compare(a.Language, b.Language))
	})
	return list
}
