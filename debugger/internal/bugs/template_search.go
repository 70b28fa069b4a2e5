package bugs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/triptych-mcp/triptych/debugger/internal/bugs/syntax"
)

// A matched is a place that matches a template.
type matched struct {
	file        *file
	line, until int
	holes       string // what they match
}

// findTemplate finds the code that a template shows. A template without names may
// match in every file, all of which are then read again: the search ends when that
// takes as long as reading a tree may.
func (s *search) findTemplate(ctx context.Context) (*Report, error) {
	class := cmp.Or(s.request.Class, Logic)
	s.found = Diagnosis{Class: class, Title: "Matching code", Reason: "code that matches a pattern is asked for"}
	parts := make([]findings, s.finder.config.Workers)
	limited, cancel := context.WithTimeoutCause(ctx, s.finder.config.MaxScan, errEnough)
	defer cancel()
	group, limited := errgroup.WithContext(limited)
	for w := range parts {
		group.Go(func() error {
			sequences := map[*syntax.Language]*wanted{}
			for i := w; i < len(s.view.files); i += len(parts) {
				if err := s.matches(limited, s.view.files[i], sequences, &parts[w]); err != nil {
					return err
				}
				parts[w].files++
				parts[w].lines += s.view.files[i].lines
			}
			return nil
		})
	}
	if err := group.Wait(); ctx.Err() != nil || err != nil && !errors.Is(context.Cause(limited), errEnough) {
		return nil, cmp.Or(ctx.Err(), err)
	}
	var all findings
	for _, p := range parts {
		all.own = append(all.own, p.own...)
		all.secondary = append(all.secondary, p.secondary...)
		all.more += p.more
		all.cut += p.cut
		all.files += p.files
		all.lines += p.lines
	}
	return s.templateReport(all), nil
}

// findings collects what a goroutine finds.
type findings struct {
	own       []matched // in the project's own code
	secondary []matched // in tests, examples and the like
	more      int       // places that were not kept
	cut       int       // files of which a part was searched
	files     int       // files that were searched
	lines     int       // in them
}

// add adds a place in a file, unless there are as many as are shown. Files are
// searched in the order in which they are shown.
func (f *findings) add(c *code, w *wanted, m matched, limit int) {
	places := &f.own
	if isSecondary(m.file.path) {
		places = &f.secondary
	}
	if len(*places) >= limit {
		f.more++
		return
	}
	m.holes = c.bound(w.holes)
	*places = append(*places, m)
}

// templateFuel is the number of steps for each token of a file after which the
// search of the file ends.
const templateFuel = 60

// A wanted is a template in a language, with the ids of the names that a file
// must contain. It is nil if no file of the tree does.
type wanted struct {
	*compiledTemplate
	ids []uint32
}

// matches appends the places in a file that match the template.
func (s *search) matches(ctx context.Context, f *file, sequences map[*syntax.Language]*wanted, to *findings) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	w, ok := sequences[f.lang]
	if !ok {
		w = s.wanted(ctx, f.lang)
		sequences[f.lang] = w
	}
	if w == nil || !f.hasNames(w.ids) {
		return ctx.Err() // which may be why it is nil
	}
	tokens, err := syntax.Lex(ctx, f.lang, s.text(f))
	if err != nil {
		return err
	}
	c := newCode(f.lang, tokens)
	c.fuel = templateFuel * (len(tokens) + 100)
	last := 0
	for i := 0; i < len(tokens) && c.fuel >= 0; i++ {
		line := int(tokens[i].Line)
		if end := w.find(c, i); end > i && line > last {
			to.add(c, w, matched{file: f, line: line, until: int(tokens[end-1].Line)}, s.limit)
			last = line
		}
	}
	if c.fuel < 0 {
		to.cut++
	}
	return ctx.Err()
}

// wanted returns the template in a language, or nil if no file can match it.
func (s *search) wanted(ctx context.Context, lang *syntax.Language) *wanted {
	compiled, err := s.request.Template.compile(ctx, lang)
	if err != nil {
		return nil // it is no code of this language
	}
	ids, ok := s.view.names.known(compiled.names)
	if !ok {
		return nil
	}
	return &wanted{compiled, ids}
}

// hasNames reports whether a file contains all names with these ids, which are
// sorted.
func (f *file) hasNames(ids []uint32) bool {
	seen := make([]bool, len(ids))
	left := len(ids)
	for _, id := range f.stream.names {
		if left == 0 {
			return true
		}
		if i, ok := slices.BinarySearch(ids, id); ok && !seen[i] {
			seen[i] = true
			left--
		}
	}
	return left == 0
}

// bound describes what the holes match.
func (c *code) bound(holes variables) string {
	var all []string
	for slot, name := range holes {
		b := c.bindings[slot]
		var text strings.Builder
		for _, t := range c.tokens[b.begin:b.end] {
			text.WriteString(t.Text)
		}
		all = append(all, fmt.Sprintf("$%s is %s", name, narrow(text.String())))
	}
	return strings.Join(all, ", ")
}

// templateReport returns the report of matches: the project's own code first.
func (s *search) templateReport(all findings) *Report {
	for _, places := range [][]matched{all.own, all.secondary} {
		slices.SortFunc(places, func(a, b matched) int {
			return cmp.Or(strings.Compare(a.file.path, b.file.path), cmp.Compare(a.line, b.line))
		})
	}
	found := slices.Concat(all.own, all.secondary)
	r := s.report(nil)
	shown := min(len(found), s.limit)
	r.More = all.more + len(found) - shown
	r.LeftOut += all.cut
	r.Complete = r.Complete && all.files == r.Files
	r.Files, r.Lines = all.files, all.lines
	for _, m := range found[:shown] {
		c := candidate{file: m.file, line: m.line}
		f := s.describe(c, s.text(m.file))
		f.Confidence, f.Reason = 100, "it matches the pattern"
		if m.until > m.line {
			f.Reason += fmt.Sprintf(" up to line %d", m.until)
		}
		if m.holes != "" {
			f.Reason += "; " + m.holes
		}
		r.Findings = append(r.Findings, f)
	}
	return r
}
