package bugs

// A precision tells how many of a rule's judged matches were right.
type precision struct{ right, judged int }

// fewJudged is the number of judged matches below which a rule keeps its estimate.
const fewJudged = 3

// off reports whether r counts only on request: fewer than half of its judged matches
// are right.
func (r *rule) off() bool {
	p := measured[r.id]
	return p.judged >= fewJudged && 2*p.right < p.judged
}

// certainty returns how often a match of r is a bug, from 0 to 1: as measured if
// enough matches were judged, else by estimate. A rule that is off may be right once
// more than it was, so that none is never right.
func (r *rule) certainty() float64 {
	p := measured[r.id]
	switch {
	case r.off():
		return float64(p.right+1) / float64(p.judged+2)
	case p.judged >= fewJudged:
		return float64(p.right) / float64(p.judged)
	}
	return float64(r.sure) / 100
}
