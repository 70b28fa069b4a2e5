package bugs

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// A guard describes what a change adds around calls: a check, a release, a limit. A place
// that calls the same functions, or functions whose names have the same words, and lacks
// what was added, may lack it by mistake.
type guard struct {
	fresh   []uint32            // names that the change adds and its place does not have
	callees map[uint32]float64  // functions that are called around the change, with their weights
	sites   map[*file][]useSite // calls of these functions, and of their kind, in the tree
	places  []place             // the most valuable ones, to be compared
}

// A useSite is a call of a function that a change guards.
type useSite struct {
	token  int
	line   int
	callee uint32
	value  float64 // how rare and how near to the change the function is
	lacks  bool    // what the change adds is not there
}

// Parameters of the search for calls.
const (
	guardReach   = 4   // lines before and after the change whose calls count
	linkedValue  = 2.0 // weight of a call that has a value of the added lines in its line, wherever; others have 1 or less
	fewKin       = 0.4 // share of the words of a name from which functions are of a kind
	kinWeight    = 0.8
	commonCallee = 2000 // calls beyond which a function says nothing
	guardScope   = 30   // lines of a function before and after a call in which its guard may be
	maxUseSites  = 1000
	maxUsePlaces = 200 // of these, the ones that are compared whatever names they share
	strongLack   = 1.0 // value of a call without the guard from which it is shown
)

// newGuard returns the guard of the change, nil if the change adds nothing or nothing is
// called around it.
func (s *search) newGuard() *guard {
	if len(s.change.added.stream.codes) == 0 {
		return nil
	}
	g := &guard{sites: map[*file][]useSite{}}
	known := map[uint32]bool{}
	first, last := s.request.Site.Line, s.request.Site.Line+s.change.Last-s.change.Line
	for _, id := range s.namesBetween(s.siteFile, first-2*guardReach, last+2*guardReach) {
		known[id] = true
	}
	linked := map[uint32]bool{}
	for _, id := range s.change.added.stream.names {
		switch {
		case id == 0:
		case known[id]:
			linked[id] = true
		case !slices.Contains(g.fresh, id):
			g.fresh = append(g.fresh, id)
		}
	}
	g.callees = s.calleesAround(first, last, linked)
	if len(g.callees) == 0 {
		return nil
	}
	s.findUses(g)
	return g
}

// namesBetween returns the names on lines of a file.
func (s *search) namesBetween(f *file, from, to int) []uint32 {
	return f.stream.names[f.stream.tokenOf(max(1, from)):f.stream.tokenOf(max(1, to+1))]
}

// calleesAround returns the functions that are called around lines of the site's file.
func (s *search) calleesAround(first, last int, linked map[uint32]bool) map[uint32]float64 {
	callees := map[uint32]float64{}
	for _, token := range s.siteFile.calls {
		line := s.siteFile.stream.line(int(token))
		away := max(0, first-line, line-last)
		if away > guardReach {
			continue
		}
		weight := 1 / (1 + float64(away)/2)
		if slices.ContainsFunc(s.namesBetween(s.siteFile, line, line), func(id uint32) bool { return linked[id] }) {
			weight = linkedValue
		}
		id := s.siteFile.stream.names[token]
		callees[id] = max(callees[id], weight)
	}
	return callees
}

// A use is a call of a function that a change guards, in its file.
type use struct {
	file *file
	useSite
}

// findUses finds the calls of the functions, and of functions of their kind.
func (s *search) findUses(g *guard) {
	counts := map[uint32]int{}
	s.eachCall(func(_ *file, _ int, callee uint32) { counts[callee]++ })
	values := s.kin(g.callees, counts)
	var all []use
	s.eachCall(func(f *file, token int, callee uint32) {
		if v := values[callee]; v > 0 {
			line := f.stream.line(token)
			all = append(all, use{f, useSite{token, line, callee, v, s.lacksGuard(g, f, token, line)}})
		}
	})
	slices.SortStableFunc(all, func(a, b use) int {
		return cmp.Or(cmp.Compare(b.worth(), a.worth()), cmp.Compare(kinship(b.file.path, s.sitePath()), kinship(a.file.path, s.sitePath())),
			strings.Compare(a.file.path, b.file.path), cmp.Compare(a.token, b.token))
	})
	for i, u := range all[:min(len(all), maxUseSites)] {
		g.sites[u.file] = append(g.sites[u.file], u.useSite)
		if i < maxUsePlaces {
			g.places = append(g.places, place{file: u.file, at: u.token, line: u.line, call: true})
		}
	}
}

