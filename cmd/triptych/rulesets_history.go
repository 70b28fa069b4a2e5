package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// byCommand says in a history that a command made a change.
func byCommand(message string) ruleset.By {
	return ruleset.By{Author: "local", Client: "triptych rulesets", Message: message}
}

// messageFlag registers -m, the reason of a change.
func messageFlag(set *pflag.FlagSet, message *string) {
	set.StringVarP(message, "message", "m", "", "why, for the history; one `line`")
}

// A revisionJSON is a revision for programs.
type revisionJSON struct {
	Rev      int       `json:"rev"`
	At       time.Time `json:"at"`
	Author   string    `json:"author,omitempty"`
	Client   string    `json:"client,omitempty"`
	Message  string    `json:"message,omitempty"`
	Restores int       `json:"restores,omitempty"`
	Deleted  bool      `json:"deleted,omitempty"`
}

func (a *app) rulesetsHistory() command {
	var asJSON bool
	return command{
		name: "history", args: "NAME", min: 1, max: 1,
		short:   "list the revisions of a ruleset, newest first",
		long:    "Every change by anybody is a revision. Deleted rulesets keep their history.",
		example: "triptych rulesets history go_style\ntriptych rulesets diff go_style 3",
		flags: func(set *pflag.FlagSet) {
			jsonFlag(set, &asJSON)
			a.rulebookFlags(set)
		},
		complete: a.completeRulesets,
		run: func(ctx context.Context, args []string) error {
			history, err := a.history(ctx, args[0])
			if err != nil {
				return err
			}
			return a.printHistory(history, asJSON)
		},
	}
}

// history reads the revisions of the ruleset that a word names, newest first.
func (a *app) history(ctx context.Context, word string) (history []ruleset.Revision, err error) {
	name, err := ruleset.ParseName(word)
	if err != nil {
		return nil, storeHint(err)
	}
	err = a.withRulebook(ctx, func(book rulebook) error {
		history, err = book.History(ctx, name)
		return err
	})
	return history, err
}

func (a *app) printHistory(history []ruleset.Revision, asJSON bool) error {
	if asJSON {
		all := make([]revisionJSON, len(history))
		for i, r := range history {
			all[i] = revisionJSON{r.Number, r.At, r.By.Author, r.By.Client, r.By.Message, r.By.Restores, r.Deleted}
		}
		return a.printJSON(all)
	}
	rows := [][]string{{"REV", "AT", "AUTHOR", "CLIENT", "WHAT"}}
	for _, r := range history {
		what := r.By.Message
		switch {
		case r.Deleted:
			what = "deleted " + what
		case r.By.Restores != 0:
			what = fmt.Sprintf("restores %d %s", r.By.Restores, what)
		}
		rows = append(rows, []string{strconv.Itoa(r.Number), r.At.Format("2006-01-02 15:04:05"), r.By.Author, r.By.Client, what})
	}
	return a.printTable(rows)
}

func (a *app) rulesetsDiff() command {
	return command{
		name: "diff", args: "NAME [FROM [TO]]", min: 1, max: 3,
		short:    "show what changed between two revisions",
		long:     "Without FROM it is the last change, without TO everything since FROM.",
		flags:    a.rulebookFlags,
		complete: a.completeRulesets,
		run: func(ctx context.Context, args []string) error {
			history, err := a.history(ctx, args[0])
			if err != nil {
				return err
			}
			newest := history[0].Number
			from, to := max(newest-1, 1), newest
			for i, bound := range []*int{&from, &to} {
				if len(args) > i+1 {
					if *bound, err = parseRev(args[i+1], newest); err != nil {
						return err
					}
				}
			}
			return a.withRulebook(ctx, func(book rulebook) error {
				diff, err := book.Diff(ctx, ruleset.Name(args[0]), from, to)
				if err != nil {
					return err
				}
				return a.printf("%s", diff)
			})
		},
	}
}

// parseRev reads the number of a revision, which is 1 to newest.
func parseRev(word string, newest int) (int, error) {
	rev, err := strconv.Atoi(word)
	if err != nil || rev < 1 || rev > newest {
		return 0, misused("%q is no revision: they are 1 to %d", word, newest)
	}
	return rev, nil
}

func (a *app) rulesetsRestore() command {
	var message string
	return command{
		name: "restore", args: "NAME [REV]", min: 1, max: 2,
		short: "give a ruleset the content of a revision again, as a new revision",
		long: "Without REV it is the revision before the last change: a deleted ruleset comes\n" +
			"back as it was.",
		flags: func(set *pflag.FlagSet) {
			messageFlag(set, &message)
			a.rulebookFlags(set)
		},
		complete: a.completeRulesets,
		run: func(ctx context.Context, args []string) error {
			history, err := a.history(ctx, args[0])
			if err != nil {
				return err
			}
			newest := history[0].Number
			rev := max(newest-1, 1)
			if len(args) > 1 {
				if rev, err = parseRev(args[1], newest); err != nil {
					return err
				}
			}
			return a.withRulebook(ctx, func(book rulebook) error {
				made, err := book.Restore(ctx, ruleset.Name(args[0]), rev, byCommand(message))
				if err != nil {
					return err
				}
				return a.printf("restored revision %d of %s as revision %d\n", rev, args[0], made)
			})
		},
	}
}
