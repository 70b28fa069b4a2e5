package rulesetscmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
	"github.com/triptych-mcp/triptych/rulesets"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

func (a commands) rulesetsPropose() command.Command {
	var message, label string
	var remove bool
	return command.Command{
		Name: "propose", Args: "NAME [FILE]", Min: 1, Max: 2,
		Short: "propose a change of a ruleset for review",
		Long: "FILE is the text as `triptych rulesets show --all` prints it, or Markdown alone;\n" +
			"- reads standard input. Nothing changes until the proposal is accepted. A name\n" +
			"that is free proposes a new ruleset. --label proposes to move a label, --delete to\n" +
			"delete the ruleset.",
		Example: "triptych rulesets show --all go_style > go_style.md; $EDITOR go_style.md\n" +
			"triptych rulesets propose go_style go_style.md -m 'shorter'\n" +
			"triptych rulesets propose go_style --label production",
		Flags: func(set *pflag.FlagSet) {
			set.StringVar(&label, "label", "", "propose to move this `label` to the newest revision")
			set.BoolVar(&remove, "delete", false, "propose to delete the ruleset")
			messageFlag(set, &message)
			a.writingFlags(set)
		},
		Complete: a.completeRulesets,
		Run: func(ctx context.Context, args []string) error {
			kinds := 0
			for _, is := range []bool{len(args) == 2, label != "", remove} {
				if is {
					kinds++
				}
			}
			if kinds != 1 {
				return cmderr.UsageErrorf("give a FILE, --label or --delete")
			}
			return a.withRulebook(ctx, func(book rulebook) error {
				change := rulesets.Change{Op: "delete", Name: args[0]}
				switch {
				case label != "":
					change = rulesets.Change{Op: "label", Name: args[0], Label: &label}
				case len(args) == 2:
					var err error
					if change, err = proposedText(ctx, a.IO, book, args[0], args[1]); err != nil {
						return err
					}
				}
				number, err := book.Propose(ctx, rulesets.ChangeSet{Changes: []rulesets.Change{change}, Message: message})
				if err != nil {
					return err
				}
				return a.Printf("proposal %d waits for review\n", number)
			})
		},
	}
}

// proposedText returns the change that makes a file the text of a ruleset.
func proposedText(ctx context.Context, out *cmdio.IO, book rulebook, word, file string) (rulesets.Change, error) {
	name, err := ruleset.ParseName(word)
	if err != nil {
		return rulesets.Change{}, err
	}
	text, err := readText(out, []string{file})
	if err != nil {
		return rulesets.Change{}, err
	}
	old, err := book.Get(ctx, name)
	_, isNew := errors.AsType[*ruleset.NotFoundError](err)
	if err != nil && !isNew {
		return rulesets.Change{}, err
	}
	fresh := old
	fresh.Markdown = text
	if strings.HasPrefix(text, "---") {
		if fresh, err = edited([]byte(text), old); err != nil {
			return rulesets.Change{}, err
		}
	}
	if isNew {
		return rulesets.Change{
			Op: "create", Name: word, Description: &fresh.Description, Tags: &fresh.Tags, Markdown: &fresh.Markdown, Extra: &fresh.Extra,
		}, nil
	}
	p := difference(old, fresh)
	return rulesets.Change{
		Op: "update", Name: word, Description: p.Description, Tags: p.Tags, Markdown: p.Markdown, Extra: p.Extra, IfRev: &old.Rev,
	}, nil
}

