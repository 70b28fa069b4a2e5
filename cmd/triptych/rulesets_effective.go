package main

import (
	"context"
	"strconv"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/rulesets/composition"
	"github.com/triptych-mcp/triptych/rulesets/frontmatter"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
	"github.com/triptych-mcp/triptych/rulesets/selection"
)

func (a *app) rulesetsEffective() command {
	var plain bool
	var q selection.Query
	return command{
		name:    "effective",
		short:   "print the merged text of the rulesets that apply, and where each line came from",
		long:    "Rulesets come in the order org/, team/, project/, user/ (tags), then by the key\norder, then by name; includes come before the ruleset that includes them.",
		example: "triptych rulesets effective --path src/api/x.go --client cursor",
		flags: func(set *pflag.FlagSet) {
			set.StringVar(&q.Path, "path", "", "merge the rulesets for this `file`, a path from the root of the project")
			set.StringVar(&q.Client, "client", "", "merge the rulesets for this `client`, such as cursor")
			set.BoolVar(&plain, "plain", false, "print the text alone")
			a.familyFlags("rulesets")(set)
		},
		run: func(ctx context.Context, _ []string) error {
			if q.Path != "" {
				clean, err := selection.CleanPath(q.Path)
				if err != nil {
					return misused("--path: %v", err)
				}
				q.Path = clean
			}
			return a.withStore(ctx, func(store ruleset.Store) error { return a.printEffective(ctx, store, q, plain) })
		},
	}
}

func (a *app) printEffective(ctx context.Context, store ruleset.Store, q selection.Query, plain bool) error {
	var all, chosen []ruleset.Ruleset
	err := store.Read(ctx, nil, func(r ruleset.Ruleset) error {
		all = append(all, r)
		return nil
	})
	if err != nil {
		return err
	}
	for _, c := range composition.Choose(all, q) {
		if !c.Decision.Applies {
			break // those that do not apply come last
		}
		r, err := store.Get(ctx, c.Ruleset.Name)
		if err != nil {
			return err
		}
		chosen = append(chosen, r)
	}
	text, err := composition.Compose(ctx, sourceOf(store), chosen...)
	if err != nil {
		return err
	}
	if plain {
		return a.printf("%s", text)
	}
	for _, line := range text.Lines {
		if err := a.printf("%-32s %s\n", line.From, line.Text); err != nil {
			return err
		}
	}
	return nil
}

// sourceOf returns the rulesets of a store at revisions and labels.
func sourceOf(store ruleset.Store) composition.Source {
	return func(ctx context.Context, ref frontmatter.Reference) (ruleset.Ruleset, error) {
		if ref.At == "" {
			return store.Get(ctx, ref.Name)
		}
		number, err := strconv.Atoi(ref.At)
		if err != nil {
			moves, err := store.LabelMoves(ctx, ref.Name)
			if err != nil {
				return ruleset.Ruleset{}, err
			}
			number = ruleset.Labels(moves)[ruleset.Label(ref.At)]
			if number == 0 {
				return ruleset.Ruleset{}, &ruleset.NoLabelError{Name: ref.Name, Label: ruleset.Label(ref.At)}
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
		return ruleset.Ruleset{}, &ruleset.NoRevisionError{Name: ref.Name, Number: number, Last: history[0].Number}
	}
}
