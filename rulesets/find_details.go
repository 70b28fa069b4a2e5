package rulesets

import (
	"context"

	"github.com/triptych-mcp/triptych/rulesets/frontmatter"
	"github.com/triptych-mcp/triptych/rulesets/internal/catalog"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// FoundDetails hold what people want to know of a ruleset in a list.
type FoundDetails struct {
	Rev         int            `json:"rev,omitempty"`
	Author      string         `json:"author,omitempty"`
	AuthorName  string         `json:"author_name,omitempty"`
	Activation  string         `json:"activation"`
	Globs       []string       `json:"globs,omitempty"`
	Targets     []string       `json:"targets,omitempty"`
	Labels      map[string]int `json:"labels,omitempty"`
	Owner       string         `json:"owner,omitempty"`
	Status      string         `json:"status,omitempty"`
	ReviewAfter string         `json:"review_after,omitempty"`
}

// details returns the details of rulesets.
func (t *tools) details(ctx context.Context, hits []catalog.Hit) ([]FoundDetails, error) {
	all, authors := make([]FoundDetails, len(hits)), make([]string, 0, len(hits))
	for i := range hits {
		one, err := t.detailsOf(ctx, hits[i].Ruleset)
		if err != nil && !isAbsent(err) {
			return nil, err
		}
		all[i] = one
		authors = append(authors, one.Author)
	}
	known := t.names.of(ctx, authors)
	for i := range all {
		all[i].AuthorName = known[all[i].Author]
	}
	return all, nil
}

func (t *tools) detailsOf(ctx context.Context, r ruleset.Ruleset) (d FoundDetails, err error) {
	fields, _ := frontmatter.Of(r) // lint reports problems
	d = FoundDetails{
		Activation: string(fields.Mode()), Globs: fields.Globs, Targets: fields.Targets, Owner: fields.Owner, Status: fields.Status, ReviewAfter: fields.ReviewAfter,
	}
	history, err := t.store.History(ctx, r.Name)
	if err != nil {
		return d, err
	}
	if len(history) > 0 {
		d.Rev, d.Author = history[0].Number, history[0].By.Author
	}
	moves, err := t.store.LabelMoves(ctx, r.Name)
	if err != nil {
		return d, err
	}
	for label, rev := range ruleset.Labels(moves) {
		if d.Labels == nil {
			d.Labels = map[string]int{}
		}
		d.Labels[string(label)] = rev
	}
	return d, nil
}

// withLabel returns the names of the rulesets that have a label.
func (t *tools) withLabel(ctx context.Context, text string) (map[ruleset.Name]bool, error) {
	label, err := ruleset.ParseLabel(text)
	if err != nil {
		return nil, err
	}
	metas, _, err := t.store.List(ctx, ruleset.Page{})
	if err != nil {
		return nil, err
	}
	names := map[ruleset.Name]bool{}
	for i := range metas {
		moves, err := t.store.LabelMoves(ctx, metas[i].Name)
		if err != nil && !isAbsent(err) {
			return nil, err
		}
		if ruleset.Labels(moves)[label] != 0 {
			names[metas[i].Name] = true
		}
	}
	return names, nil
}