// eachCall calls visit for each call in the files of the site's language family.
func (s *search) eachCall(visit func(f *file, token int, callee uint32)) {
	for _, f := range s.view.files {
		if f.lang.Family != s.siteFile.lang.Family {
			continue
		}
		for _, token := range f.calls {
			visit(f, int(token), f.stream.names[token])
		}
	}
}

// worth is the value of a call for the order of calls.
func (u useSite) worth() float64 {
	if u.lacks {
		return u.value
	}
	return u.value / 4
}

// kin returns the values of functions: of those that are called around the change, and of
// those whose names have most words in common with one of them.
func (s *search) kin(callees map[uint32]float64, counts map[uint32]int) map[uint32]float64 {
	parts := s.view.names.snapshot()
	total, words := 0, map[uint32]int{}
	for id, n := range counts {
		total += n
		for _, w := range parts[id] {
			words[w]++
		}
	}
	rare := func(n int) float64 { return math.Log(1+float64(total)/float64(n+1)) / math.Log(2+float64(total)) }
	alike := func(id, callee uint32) float64 {
		if id == callee {
			return 1
		}
		if share := wordsAlike(parts[id], parts[callee], words, len(counts)); share >= fewKin {
			return kinWeight * share
		}
		return 0
	}
	values := map[uint32]float64{}
	for id, n := range counts {
		if n > commonCallee {
			continue
		}
		for callee, weight := range callees {
			values[id] = max(values[id], weight*alike(id, callee)*rare(max(n, counts[callee])))
		}
	}
	return values
}

// wordsAlike returns the weight of the words that two names share as a share of all.
func wordsAlike(a, b []uint32, counts map[uint32]int, names int) float64 {
	both, all := 0.0, 0.0
	weigh := func(w uint32) float64 { return math.Log(1 + float64(names)/float64(counts[w]+1)) }
	for _, w := range a {
		all += weigh(w)
		if slices.Contains(b, w) {
			both += weigh(w)
		}
	}
	for _, w := range b {
		if !slices.Contains(a, w) {
			all += weigh(w)
		}
	}
	if all == 0 {
		return 0
	}
	return both / all
}

// The codes of tokens that check a value.
var checks = map[uint16]bool{
	textCode("!"): true, textCode("=="): true, textCode("!="): true, textCode("<"): true, textCode(">"): true, textCode("<="): true,
	textCode(">="): true, textCode("not"): true, textCode("if"): true, textCode("is"): true,
}

// lacksGuard reports whether a call has nothing around it of what the change adds: most of
// the names that are new at the change are missing in the function; if there are none, no
// value of the call's line is checked near it.
func (s *search) lacksGuard(g *guard, f *file, token, line int) bool {
	if len(g.fresh) == 0 {
		return !s.checked(f, line)
	}
	begin, end := f.stream.tokenOf(max(1, line-guardScope)), f.stream.tokenOf(line+guardScope)
	if fn, ok := f.functionOf(token); ok {
		begin, end = max(begin, int(fn.begin)), min(end, int(fn.end))
	}
	here := f.stream.names[begin:max(begin, end)]
	missing := 0
	for _, id := range g.fresh {
		if !slices.Contains(here, id) {
			missing++
		}
	}
	return 2*missing > len(g.fresh)
}

// checked reports whether a value of a line is checked on the lines around it.
func (s *search) checked(f *file, line int) bool {
	values := s.namesBetween(f, line, line)
	is := func(id uint32) bool { return id != 0 && slices.Contains(values, id) }
	for at := f.stream.tokenOf(max(1, line-guardReach)); at+1 < f.stream.tokenOf(line+2*guardReach); at++ {
		if checks[f.stream.codes[at]] && is(f.stream.names[at+1]) || is(f.stream.names[at]) && checks[f.stream.codes[at+1]] {
			return true
		}
	}
	return false
}

// near returns the greatest value of the calls near a line that lack the guard, and what is
// called there.
func (g *guard) near(f *file, line int) (lacks float64, callee uint32) {
	for _, u := range g.sites[f] {
		if u.lacks && u.value > lacks && distance(u.line, line) <= guardReach {
			lacks, callee = u.value, u.callee
		}
	}
	return lacks, callee
}
