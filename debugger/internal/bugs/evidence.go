package bugs

import "context"

// An Evidence is a place that a search compared with its site, for programs that learn
// the weights of a ranking.
type Evidence struct {
	File    string // relative to the search path
	Line    int
	Rank    float64
	Columns []float64 // what the rank is made of, in the order of EvidenceColumns
}

// evidential lists the features whose position counts, too.
var evidential = []int{featureNames, featureNear, featureLine, featureAlike, featureLocal}

// featureTitles names the features.
var featureTitles = [featureCount]string{
	"names", "near", "line", "alike", "local", "risk", "file", "folder", "path", "function", "secondary",
}

// EvidenceColumns names the columns: the values of all features, and the positions of
// some.
func EvidenceColumns() []string {
	columns := featureTitles[:]
	for _, feature := range evidential {
		columns = append(columns, featureTitles[feature]+" by position")
	}
	return columns
}

// Evidence returns all places that a search compares with the site of a request, in no
// order.
func (f *Finder) Evidence(ctx context.Context, req Request) ([]Evidence, error) {
	key, err := f.resolveTree(req.Path)
	if err != nil {
		return nil, err
	}
	v, err := f.view(ctx, key, req.Progress)
	if err != nil {
		return nil, err
	}
	s := search{finder: f, folder: key.folder, view: v, request: req}
	all, err := s.compared(ctx)
	if err != nil {
		return nil, err
	}
	s.fuse(all)
	var positions []map[float64]int
	for _, feature := range evidential {
		positions = append(positions, placesBy(all, feature))
	}
	var found []Evidence
	for _, c := range all {
		if s.isSite(c) {
			continue
		}
		columns := append([]float64(nil), c.features[:]...)
		for i, feature := range evidential {
			columns = append(columns, byPosition(positions[i][c.features[feature]]))
		}
		found = append(found, Evidence{c.file.path, c.line, c.rank, columns})
	}
	return found, nil
}
