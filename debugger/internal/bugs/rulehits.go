package bugs

import "context"

// A RuleHit is a match of a rule.
type RuleHit struct {
	Rule string
	Kind Kind
	File string // relative to the search path
	Line int
}

// RuleHits returns the matches of all rules below a folder, by file and line. Of
// several rules of one kind on a line, it has only the most certain one.
func (f *Finder) RuleHits(ctx context.Context, path string) ([]RuleHit, error) {
	key, err := f.resolveTree(path)
	if err != nil {
		return nil, err
	}
	v, err := f.view(ctx, key, nil)
	if err != nil {
		return nil, err
	}
	var hits []RuleHit
	for _, file := range v.files {
		for _, r := range file.risks {
			hits = append(hits, RuleHit{r.rule.id, r.rule.kind, file.path, int(r.line)})
		}
	}
	return hits, nil
}
