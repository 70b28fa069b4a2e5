package bugs

import (
	"cmp"
	"slices"
)

// A weighed feature counts by itself and, if it is evidence, by the place that the
// candidate has among all of the search when they are sorted by it.
type weighed struct{ value, place float64 }

// weights parametrize a softmax over the candidates of a search, learned from the tuning
// half of the fixes of bugbench: the logarithm of the probability of the places that a
// fix changed, too, is greatest with them. Evidence counts by its place as well, since
// how much of the site's names other places have differs much between searches.
var weights = [featureCount]weighed{
	featureNames:     {0.62, 1.43},
	featureNear:      {0.39, 0.40},
	featureLine:      {1.49, 1.80},
	featureAlike:     {0.37, 0.42},
	featureLocal:     {0.19, 0.58},
	featureFile:      {1.52, 0},
	featureFolder:    {0.31, 0},
	featurePath:      {0.35, 0},
	featureFunction:  {0.82, 0},
	featureSecondary: {-0.64, 0},
}

// Two sorts of places are not among those fixes: copies with other names, whose structure
// says enough, and findings of a rule for the kind of bug that the site has.
const (
	copyFrom   = 0.7 // of the alignment
	copyWeight = 2
	riskWeight = 2
)

// placeScale is the place at which its part is half of that of the first one.
const placeScale = 5

// enoughRank is the rank from which on a place is shown for all its evidence together: at
// it, half of the first five findings are of the same fix, or would be with a longer one.
const enoughRank = 4.5

// fuse sets the ranks of all candidates of a search.
func (s *search) fuse(all []candidate) {
	if len(s.query.codes) == 0 {
		return // the risk is all there is
	}
	for feature, w := range weights {
		places := map[float64]int{}
		if w.place > 0 {
			places = placesBy(all, feature)
		}
		for i := range all {
			value := all[i].features[feature]
			all[i].rank += w.value * value
			if w.place > 0 {
				all[i].rank += w.place * placeScale / float64(placeScale+places[value])
			}
		}
	}
	for i := range all {
		c := &all[i]
		c.rank += copyWeight * max(0, c.alike-copyFrom) / (1 - copyFrom)
		c.rank += riskWeight * c.features[featureRisk]
	}
	if s.change != nil {
		s.compareChange(all)
	}
}

// placesBy returns the place of each value of a feature, from 0 on for the greatest.
func placesBy(all []candidate, feature int) map[float64]int {
	values := make([]float64, len(all))
	for i, c := range all {
		values[i] = c.features[feature]
	}
	slices.SortFunc(values, func(a, b float64) int { return cmp.Compare(b, a) })
	places := make(map[float64]int, len(values))
	for _, v := range values {
		if _, known := places[v]; !known {
			places[v] = len(places)
		}
	}
	return places
}
