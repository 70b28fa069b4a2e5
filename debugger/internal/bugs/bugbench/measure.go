package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/bugs"
)

// A measurement asks each method for the other places of fixes.
type measurement struct {
	clones string // the folder
	list   bool   // print each answer
	only   *regexp.Regexp
}

// shown is the number of findings that count.
const shown = 10

// A method answers with places, the best first.
type method struct {
	name string
	find func(ctx context.Context, tree *corpus, query place) ([]answer, error)
}

// An answer is a place that a method found.
type answer struct {
	place
	likely bool // the method is sure enough of it to have it acted on
}

// unsure makes a method of one that does not say how sure it is: all its answers count.
func unsure(find func(context.Context, *corpus, place) ([]place, error)) func(context.Context, *corpus, place) ([]answer, error) {
	return func(ctx context.Context, tree *corpus, query place) ([]answer, error) {
		found, err := find(ctx, tree, query)
		var answers []answer
		for _, p := range found {
			answers = append(answers, answer{p, true})
		}
		return answers, err
	}
}

// A score adds up the answers of one method.
type score struct {
	fixes             int
	recall, rank, top float64 // sums of recall@10, of 1/rank of the first hit, of precision@5
	sure              int     // fixes with likely answers
	sureTop           float64 // sum of the precision of the first five of these
}

func (s *score) add(found []answer, want []place) {
	s.fixes++
	hit, first := map[place]bool{}, 0
	var right, likely []bool
	for i, f := range found[:min(shown, len(found))] {
		good := false
		for _, w := range want {
			if near(f.place, w) {
				hit[w], good = true, true
			}
		}
		if good && first == 0 {
			first = i + 1
		}
		right = append(right, good)
		if f.likely {
			likely = append(likely, good)
		}
	}
	s.recall += float64(len(hit)) / float64(len(want))
	if first > 0 {
		s.rank += 1 / float64(first)
	}
	s.top += topFive(right)
	if len(likely) > 0 {
		s.sure++
		s.sureTop += topFive(likely)
	}
}

// topFive returns the share of the first five answers that are right.
func topFive(right []bool) float64 {
	n := 0
	right = right[:min(5, len(right))]
	for _, r := range right {
		if r {
			n++
		}
	}
	return float64(n) / float64(max(1, len(right)))
}

// near reports whether a finding is a place of the fix.
func near(found, want place) bool {
	return found.file == want.file && max(found.line, want.line)-min(found.line, want.line) <= apart
}

func (s score) String() string {
	n := float64(max(1, s.fixes))
	return fmt.Sprintf("%4d   %.3f      %.3f   %.3f        %.3f of %d", s.fixes, s.recall/n, s.rank/n, s.top/n,
		s.sureTop/float64(max(1, s.sure)), s.sure)
}

// run measures all methods and prints a table.
func (m *measurement) run(ctx context.Context, fixes []fix, out io.Writer) error {
	finder, err := bugs.New(bugs.Config{Workers: 1})
	if err != nil {
		return err
	}
	methods := []method{
		{"find_similar_bugs", ours(finder)},
		{"with the patch", oursWithPatch(finder)},
		{"BM25, 6 lines", unsure(bm25(6))},
		{"BM25, 20 lines", unsure(bm25(20))},
		{"grep of rare names", unsure(grepRarest)},
	}
	methods = slices.DeleteFunc(methods, func(one method) bool { return !m.only.MatchString(one.name) })
	totals := map[string]map[string]*score{} // by language and method
	for _, project := range projects(fixes) {
		if err := m.project(ctx, project, methods, totals, out); err != nil {
			return err
		}
	}
	return print(out, methods, totals)
}

// projects groups fixes by project, each in the order of the table, which is that of
// its history.
func projects(fixes []fix) [][]fix {
	var groups [][]fix
	for _, f := range fixes {
		if n := len(groups); n > 0 && groups[n-1][0].project == f.project {
			groups[n-1] = append(groups[n-1], f)
		} else {
			groups = append(groups, []fix{f})
		}
	}
	return groups
}

