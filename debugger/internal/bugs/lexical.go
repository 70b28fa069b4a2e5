package bugs

import (
	"cmp"
	"context"
	"math"
	"path"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
)

// Parameters of the comparison of names. A window is the lines around a line. It
// is scored by Okapi BM25 without length normalization, as all windows have about
// the same length.
const (
	windowReach   = 5 // lines before and after
	nearReach     = 1
	midReach      = 2
	saturation    = 1.2
	partWeight    = 0.2 // of a word within a name, relative to the whole name
	maxTerms      = 250 // of a query
	commonTerm    = 0.3 // share of all lines above which a name is too common to count
	namesAtSite   = 1.5 // weight of a name on the site's line
	namesNextLine = 1.2
)

// A lexicon scores places by the names that they share with the site.
type lexicon struct {
	terms     []term
	byTerm    map[uint32]int           // index of the term for a whole name
	lists     [][]uint8                // lists of terms
	byName    []uint16                 // by the id of a name: 1 + the index of its list, 0 for none
	whole     [windowReach + 1]float64 // scores of the site's own windows, by reach
	found     map[*file][]occurrence
	sitePath  string // path of the site's file
	secondary bool   // the site itself is in tests, generated or third-party code
	enabled   bool
}

// A term is a name, or a word of a name, in the query.
type term struct {
	id     uint32
	weight float64
	lines  int // number of lines that contain it
}

// An occurrence is a line with names of the query.
type occurrence struct {
	line  int32
	token int32
	list  uint16
}

// newLexicon returns a lexicon of the names around the site.
func (s *search) newLexicon() *lexicon {
	x := &lexicon{found: map[*file][]occurrence{}}
	if s.siteFile == nil || s.request.Site.Line <= 0 {
		return x
	}
	parts := s.view.names.snapshot()
	weights := map[uint32]float64{}
	stream := s.siteFile.stream
	for line := s.request.Site.Line - windowReach; line <= s.request.Site.Line+windowReach; line++ {
		if line < 1 {
			continue
		}
		w := lineWeight(line - s.request.Site.Line)
		for _, id := range stream.names[stream.tokenOf(line):stream.tokenOf(line+1)] {
			if id != 0 {
				weights[id] = max(weights[id], w)
			}
		}
	}
	x.number(weights, parts)
	x.sitePath = s.sitePath()
	x.secondary = isSecondary(x.sitePath)
	return x
}

func lineWeight(distance int) float64 {
	switch {
	case distance == 0:
		return namesAtSite
	case distance == 1 || distance == -1:
		return namesNextLine
	}
	return 1
}

// number assigns terms to the names and words of the query, and to every known
// name the list of its terms.
func (x *lexicon) number(weights map[uint32]float64, parts [][]uint32) {
	terms := map[uint32]uint8{}
	words := map[uint32]uint8{}
	add := func(to map[uint32]uint8, id uint32, weight float64) {
		if i, ok := to[id]; ok {
			x.terms[i].weight = max(x.terms[i].weight, weight)
		} else if len(x.terms) < maxTerms {
			to[id] = uint8(len(x.terms))
			x.terms = append(x.terms, term{id: id, weight: weight})
		}
	}
	ids := make([]uint32, 0, len(weights))
	for id := range weights {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		add(terms, id, weights[id])
	}
	for _, id := range ids {
		for _, word := range parts[id] {
			add(words, word, partWeight*weights[id])
		}
	}
	x.byName = make([]uint16, len(parts))
	x.lists = [][]uint8{nil}
	for id := range parts {
		var list []uint8
		if t, ok := terms[uint32(id)]; ok {
			list = append(list, t)
		}
		for _, word := range parts[id] {
			if t, ok := words[word]; ok {
				list = append(list, t)
			}
		}
		if len(list) > 0 && len(x.lists) < math.MaxUint16 {
			x.byName[id] = uint16(len(x.lists))
			x.lists = append(x.lists, list)
		}
	}
	x.enabled = len(x.terms) > 0
	x.byTerm = map[uint32]int{}
	for id, i := range terms {
		x.byTerm[id] = int(i)
	}
}

