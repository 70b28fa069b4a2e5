package aoccmd

import (
	"cmp"
	"slices"
)

// A speed is one recorded solving time.
type speed struct {
	day, phase int
	llm        string
	ms         int64
}

// A statistic sums up the times of one LLM for one day and phase. Times are in
// milliseconds; the mean is cut to whole ones, as record_speed does.
type statistic struct {
	Day    int    `json:"day"`
	Phase  int    `json:"phase"`
	LLM    string `json:"llm"`
	Count  int    `json:"count"`
	Min    int64  `json:"min_ms"`
	Median int64  `json:"median_ms"`
	Mean   int64  `json:"mean_ms"`
	Max    int64  `json:"max_ms"`
}

// summarize groups speeds by day, phase and LLM: days and phases ascending,
// the fastest mean first.
func summarize(speeds []speed) []statistic {
	type key struct {
		day, phase int
		llm        string
	}
	groups := map[key][]int64{}
	for _, s := range speeds {
		k := key{s.day, s.phase, s.llm}
		groups[k] = append(groups[k], s.ms)
	}
	stats := make([]statistic, 0, len(groups))
	for k, times := range groups {
		s := summary(times)
		s.Day, s.Phase, s.LLM = k.day, k.phase, k.llm
		stats = append(stats, s)
	}
	slices.SortFunc(stats, func(a, b statistic) int {
		return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.Phase, b.Phase),
			cmp.Compare(a.Mean, b.Mean), cmp.Compare(a.LLM, b.LLM))
	})
	return stats
}

// summary is the numbers of a group, which is not empty.
func summary(times []int64) statistic {
	slices.Sort(times)
	n := len(times)
	middle := times[n/2]
	if n%2 == 0 {
		middle = between(times[n/2-1], middle)
	}
	return statistic{Count: n, Min: times[0], Median: middle, Mean: mean(times), Max: times[n-1]}
}

// between is the middle of two times, cut to whole milliseconds; their sum may
// be more than an int64 holds.
func between(low, high int64) int64 { return low + (high-low)/2 }

// mean is the mean of times that are not negative, cut to whole milliseconds,
// without ever holding their sum.
func mean(times []int64) int64 {
	n := int64(len(times))
	var whole, rest int64
	for _, t := range times {
		whole += t / n
		rest += t % n
	}
	return whole + rest/n
}
