package composition

import (
	"context"
	"strconv"

	"github.com/triptych-mcp/triptych/rulesets/frontmatter"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// FromStore returns the rulesets of a store, at revisions and labels.
func FromStore(store ruleset.Store) Source {
	return func(ctx context.Context, ref frontmatter.Reference) (ruleset.Ruleset, error) {
		if ref.At == "" {
			return store.Get(ctx, ref.Name)
		}
		number, err := strconv.Atoi(ref.At)
		if err != nil {
			if number, err = labelled(ctx, store, ref); err != nil {
				return ruleset.Ruleset{}, err
			}
		}
		history, err := store.History(ctx, ref.Name)
		if err != nil {
			return ruleset.Ruleset{}, err
		}
		for _, r := range history {
			if r.Number == number && !r.Deleted {
				r.Content.Rev = number
				return r.Content, nil
			}
		}
		first, last := history[len(history)-1].Number, history[0].Number
		return ruleset.Ruleset{}, &ruleset.NoRevisionError{Name: ref.Name, Number: number, First: first, Last: last}
	}
}

// labelled returns the revision that the label of a reference is at.
func labelled(ctx context.Context, store ruleset.Store, ref frontmatter.Reference) (int, error) {
	moves, err := store.LabelMoves(ctx, ref.Name)
	if err != nil {
		return 0, err
	}
	if number, ok := ruleset.Labels(moves)[ruleset.Label(ref.At)]; ok {
		return number, nil
	}
	if _, err := store.Get(ctx, ref.Name); err != nil {
		return 0, err // rather than that it has no label
	}
	return 0, &ruleset.NoLabelError{Name: ref.Name, Label: ruleset.Label(ref.At)}
}

// Check returns the error for which a ruleset cannot be put together with its includes,
// nil if it can.
func Check(ctx context.Context, source Source, r ruleset.Ruleset) error {
	if fields, _ := frontmatter.Of(r); len(fields.Include) == 0 {
		return nil
	}
	_, err := Compose(ctx, source, r)
	return err
}
