package bugs

import (
	"path"
	"strings"
)

// features holds what is known about a candidate, as numbers from 0 to 1 that
// determine its rank.
type features [featureCount]float64

// The features.
const (
	featureNames     = iota // share of the names around the site that the lines around the candidate have
	featureNear             // the same for three lines
	featureLine             // share of the tokens of the site's line that the most similar line has
	featureAlike            // similarity of the function
	featureLocal            // similarity of the statements around the site
	featureRisk             // a rule matched a risk of the site's kind
	featureFile             // in the site's file
	featureFolder           // in the site's folder
	featurePath             // share of common parent folders
	featureFunction         // in the site's function
	featureSecondary        // in tests, generated or third-party code
	featureCount
)

// localTokens is the number of tokens around the site that featureLocal compares.
const localTokens = 32

// measure returns the features of a candidate.
func (s *search) measure(a *aligner, c *candidate) features {
	var f features
	f[featureNames] = s.names.share(c.file, c.line, windowReach)
	f[featureNear] = s.names.share(c.file, c.line, nearReach)
	f[featureAlike] = c.alike
	if c.risk != nil {
		f[featureRisk] = s.plausible(c.risk.rule)
	}
	if isSecondary(c.file.path) && !s.names.secondary {
		f[featureSecondary] = 1
	}
	if s.siteFile == nil {
		return f
	}
	f[featurePath] = sharedFolders(c.file.path, s.sitePath())
	if path.Dir(c.file.path) == path.Dir(s.sitePath()) {
		f[featureFolder] = 1
	}
	if c.file.lang.Family != s.siteFile.lang.Family || len(s.query.codes) == 0 {
		return f
	}
	at := c.file.stream.tokenOf(c.line)
	focus := s.begin + s.query.focus
	if c.file.path == s.sitePath() {
		f[featureFile] = 1
	}
	if c.file.path == s.siteFile.path {
		here, ok := s.siteFile.functionOf(focus)
		if there, found := c.file.functionOf(at); ok && found && here.begin == there.begin {
			f[featureFunction] = 1
		}
	}
	f[featureLine] = s.lineAlike(c.file, c.line)
	f[featureLocal] = s.localAlike(a, c.file, at)
	return f
}

// sharedFolders returns the share of the folders of the longer path that the
// paths have in common.
func sharedFolders(a, b string) float64 {
	as, bs := strings.Split(a, "/"), strings.Split(b, "/")
	common := 0
	for common < len(as)-1 && common < len(bs)-1 && as[common] == bs[common] {
		common++
	}
	if longest := max(len(as), len(bs)) - 1; longest > 0 {
		return float64(common) / float64(longest)
	}
	return 1
}

// localAlike returns the similarity of the statements around the site and those
// around a token.
func (s *search) localAlike(a *aligner, f *file, at int) float64 {
	low := max(0, s.query.focus-localTokens/2)
	high := min(len(s.query.codes), low+localTokens)
	q := query{codes: s.query.codes[low:high], names: s.query.names[low:high], focus: s.query.focus - low}
	found := a.align(q, f.stream, at-localTokens, at+localTokens)
	if f.path == s.siteFile.path && found.begin < s.begin+high && s.begin+low < found.end {
		return 0 // the site itself
	}
	return found.similarity
}

// lineReach is the number of lines before and after a candidate's line that are
// compared with the site's line.
const lineReach = 3

// lineAlike returns the share of the tokens of the site's line that a line near a
// candidate has: names by their text, with rare ones counting more, and other
// tokens by their code.
func (s *search) lineAlike(f *file, line int) float64 {
	site := s.lineBag(s.siteFile, s.request.Site.Line)
	best := 0.0
	for l := line - lineReach; l <= line+lineReach; l++ {
		if l < 1 || f == s.siteFile && l == s.request.Site.Line {
			continue
		}
		best = max(best, site.common(s.lineBag(f, l)))
	}
	return best
}

// A bag holds the tokens of a line with their weights.
type bag struct {
	names, codes map[uint32]float64
	sum          float64
}

// symbolWeight is the weight of a token that is not a name.
const symbolWeight = 0.15

func (s *search) lineBag(f *file, line int) bag {
	b := bag{names: map[uint32]float64{}, codes: map[uint32]float64{}}
	low, high := f.stream.tokenOf(line), f.stream.tokenOf(line+1)
	for i := low; i < high; i++ {
		if id := f.stream.names[i]; id != 0 {
			w := s.names.rarity(id)
			b.names[id] += w
			b.sum += w
			continue
		}
		b.codes[uint32(f.stream.codes[i])] += symbolWeight
		b.sum += symbolWeight
	}
	return b
}

// common returns the weight of the common tokens of two lines as a share of the
// heavier line.
func (b bag) common(other bag) float64 {
	both := 0.0
	for id, w := range b.names {
		both += min(w, other.names[id])
	}
	for code, w := range b.codes {
		both += min(w, other.codes[code])
	}
	if most := max(b.sum, other.sum); most > 0 {
		return both / most
	}
	return 0
}