// project measures the fixes of one project.
func (m *measurement) project(ctx context.Context, fixes []fix, methods []method, totals map[string]map[string]*score, out io.Writer) error {
	co, err := newCheckout(ctx, openClone(filepath.Join(m.clones, fixes[0].project)))
	if err != nil {
		return err
	}
	defer co.close()
	for _, f := range fixes {
		if err := co.move(ctx, f.commit+"^"); err != nil {
			return err
		}
		tree := newCorpus(co.dir, slices.Sorted(maps.Keys(co.blobs)))
		if tree.patch, err = m.change(ctx, f); err != nil {
			return err
		}
		for _, method := range methods {
			found, err := method.find(ctx, tree, f.places[0])
			if err != nil {
				return fmt.Errorf("%s: %w", f.commit, err)
			}
			for _, row := range []string{"all", f.language} {
				if totals[row] == nil {
					totals[row] = map[string]*score{}
				}
				if totals[row][method.name] == nil {
					totals[row][method.name] = &score{}
				}
				totals[row][method.name].add(found, f.places[1:])
			}
			if m.list {
				m.answer(out, f, method.name, found)
			}
		}
	}
	return nil
}

// change returns the hunk of a fix that changes its first place, and the whole patch
// for a pair, whose other places a later fix changed.
func (m *measurement) change(ctx context.Context, f fix) ([]bugs.Hunk, error) {
	first := f.places[0]
	text, err := openClone(filepath.Join(m.clones, f.project)).git(ctx, "diff", "--no-renames", "--diff-filter=M", "-U5", f.commit+"^", f.commit)
	if err != nil {
		return nil, err
	}
	hunks, err := bugs.ParsePatch(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.commit, err)
	}
	changes := func(h bugs.Hunk) bool {
		return slices.ContainsFunc(f.places[1:], func(p place) bool { return p.file == h.File && away(h, p.line) <= apart })
	}
	if !slices.ContainsFunc(hunks, changes) {
		return hunks, nil
	}
	hunks = slices.DeleteFunc(hunks, func(h bugs.Hunk) bool { return h.File != first.file })
	slices.SortStableFunc(hunks, func(a, b bugs.Hunk) int { return away(a, first.line) - away(b, first.line) })
	return hunks[:1], nil
}

// away returns the number of lines between a hunk and a line.
func away(h bugs.Hunk, line int) int { return max(0, h.Line-line, line-h.Last) }

// answer prints what a method found for a fix.
func (m *measurement) answer(out io.Writer, f fix, name string, found []answer) {
	fmt.Fprintf(out, "%s %s %s, from %s:%d\n", f.project, f.commit[:12], name, f.places[0].file, f.places[0].line)
	for _, p := range found[:min(shown, len(found))] {
		mark := " "
		if slices.ContainsFunc(f.places[1:], func(w place) bool { return near(p.place, w) }) {
			mark = "*"
		}
		less := ""
		if !p.likely {
			less = " (less likely)"
		}
		fmt.Fprintf(out, "  %s %s%s\n", mark, p.place, less)
	}
}

func print(out io.Writer, methods []method, totals map[string]map[string]*score) error {
	for _, row := range slices.Sorted(maps.Keys(totals)) {
		fmt.Fprintf(out, "%-20s fixes  recall@10  MRR     precision@5  of likely ones\n", row)
		for _, method := range methods {
			fmt.Fprintf(out, "  %-18s %s\n", method.name, totals[row][method.name])
		}
	}
	return nil
}

// ours asks the finder about a place.
func ours(finder *bugs.Finder) func(context.Context, *corpus, place) ([]answer, error) {
	return func(ctx context.Context, tree *corpus, query place) ([]answer, error) {
		return ask(ctx, finder, bugs.Request{Path: tree.dir, Site: bugs.Site{File: query.file, Line: query.line}})
	}
}

// oursWithPatch asks the finder about the change of the place.
func oursWithPatch(finder *bugs.Finder) func(context.Context, *corpus, place) ([]answer, error) {
	return func(ctx context.Context, tree *corpus, _ place) ([]answer, error) {
		return ask(ctx, finder, bugs.Request{Path: tree.dir, Patch: tree.patch})
	}
}

func ask(ctx context.Context, finder *bugs.Finder, request bugs.Request) ([]answer, error) {
	request.Limit = shown
	report, err := finder.Find(ctx, request)
	if err != nil {
		return nil, err
	}
	var found []answer
	for _, f := range report.Findings {
		found = append(found, answer{place{strings.TrimPrefix(f.File, "./"), f.Line}, f.Confidence >= bugs.Likely})
	}
	return found, nil
}
