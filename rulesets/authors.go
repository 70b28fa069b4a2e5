package rulesets

import (
	"context"
	"slices"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// A NameSource returns the names that people gave the keys with these ids, as [host.Env] has
// it. Nil knows none.
type NameSource func(ctx context.Context, ids []string) map[string]string

// WithNames returns revisions and moves of labels with the names of their authors.
func (names NameSource) WithNames(ctx context.Context, history []ruleset.Revision, moves []ruleset.LabelMove) ([]ruleset.Revision, []ruleset.LabelMove) {
	var ids []string
	for i := range history {
		ids = append(ids, history[i].By.Author)
	}
	for i := range moves {
		ids = append(ids, moves[i].By.Author)
	}
	known := names.of(ctx, ids)
	if len(known) == 0 {
		return history, moves
	}
	history, moves = slices.Clone(history), slices.Clone(moves) // a store may keep its own
	for i := range history {
		history[i].By.Name = known[history[i].By.Author]
	}
	for i := range moves {
		moves[i].By.Name = known[moves[i].By.Author]
	}
	return history, moves
}

// of returns the names of ids, each of which is asked for once.
func (names NameSource) of(ctx context.Context, ids []string) map[string]string {
	slices.Sort(ids)
	ids = slices.DeleteFunc(slices.Compact(ids), func(id string) bool { return id == "" })
	if names == nil || len(ids) == 0 {
		return nil
	}
	return names(ctx, ids)
}
