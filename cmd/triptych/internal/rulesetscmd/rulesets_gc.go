package rulesetscmd

import (
	"context"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

func (a commands) rulesetsGC() command.Command {
	var keep int
	var keepFor string
	var dry, asJSON bool
	return command.Command{
		Name: "gc", Max: 0,
		Short: "remove old revisions from the histories",
		Long: "Without it all revisions are kept. The newest revision of each ruleset and those\n" +
			"with a label are always kept; with both flags a revision stays that either keeps.",
		Example: "triptych rulesets gc --keep 20 --keep-for 365d --dry-run",
		Flags: func(set *pflag.FlagSet) {
			set.IntVar(&keep, "keep", 0, "keep this `number` of the newest revisions of each ruleset")
			set.StringVar(&keepFor, "keep-for", "", "keep revisions that are younger than this `span`, such as 365d or 12h")
			set.BoolVar(&dry, "dry-run", false, "only say what would be removed")
			command.JSONFlag(set, &asJSON)
			a.app.StoreFlags(set)
			a.app.DataFlags(set)
			a.app.NoAuditFlag(set)
		},
		Run: func(ctx context.Context, _ []string) error {
			retention, err := parseRetention(keep, keepFor)
			if err != nil {
				return err
			}
			return a.withStore(ctx, func(store ruleset.Store) error {
				pruned, err := a.prune(ctx, store, retention, dry)
				if err != nil {
					return err
				}
				if asJSON {
					return a.PrintJSON(pruned)
				}
				return printPruned(a.IO, pruned, dry)
			})
		},
	}
}

// parseRetention reads the flags, of which one must be given.
func parseRetention(keep int, keepFor string) (r ruleset.Retention, err error) {
	r.Revisions = keep
	if keepFor != "" {
		if r.Age, err = command.ParseSpan(keepFor); err != nil {
			return r, cmderr.UsageErrorf("--keep-for: %v", err)
		}
	}
	if keep < 0 || r.Age < 0 || r.All() {
		return r, cmderr.UsageErrorf("give --keep, --keep-for or both, with what is to be kept")
	}
	return r, nil
}

// prune removes revisions and records it.
func (b books) prune(ctx context.Context, store ruleset.Store, r ruleset.Retention, dry bool) (pruned ruleset.Pruned, err error) {
	if dry {
		return ruleset.Prune(ctx, store, r, true)
	}
	book := &recordedRulebook{rulebook: storeRulebook{store, b.labelRules()}, app: b.app}
	defer book.end()
	err = book.change(ctx, "rulesets gc", func() (map[string]string, error) {
		pruned, err = ruleset.Prune(ctx, store, r, false)
		return map[string]string{"rulesets": cmdio.Counted(pruned.Rulesets, "ruleset"), "revisions": cmdio.Counted(pruned.Revisions, "revision")}, err
	})
	return pruned, err
}

func printPruned(out *cmdio.IO, p ruleset.Pruned, dry bool) error {
	verb := "removed"
	if dry {
		verb = "would remove"
	}
	return out.Printf("%s %s of %s, %d bytes\n", verb, cmdio.Counted(p.Revisions, "revision"), cmdio.Counted(p.Rulesets, "ruleset"), p.Bytes)
}
