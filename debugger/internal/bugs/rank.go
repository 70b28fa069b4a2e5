package bugs

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
)

// Thresholds for showing a place.
const (
	enoughAlike = 0.6  // similarity of code without a known risk
	enoughNames = 0.3  // share of names that is given as a reason
	enoughSure  = 0.45 // score of a risk together with its similarity
)

// A candidate is a place that has been compared.
type candidate struct {
	file       *file
	line       int
	begin, end int // the tokens that correspond to the query; empty if none do
	alike      float64
	names      float64 // share of the site's names that the lines around it have
	risk       *risk
	features   features
	score      float64 // how certain the finding is; shown to users
	rank       float64 // sort key

	removed, added float64 // share of the lines of each side of a patch that it contains
	lacks          float64 // value of a call there that a patch guards, and that lacks its guard
	callee         uint32  // the function that it calls
	unguarded      bool    // found for that call
	search         *search // the search of the hunk that found it
}

// weighAll compares places, on all workers.
func (s *search) weighAll(ctx context.Context, near []place) ([]candidate, error) {
	parts := make([][]candidate, s.finder.config.Workers)
	group, ctx := errgroup.WithContext(ctx)
	for w := range parts {
		group.Go(func() error {
			var a aligner
			for i := w; i < len(near) && ctx.Err() == nil; i += len(parts) {
				parts[w] = s.weigh(&a, parts[w], near[i])
			}
			return ctx.Err()
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return slices.Concat(parts...), nil
}

// weigh appends the candidates at a place.
func (s *search) weigh(a *aligner, to []candidate, p place) []candidate {
	switch {
	case p.risk != nil:
		return append(to, s.weighRisk(a, p))
	case p.line > 0:
		return append(to, s.weighNames(a, p))
	}
	reach := len(s.query.codes) + windowTokens/2
	return s.weighCode(a, to, p.file, p.at-reach, p.at+reach, 2)
}

// weighRisk returns the candidate for a risk, with the code around it.
func (s *search) weighRisk(a *aligner, p place) candidate {
	c := candidate{file: p.file, line: int(p.risk.line), risk: p.risk}
	if len(s.query.codes) > 0 && s.siteFile.lang.Family == p.file.lang.Family {
		reach := len(s.query.codes)
		found := a.align(s.query, p.file.stream, p.at-reach, p.at+reach)
		if found.begin <= p.at && p.at < found.end && !s.covers(p.file, found) {
			c.alike, c.begin, c.end = found.similarity, found.begin, found.end
		}
	}
	s.judge(a, &c)
	return c
}

// weighNames returns the candidate for a place that shares names with the site.
func (s *search) weighNames(a *aligner, p place) candidate {
	c := candidate{file: p.file, line: p.line}
	if !p.call {
		c.line = s.names.richest(p.file, p.line)
	}
	reach := len(s.query.codes)/2 + windowTokens/2
	found := a.align(s.query, p.file.stream, p.at-reach, p.at+reach)
	if found.begin <= p.at && p.at < found.end && !s.covers(p.file, found) {
		c.alike, c.begin, c.end, c.risk = found.similarity, found.begin, found.end, s.riskIn(p.file, found)
		if at := p.file.stream.line(found.at); c.alike >= enoughAlike {
			c.line = at
		}
	}
	s.judge(a, &c)
	return c
}

// covers reports whether an alignment is of the query with itself, which is no
// evidence for a risk near the site.
func (s *search) covers(f *file, found alignment) bool {
	at := s.begin + s.query.focus
	return f.path == s.siteFile.path && found.begin <= at && at < found.end
}

// weighCode appends the candidates between two tokens: the most similar part, and
// those in the rest before and after it.
func (s *search) weighCode(a *aligner, to []candidate, f *file, low, high, depth int) []candidate {
	found := a.align(s.query, f.stream, low, high)
	if found.similarity == 0 {
		return to
	}
	c := candidate{
		file: f, line: f.stream.line(found.at), begin: found.begin, end: found.end,
		alike: found.similarity, risk: s.riskIn(f, found),
	}
	s.judge(a, &c)
	to = append(to, c)
	if depth > 0 && found.begin-low >= windowTokens {
		to = s.weighCode(a, to, f, low, found.begin, depth-1)
	}
	if depth > 0 && high-found.end >= windowTokens {
		to = s.weighCode(a, to, f, found.end, high, depth-1)
	}
	return to
}

// riskIn returns the most plausible risk in a similar part of a file, nearest to
// the counterpart of the site.
func (s *search) riskIn(f *file, found alignment) *risk {
	var best *risk
	for i := range f.risks {
		r := &f.risks[i]
		if int(r.at) < found.begin || int(r.at) >= found.end || s.plausible(r.rule) == 0 {
			continue
		}
		if best == nil || s.plausible(r.rule) > s.plausible(best.rule) ||
			s.plausible(r.rule) == s.plausible(best.rule) &&
				distance(int(r.at), found.at) < distance(int(best.at), found.at) {
			best = r
		}
	}
	return best
}

// judge sets the features and the score of a candidate. The score is the
// similarity of the code; a risk adds half of what is missing to 1, and shared
// names are a lower bound. Without code to compare with, the risk alone counts.
func (s *search) judge(a *aligner, c *candidate) {
	c.features = s.measure(a, c)
	risk := 0.0
	if c.risk != nil {
		risk = s.plausible(c.risk.rule)
	}
	if len(s.query.codes) == 0 {
		c.score, c.rank = risk, risk
		return
	}
	c.names = c.features[featureNames]
	code := c.alike + (1-c.alike)*risk/2
	c.score = max(code, c.names, c.features[featureLine]*lineSure)
}

// lineSure is the score of a place whose line has all tokens of the site's line,
// and whose other lines have nothing in common.
const lineSure = 0.8

// best sorts candidates and returns those to be shown, each place once.
func (s *search) best(all []candidate) []candidate {
	s.fuse(all)
	if s.change != nil {
		s.compareChange(all)
	}
	slices.SortStableFunc(all, func(a, b candidate) int {
		return cmp.Or(
			cmp.Compare(b.rank, a.rank),
			strings.Compare(a.file.path, b.file.path),
			cmp.Compare(a.line, b.line))
	})
	var kept []candidate
	for _, c := range all {
		if len(kept) == s.limit {
			break
		}
		if !s.isShown(c) || s.isSite(c) {
			continue
		}
		if c.line = s.counterpart(c); !s.isSite(c) && !slices.ContainsFunc(kept, c.same) {
			kept = append(kept, c)
		}
	}
	return kept
}

// isShown reports whether c is to be shown.
func (s *search) isShown(c candidate) bool {
	if c.added >= fixedFrom {
		return false // the patch, or a similar one, has been applied there
	}
	return c.alike >= enoughAlike || s.confidence(c) >= possibleFrom || c.risk != nil && c.score >= enoughSure
}

// isSite reports whether c is the site itself.
func (s *search) isSite(c candidate) bool {
	if s.siteFile == nil || c.file.path != s.siteFile.path {
		return false
	}
	at := s.begin + s.query.focus
	near := windowReach
	switch {
	case c.risk != nil:
		near = 2
	case c.alike == 0:
		near = 2 * windowReach // its lines belong to the site
	}
	return distance(c.line, s.request.Site.Line) <= near || c.begin <= at && at < c.end
}

// same reports whether two candidates are the same place. The site's file may be there
// twice, as it is in the tree and without a change.
func (c candidate) same(other candidate) bool {
	if c.file.path != other.file.path {
		return false
	}
	near := windowReach
	if c.risk != nil && other.risk != nil {
		near = 2
	}
	if distance(c.line, other.line) <= near {
		return true
	}
	common := min(c.end, other.end) - max(c.begin, other.begin)
	return 2*common > min(c.end-c.begin, other.end-other.begin)
}

// percent returns a share in per cent. Only identical code has 100.
func percent(part float64) int {
	if part >= 1-1e-6 {
		return 100
	}
	return min(99, int(math.Round(100*part)))
}
