package bugs

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/bugs/syntax"
)

// maxHunks limits the hunks of a patch that are searched for: a patch that
// changes everything is not a fix.
const maxHunks = 20

// A change is a hunk located in the tree.
type change struct {
	Hunk
	removed, added *file // the lines of each side
}

// findPatch searches for code that contains what the hunks of a patch remove and
// lacks what they add.
func (f *Finder) findPatch(ctx context.Context, base search) (*Report, error) {
	base.found = Diagnosis{Class: Logic, Title: Kind("").Title(), Reason: "code with what the patch removes, and without what it adds, is asked for"}
	var alike [][]candidate // by change
	var unguarded []candidate
	for _, h := range base.sources() {
		s := base
		s.request.Site = Site{File: h.File, Line: h.focus}
		s.change = &change{Hunk: h}
		all, err := s.compared(ctx)
		if err != nil {
			return nil, err
		}
		for i := range all {
			all[i].search = &s
		}
		best := s.best(all)
		slices.SortStableFunc(best, func(a, b candidate) int { return cmp.Compare(b.rank, a.rank) })
		alike = append(alike, best)
		unguarded = append(unguarded, s.unguarded(all)...)
	}
	slices.SortStableFunc(unguarded, func(a, b candidate) int { return cmp.Or(cmp.Compare(b.lacks, a.lacks), cmp.Compare(b.rank, a.rank)) })
	kept := base.keep(nil, inTurn(alike), base.limit)
	return base.report(base.keep(kept, unguarded, min(base.limit, len(kept)+unguardedPlaces))), nil
}

// unguardedPlaces is the number of places that are found for a call without the guard that a
// patch adds, whatever else they have in common with its place. They fill what is left of
// the limit: before others, they cost more places of known fixes than they found.
const unguardedPlaces = 2

// inTurn returns the first of each list, then the second of each, and so on: ranks of
// different places cannot be compared.
func inTurn(lists [][]candidate) []candidate {
	var all []candidate
	for i, more := 0, true; more; i++ {
		more = false
		for _, l := range lists {
			if i < len(l) {
				all, more = append(all, l[i]), true
			}
		}
	}
	return all
}

// keep appends candidates to kept, each place once and none that the patch changes, until
// there are n.
func (s *search) keep(kept, all []candidate, n int) []candidate {
	for _, c := range all {
		if len(kept) < n && !s.patched(c) && !slices.ContainsFunc(kept, c.same) {
			kept = append(kept, c)
		}
	}
	return kept
}

// adds reports whether the change may add a guard: it adds more lines than it removes.
func (c *change) adds() bool {
	return strings.Count(c.Hunk.added, "\n") > strings.Count(c.Hunk.removed, "\n")
}

// unguarded returns the candidates with a call that lacks the guard which the change adds.
func (s *search) unguarded(all []candidate) []candidate {
	if !s.change.adds() {
		return nil
	}
	var found []candidate
	for _, c := range all {
		if c.lacks >= strongLack && !s.isSite(c) {
			c.unguarded = true
			found = append(found, c)
		}
	}
	return found
}

// sources returns at most maxHunks hunks of source files, preferring the project's own
// code, and in it small changes: a fix that was forgotten elsewhere is one.
func (s *search) sources() []Hunk {
	var own, large, aside []Hunk
	for _, h := range s.request.Patch {
		switch {
		case syntax.LanguageOf(h.File) == nil:
		case isSecondary(h.File):
			aside = append(aside, h)
		case h.small():
			own = append(own, h)
		default:
			large = append(large, h)
		}
	}
	for _, hunks := range [][]Hunk{own, large, aside} {
		if len(hunks) > 0 {
			return hunks[:min(len(hunks), maxHunks)]
		}
	}
	return nil
}

// A small change has at most smallLines lines that are not blank, and fewWords words.
const (
	smallLines = 8
	fewWords   = 4
)

// small reports whether h changes a few lines, and more than a brace or a number in them.
func (h Hunk) small() bool {
	text := h.removed + h.added
	lines := strings.Count(blankLines.ReplaceAllString(text, ""), "\n")
	seen := map[string]bool{}
	for _, w := range words.FindAllString(text, -1) {
		seen[w] = true
	}
	return lines <= smallLines && len(seen) >= fewWords
}

var (
	blankLines = regexp.MustCompile(`(?m)^\s*\n`)
	words      = regexp.MustCompile(`\w+|[^\s\w(){}\[\],;]+`) // names, numbers, operators
)

// patched reports whether a candidate is a place that the patch itself changes.
// If the patch has been applied, the lines after it have moved.
func (s *search) patched(c candidate) bool {
	return slices.ContainsFunc(s.request.Patch, func(h Hunk) bool {
		moved := strings.Count(h.added, "\n")
		return h.File == c.file.path && c.line >= h.Line-2*windowReach && c.line <= h.Last+moved+2*windowReach
	})
}

// prepareChange sets the site's file to the file before the change: as it is in
// the tree, or with the change undone. If the tree contains neither form, only
// the lines of the hunk are known.
func (s *search) prepareChange(ctx context.Context) error {
	c := s.change
	lang := syntax.LanguageOf(c.File)
	text, name := c.old, ""
	s.request.Site.Line = c.focus
	if real := s.byPath(c.File); real != nil {
		whole := s.text(real)
		if before, ok := undo(whole, c.Hunk); ok {
			text, name = whole[:before]+c.old+strings.TrimPrefix(whole[before:], c.fresh), real.path
			if strings.HasPrefix(whole[before:], c.old) {
				text = whole
			}
			s.request.Site.Line = strings.Count(whole[:before], "\n") + c.focus
		}
	}
	home, err := s.finder.analyst.analyse(ctx, s.view.names, listed{path: name, lang: lang}, text)
	if err != nil {
		return err
	}
	s.siteFile = home
	s.focus()
	if c.removed, err = s.side(ctx, lang, c.Hunk.removed); err != nil {
		return err
	}
	c.added, err = s.side(ctx, lang, c.Hunk.added)
	return err
}