func (a commands) rulesetsProposals() command.Command {
	var asJSON, all bool
	return command.Command{
		Name: "proposals", Args: "[N]", Max: 1,
		Short:   "list the proposals that wait for review, or show one with its differences",
		Example: "triptych rulesets proposals\ntriptych rulesets proposals 7",
		Flags: func(set *pflag.FlagSet) {
			set.BoolVar(&all, "all", false, "list those that were decided, too")
			command.JSONFlag(set, &asJSON)
			a.readingFlags(set)
		},
		Run: func(ctx context.Context, args []string) error {
			return a.withRulebook(ctx, func(book rulebook) error {
				if len(args) == 1 {
					return showProposal(ctx, a.IO, book, args[0], asJSON)
				}
				state := map[bool]string{false: ruleset.Open.String(), true: "all"}[all]
				found, err := book.Proposals(ctx, state)
				switch {
				case err != nil:
					return err
				case asJSON:
					return a.PrintJSON(found)
				case len(found) == 0:
					fmt.Fprintln(a.Err, "triptych: no proposals")
				}
				for i := range slices.Backward(found) {
					if err := a.Printf("%s\n", found[i].Line()); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
}

func showProposal(ctx context.Context, out *cmdio.IO, book rulebook, word string, asJSON bool) error {
	number, err := proposalNumber(word)
	if err != nil {
		return err
	}
	found, err := book.ShowProposal(ctx, number)
	if err != nil {
		return proposalHint(err)
	}
	if asJSON {
		return out.PrintJSON(found)
	}
	return out.Printf("%s", cmdio.EndLine(found.Text()))
}

func proposalNumber(word string) (int, error) {
	number, err := strconv.Atoi(word)
	if err != nil || number < 1 {
		return 0, cmderr.UsageErrorf("%q is not the number of a proposal", word)
	}
	return number, nil
}

// proposalHint adds advice to an error of a review.
func proposalHint(err error) error {
	if _, ok := errors.AsType[*ruleset.NoProposalError](err); ok {
		return cmderr.WithHints(err, "triptych rulesets proposals lists them")
	}
	if _, ok := errors.AsType[*rulesets.StaleError](err); ok {
		return cmderr.WithHints(err, "ask the author to propose it again, or refuse it with --reason")
	}
	return applyHint(err)
}

func (a commands) rulesetsAccept() command.Command {
	var message string
	var review rulesets.Review
	var admin bool
	return command.Command{
		Name: "accept", Args: "N", Min: 1, Max: 1,
		Short: "make the changes of a proposal",
		Long: "Nothing is merged: a proposal whose ruleset has changed since is not accepted.\n" +
			"--label also moves a label to the revisions that this makes.",
		Example: "triptych rulesets accept 7\ntriptych rulesets accept 7 --label production -m 'looks right'",
		Flags: func(set *pflag.FlagSet) {
			set.StringVar(&review.Label, "label", "", "also move this `label` to what it changes, such as production")
			set.BoolVar(&review.DryRun, "dry-run", false, "only show the differences")
			adminFlag(set, &admin)
			messageFlag(set, &message)
			a.writingFlags(set)
		},
		Run: func(ctx context.Context, args []string) error {
			review.Verb = "accept"
			return a.reviewed(ctx, args[0], review, message, admin)
		},
	}
}

// decisions describes the commands that end a proposal or comment on it.
var decisions = map[string]struct{ args, short, reason string }{
	"refuse":   {"N", "refuse a proposal", "why, which its author sees; one `line`"},
	"withdraw": {"N", "withdraw a proposal of your own", "why; one `line`"},
	"comment":  {"N TEXT", "comment on a proposal", ""},
}

func (a commands) rulesetsDecide(verb string) command.Command {
	var reason string
	var admin bool
	row := decisions[verb]
	words := 1
	if verb == "comment" {
		words = 2
	}
	return command.Command{
		Name: verb, Args: row.args, Min: words, Max: words, Short: row.short,
		Flags: func(set *pflag.FlagSet) {
			if row.reason != "" {
				set.StringVar(&reason, "reason", "", row.reason)
			}
			adminFlag(set, &admin)
			a.writingFlags(set)
		},
		Run: func(ctx context.Context, args []string) error {
			if words == 2 {
				reason = args[1]
			}
			return a.reviewed(ctx, args[0], rulesets.Review{Verb: verb}, reason, admin)
		},
	}
}

// reviewed does what a reviewer decides, and prints it.
func (a commands) reviewed(ctx context.Context, word string, r rulesets.Review, message string, admin bool) (err error) {
	if r.Number, err = proposalNumber(word); err != nil {
		return err
	}
	return a.withRulebook(ctx, func(book rulebook) error {
		applied, err := book.Review(ctx, r, message, admin)
		if err != nil {
			return proposalHint(err)
		}
		return a.Printf("%s", cmdio.EndLine(applied.Text()))
	})
}
