package catalog

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/triptych-mcp/triptych/rulesets/frontmatter"
	"github.com/triptych-mcp/triptych/rulesets/internal/fulltext"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
	"github.com/triptych-mcp/triptych/rulesets/selection"
)

// A candidate is a ruleset that a query may find.
type candidate struct {
	position
	entry    *entry
	score    float32
	decision selection.Decision
}

// Find returns a page of what a query finds.
func (c *Catalog) Find(ctx context.Context, q Query) (Result, error) {
	q, pattern, after, err := q.compile()
	if err != nil {
		return Result{}, err
	}
	if err := c.refresh(ctx); err != nil {
		return Result{}, err
	}
	var only map[ruleset.Name]bool
	if pattern != nil {
		if only, err = c.matching(ctx, q, pattern); err != nil {
			return Result{}, err
		}
	}
	p := page{limit: q.Skip + q.Limit + 1}
	if q.Cursor != "" {
		p.after = &after
	}
	result := c.survey(q, only, &p)
	p.best = p.best[min(q.Skip, len(p.best)):]
	if len(p.best) > q.Limit {
		p.best = p.best[:q.Limit]
		result.Next = p.best[q.Limit-1].String()
	}
	result.Hits, err = c.show(ctx, p.best, fulltext.Terms(q.Text), pattern)
	return result, err
}

// survey counts what a query finds and puts the candidates on its page. only, unless
// nil, has the names of the rulesets that a regular expression matches.
func (c *Catalog) survey(q Query, only map[ruleset.Name]bool, p *page) Result {
	c.mu.RLock()
	defer c.mu.RUnlock()
	result := Result{Of: len(c.index.all)}
	counts, months := make([]int, len(c.index.pool.names)), map[int]int{}
	c.candidatesLocked(q, func(one candidate) {
		if only != nil && !only[one.name] {
			return
		}
		result.Total++
		if one.decision.Applies {
			result.Applying++
		}
		for _, id := range one.entry.tags.ids {
			counts[id]++
		}
		if q.Months {
			year, month, _ := time.Unix(one.entry.created, 0).UTC().Date()
			months[year*12+int(month)-1]++
		}
		p.add(one)
	})
	result.Months = byMonth(months)
	result.Facets = facets(counts, c.index.pool.names)
	return result
}

// candidatesLocked calls see for what the index knows to fit a query, in no order.
func (c *Catalog) candidatesLocked(q Query, see func(candidate)) {
	decisions := map[*frontmatter.Fields]selection.Decision{}
	consider := func(e *entry, score float32) {
		if !e.tags.has(q.Tags) || q.Path == "" && !e.fields.For(q.Client) || q.Only != nil && !q.Only[e.name] || q.Due != "" && !e.dueOn(q.Due) {
			return
		}
		one := candidate{entry: e, score: score, position: position{name: e.name}}
		switch {
		case q.Path != "":
			d, known := decisions[e.fields]
			if !known {
				d = selection.Decide(e.fields, selection.Query{Path: q.Path, Client: q.Client})
				decisions[e.fields] = d
			}
			one.decision, one.rank = d, byPlace(d.Applies, e.tags.layer, e.fields.Order)
		case q.Text != "":
			one.rank = byScore(score)
		default:
			one.rank = byCreation(e.created)
		}
		see(one)
	}
	if q.Text != "" {
		c.index.words.Search(q.Text, consider)
		return
	}
	for _, e := range c.index.all {
		consider(e, 0)
	}
}

// byMonth names months, which are counted from the year 0.
func byMonth(counts map[int]int) map[string]int {
	all := map[string]int{}
	for month, n := range counts {
		all[fmt.Sprintf("%04d-%02d", month/12, month%12+1)] = n
	}
	return all
}

// facets returns the most frequent tags. counts has a number for each name.
func facets(counts []int, names []string) []Facet {
	var all []Facet
	for id, n := range counts {
		if n > 0 {
			all = append(all, Facet{names[id], n})
		}
	}
	slices.SortFunc(all, func(a, b Facet) int { return cmp.Or(-cmp.Compare(a.Count, b.Count), strings.Compare(a.Tag, b.Tag)) })
	return all[:min(len(all), maxFacets)]
}

// matching returns the names of the candidates that a regular expression matches.
func (c *Catalog) matching(ctx context.Context, q Query, pattern *regexp.Regexp) (map[ruleset.Name]bool, error) {
	names := []ruleset.Name{}
	c.mu.RLock()
	c.candidatesLocked(q, func(one candidate) { names = append(names, one.name) })
	c.mu.RUnlock()
	matched := map[ruleset.Name]bool{}
	err := c.store.Read(ctx, names, func(r ruleset.Ruleset) error {
		if _, _, ok := matchingLine(r, pattern); ok {
			matched[r.Name] = true
		}
		return nil
	})
	return matched, err
}

// matchingLine returns the first line of the Markdown that a regular expression
// matches, 0 if it matches only what lists show.
func matchingLine(r ruleset.Ruleset, pattern *regexp.Regexp) (line int, text string, ok bool) {
	if at := pattern.FindStringIndex(r.Markdown); at != nil {
		line = 1 + strings.Count(r.Markdown[:at[0]], "\n")
		from := 1 + strings.LastIndexByte(r.Markdown[:at[0]], '\n')
		text, _, _ = strings.Cut(r.Markdown[from:], "\n")
		return line, fulltext.Cut(text, at[0]-from), true
	}
	return 0, "", pattern.MatchString(string(r.Name)) || pattern.MatchString(r.Description) || slices.ContainsFunc(r.Tags, pattern.MatchString)
}

// show reads the rulesets of a page. What has gone meanwhile is left out.
func (c *Catalog) show(ctx context.Context, page []candidate, terms []string, pattern *regexp.Regexp) ([]Hit, error) {
	names := make([]ruleset.Name, len(page))
	for i := range page {
		names[i] = page[i].name
	}
	read := map[ruleset.Name]ruleset.Ruleset{}
	err := c.store.Read(ctx, names, func(r ruleset.Ruleset) error {
		read[r.Name] = r
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading what was found: %w", err)
	}
	hits := make([]Hit, 0, len(page))
	for _, one := range page {
		r, ok := read[one.name]
		if !ok {
			continue
		}
		h := Hit{Ruleset: r, Score: one.score, Decision: one.decision, Layer: one.entry.tags.layer}
		switch {
		case pattern != nil:
			h.Line, h.Snippet, _ = matchingLine(r, pattern)
		case len(terms) > 0:
			s, _ := fulltext.Find(r.Markdown, terms)
			h.Line, h.Snippet = s.Line, s.Text
		}
		hits = append(hits, h)
	}
	return hits, nil
}
