package bugs

import (
	"cmp"
	"slices"
)

// A weighed holds the weights of a feature: of its value and, if it is evidence,
// of the candidate's position when all candidates of the search are sorted by it.
type weighed struct{ value, place float64 }

// weights holds the parameters of a softmax over the candidates of a search. They
// were learned from the tuning half of the fixes of bugbench and maximize the
// log-likelihood of the places that a fix also changed; bugbench learn learns such
// weights anew. Positions count besides values, since the share of the site's names
// that other places have differs widely between searches.
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

// These fixes lack two sorts of places: copies with renamed identifiers, for
// which the structure suffices, and risks of the site's kind of bug.
const (
	copyFrom   = 0.7 // of the similarity
	copyWeight = 2
	riskWeight = 2
)

// placeScale is the position whose weight is half that of the first position.
const placeScale = 5

// byPosition returns what a position counts, from 1 for the first one to 0.
func byPosition(position int) float64 { return placeScale / float64(placeScale+position) }

// fuse sets the ranks of all candidates.
func (s *search) fuse(all []candidate) {
	if len(s.query.codes) == 0 {
		return // the risk is the only evidence
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
				all[i].rank += w.place * byPosition(places[value])
			}
		}
	}
	for i := range all {
		c := &all[i]
		c.rank += copyWeight * max(0, c.alike-copyFrom) / (1 - copyFrom)
		c.rank += riskWeight * c.features[featureRisk]
	}
}

// placesBy returns the position of each value of a feature, where the greatest
// value has position 0.
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