// scan finds the names of the query in all files of the site's language family.
func (s *search) scan(ctx context.Context, x *lexicon) error {
	if !x.enabled {
		return nil
	}
	type part struct {
		found map[*file][]occurrence
		lines []int
	}
	parts := make([]part, s.finder.config.Workers)
	group, ctx := errgroup.WithContext(ctx)
	for w := range parts {
		group.Go(func() error {
			parts[w] = part{map[*file][]occurrence{}, make([]int, len(x.terms))}
			for i := w; i < len(s.view.files) && ctx.Err() == nil; i += len(parts) {
				if f := s.view.files[i]; f.lang.Family == s.siteFile.lang.Family {
					parts[w].found[f] = x.occurrences(f, parts[w].lines)
				}
			}
			return ctx.Err()
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for _, p := range parts {
		for f, found := range p.found {
			x.found[f] = found
		}
		for i, n := range p.lines {
			x.terms[i].lines += n
		}
	}
	x.weigh(s.view.lines)
	if x.found[s.siteFile] == nil { // the file is read again, or lies outside the tree
		x.found[s.siteFile] = x.occurrences(s.siteFile, make([]int, len(x.terms)))
	}
	for _, reach := range []int{nearReach, midReach, windowReach} {
		x.whole[reach] = x.score(x.around(s.siteFile, s.request.Site.Line, reach))
	}
	return nil
}

// occurrences finds the names of the query in a file and counts their lines.
func (x *lexicon) occurrences(f *file, lines []int) []occurrence {
	var found []occurrence
	line := int32(0)
	for at, id := range f.stream.names {
		if id == 0 || int(id) >= len(x.byName) || x.byName[id] == 0 {
			continue
		}
		for int(line) < len(f.stream.starts) && int(f.stream.starts[line]) <= at {
			line++
		}
		list := x.byName[id]
		found = append(found, occurrence{line, int32(at), list})
		for _, t := range x.lists[list] {
			lines[t]++
		}
	}
	return found
}

// weigh computes the BM25 weights of the terms.
func (x *lexicon) weigh(lines int) {
	for i := range x.terms {
		t := &x.terms[i]
		n, all := float64(t.lines), float64(max(lines, t.lines))
		if n > commonTerm*all {
			t.weight = 0
			continue
		}
		t.weight *= math.Log(1 + (all-n+0.5)/(n+0.5))
	}
}

// around returns the occurrences on the lines around a line.
func (x *lexicon) around(f *file, line, reach int) []occurrence {
	found := x.found[f]
	low, _ := slices.BinarySearchFunc(found, int32(line-reach), func(o occurrence, l int32) int { return cmp.Compare(o.line, l) })
	high := low
	for high < len(found) && int(found[high].line) <= line+reach {
		high++
	}
	return found[low:high]
}

// richest returns the line that shares most with the site, among the lines around
// a line.
func (x *lexicon) richest(f *file, line int) int {
	best, most := line, 0.0
	found := x.around(f, line, windowReach)
	for low := 0; low < len(found); {
		high := low
		for high < len(found) && found[high].line == found[low].line {
			high++
		}
		score := x.score(found[low:high])
		if nearer := distance(int(found[low].line), line) < distance(best, line); score > most || score == most && nearer {
			best, most = int(found[low].line), score
		}
		low = high
	}
	return best
}

// rarest returns the ids of at most n names that the lines around a line share
// with the site, the rarest first.
func (x *lexicon) rarest(f *file, line, n int) []uint32 {
	if !x.enabled {
		return nil
	}
	var shared []term
	for _, o := range x.around(f, line, windowReach) {
		t := x.terms[x.lists[o.list][0]]
		if t.weight > 0 && !slices.ContainsFunc(shared, func(s term) bool { return s.id == t.id }) {
			shared = append(shared, t)
		}
	}
	slices.SortStableFunc(shared, func(a, b term) int { return cmp.Compare(b.weight, a.weight) })
	var ids []uint32
	for _, t := range shared[:min(n, len(shared))] {
		ids = append(ids, t.id)
	}
	return ids
}

// score returns the sum of the weights of the terms in occurrences.
func (x *lexicon) score(found []occurrence) float64 {
	var counts [maxTerms]uint8
	sum := 0.0
	for _, o := range found {
		for _, t := range x.lists[o.list] {
			counts[t]++
			n := float64(counts[t])
			sum += x.terms[t].weight * (1 + saturation) * (n/(n+saturation) - (n-1)/(n-1+saturation))
		}
	}
	return sum
}

// share returns the score of the lines around a line as a share of the site's
// own, from 0 to 1.
func (x *lexicon) share(f *file, line, reach int) float64 {
	if !x.enabled || x.whole[reach] <= 0 || x.found[f] == nil {
		return 0
	}
	return min(1, x.score(x.around(f, line, reach))/x.whole[reach])
}

// rarity returns the weight of the term of a name, or a medium weight for a name
// that is not in the query.
func (x *lexicon) rarity(id uint32) float64 {
	if i, ok := x.byTerm[id]; ok {
		return x.terms[i].weight / maxRarity
	}
	return otherRarity
}

// The rarest name of a large tree has about maxRarity, an average one about half
// of it.
const (
	maxRarity   = 14
	otherRarity = 0.5
)

// secondaryParts lists parts of the paths of tests, generated and third-party
// code.
var secondaryParts = []string{"test", "vendor/", "third_party/", "third-party/", "deps/", "node_modules/", "generated", ".pb.go", "_gen.", "bench", "example", "fuzz"}

// isSecondary reports whether a file holds tests, generated or third-party code.
func isSecondary(path string) bool {
	path = strings.ToLower(path)
	return slices.ContainsFunc(secondaryParts, func(part string) bool { return strings.Contains(path, part) })
}

// A scored is a place with the share of the site's names that its window has.
type scored struct {
	place
	score float64
}

// places returns the windows with the highest scores: of the site's own file and of
// its folder the best ones, and the best of all files, for long and for short
// windows.
func (x *lexicon) places() []place {
	var places []place
	for _, reach := range []int{windowReach, midReach} {
		var all []scored
		for f := range x.found {
			all = append(all, x.windows(f, reach)...)
		}
		slices.SortFunc(all, func(a, b scored) int {
			return cmp.Or(cmp.Compare(b.score, a.score), strings.Compare(a.file.path, b.file.path), cmp.Compare(a.line, b.line))
		})
		var taken [len(windowsOf)]int
		for _, p := range all {
			if k := x.kinship(p.file); taken[k] < maxWindows[k] {
				taken[k]++
				places = append(places, p.place)
			}
		}
	}
	return places
}

// windows returns the best windows of a file, each of other lines.
func (x *lexicon) windows(f *file, reach int) []scored {
	var best, kept []scored
	found := x.found[f]
	for i, o := range found {
		if i > 0 && found[i-1].line == o.line {
			continue
		}
		if share := x.share(f, int(o.line), reach); share >= fewNames {
			best = append(best, scored{place{file: f, at: int(o.token), line: int(o.line)}, share})
		}
	}
	slices.SortStableFunc(best, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	for _, b := range best {
		near := func(k scored) bool { return distance(k.line, b.line) <= 2*reach }
		if len(kept) < windowsOf[x.kinship(f)] && !slices.ContainsFunc(kept, near) {
			kept = append(kept, b)
		}
	}
	return kept
}

// fewNames is the share of the site's score below which a window is ignored.
const fewNames = 0.1

// The maximum numbers of windows of one file, and of all files, by their kinship.
var (
	windowsOf  = [3]int{8, 16, 60}
	maxWindows = [3]int{150, 150, 60}
)

// kinship returns 2 for the site's file, 1 for files in its folder, and 0 for
// others.
func (x *lexicon) kinship(f *file) int { return kinship(f.path, x.sitePath) }

func kinship(name, site string) int {
	switch {
	case name == site:
		return 2
	case path.Dir(name) == path.Dir(site):
		return 1
	}
	return 0
}
