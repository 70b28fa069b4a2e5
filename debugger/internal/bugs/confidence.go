package bugs

import "math"

// confidence returns how often a candidate like c is the same bug or the same risk,
// from 0 to 1. For its rank it is a logistic function, fitted to the first ten findings
// for each fix of the tuning half of bugbench. Those fixes have hardly any copies with
// other names, and no rules: for a copy the similarity counts, which is right nearly
// always from certainCopy on, and for a risk how often its rule is right.
func (s *search) confidence(c candidate) float64 {
	sure := 0.0
	if c.risk != nil {
		sure = s.plausible(c.risk.rule)
	}
	if c.alike >= certainCopy {
		sure = max(sure, c.alike)
	}
	if len(s.query.codes) == 0 {
		return sure
	}
	return max(sure, 1/(1+math.Exp(confidenceBase-confidencePerRank*c.rank)))
}

const (
	confidenceBase    = 5.47
	confidencePerRank = 0.63
	certainCopy       = 0.8 // similarity that is no accident

	possibleFrom = 0.05 // below it, one finding in thirty is right
)

// Likely is the confidence in per cent from which more than half of the findings are
// right.
const Likely = 20