// undo returns the line of a text at which the lines of a hunk are, before or
// after its change, nearest to the line in the hunk.
func undo(text string, h Hunk) (at int, ok bool) {
	nearest := 0
	for _, form := range []string{h.old, h.fresh} {
		for from := 0; form != ""; {
			i := strings.Index(text[from:], form)
			if i < 0 {
				break
			}
			i += from
			from = i + 1
			away := distance(1+strings.Count(text[:i], "\n"), h.Line-h.focus+1)
			if (i == 0 || text[i-1] == '\n') && (!ok || away < nearest) {
				at, nearest, ok = i, away, true
			}
		}
		if ok {
			break
		}
	}
	return at, ok
}

// side returns the lines of one side of a change as a file.
func (s *search) side(ctx context.Context, lang *syntax.Language, text string) (*file, error) {
	return s.finder.analyst.analyse(ctx, s.view.names, listed{lang: lang}, text)
}

// changeSlack is the number of lines before and after a place within which its
// own form of a change may lie.
const changeSlack = 3

// window returns the first and the last line at which a place may have the lines
// of the change.
func (c *change) window(line int) (from, to int) {
	around := strings.Count(c.old, "\n")
	return max(1, line-c.focus-changeSlack), line + around - c.focus + strings.Count(c.Hunk.added, "\n") + changeSlack
}

// lines returns the significant lines of one side of the change. It omits added
// lines that resemble removed ones: a place that the fix missed has most of their
// tokens.
func (s *search) lines(side *file) (all []bag) {
	for l := range len(side.stream.starts) {
		wanted := s.lineBag(side, l+1)
		changed := side == s.change.added && s.mostAlike(wanted, s.change.removed, 1, len(s.change.removed.stream.starts)) >= enoughAlike
		if wanted.sum >= fewTokens && !changed {
			all = append(all, wanted)
		}
	}
	return all
}

// fewTokens is the weight below which a line, such as a brace or an else, is
// insignificant.
const fewTokens = 0.4

// mostAlike returns the similarity of a line to the most similar one of some
// lines of a file.
func (s *search) mostAlike(wanted bag, f *file, from, to int) float64 {
	best := 0.0
	for at := from; at <= to && at <= len(f.stream.starts); at++ {
		best = max(best, wanted.common(s.lineBag(f, at)))
	}
	return best
}

// has returns the mean similarity of lines to the most similar lines at a place.
func (s *search) has(f *file, line int, lines []bag) float64 {
	from, to := s.change.window(line)
	sum := 0.0
	for _, wanted := range lines {
		sum += s.mostAlike(wanted, f, from, to)
	}
	return sum / max(1, float64(len(lines)))
}

// compareChange adds the similarity to both sides of the change to the ranks of
// the best candidates.
func (s *search) compareChange(all []candidate) {
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(b.rank, a.rank) })
	removed, added := s.lines(s.change.removed), s.lines(s.change.added)
	for i := range all {
		c := &all[i]
		if s.guard != nil {
			c.lacks, c.callee = s.guard.near(c.file, c.line)
		}
		if i >= comparedPlaces && c.lacks == 0 {
			continue
		}
		c.removed, c.added = s.has(c.file, c.line, removed), s.has(c.file, c.line, added)
		c.rank += removedWeight*c.removed + addedWeight*c.added
	}
}

// comparedPlaces is the number of candidates that are compared with the change.
const comparedPlaces = 150

// Weights of the removed and the added lines that a place contains. They are small beside
// the rank of the place: of the tuning half of bugbench's pairs, higher ones find fewer.
const (
	removedWeight = 0.5
	addedWeight   = -0.3
)

// fixedFrom is the share of the added lines above which a place counts as fixed.
const fixedFrom = 0.9

// reasonOfChange describes which parts of a patch a place contains.
func (s *search) reasonOfChange(c candidate) []string {
	var reasons []string
	if c.lacks >= strongLack && s.change.adds() {
		reasons = append(reasons, "it calls "+s.view.names.text(c.callee))
	}
	if c.removed >= enoughAlike {
		reasons = append(reasons, "it has what the patch removes")
	}
	here := map[uint32]bool{}
	from, to := s.change.window(c.line)
	for _, id := range c.file.stream.names[c.file.stream.tokenOf(from):c.file.stream.tokenOf(to+1)] {
		here[id] = true
	}
	for _, id := range s.namesBetween(s.siteFile, s.request.Site.Line-2*guardReach, s.request.Site.Line+2*guardReach) {
		here[id] = true // not new
	}
	missing := slices.Compact(slices.Sorted(slices.Values(s.change.added.stream.names)))
	missing = slices.DeleteFunc(missing, func(id uint32) bool { return id == 0 || here[id] })
	slices.SortStableFunc(missing, func(a, b uint32) int { return cmp.Compare(s.names.rarity(b), s.names.rarity(a)) })
	var names []string
	for _, id := range missing[:min(len(missing), reasonNames)] {
		names = append(names, s.view.names.text(id))
	}
	if len(names) > 0 {
		reasons = append(reasons, "it lacks what the patch adds: "+strings.Join(names, ", "))
	}
	return reasons
}
