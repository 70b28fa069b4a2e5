package rulesetscmd

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/rulesclient"
	"github.com/triptych-mcp/triptych/rulesets"
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
	Name     string    `json:"author_name,omitempty"`
	Client   string    `json:"client,omitempty"`
	Message  string    `json:"message,omitempty"`
	Restores int       `json:"restores,omitempty"`
	Proposal int       `json:"proposal,omitempty"`
	Deleted  bool      `json:"deleted,omitempty"`
	Labels   []string  `json:"labels,omitempty"`
}

func (a commands) rulesetsHistory() command.Command {
	var asJSON, moves bool
	return command.Command{
		Name: "history", Args: "NAME", Min: 1, Max: 1,
		Short:   "list the revisions of a ruleset, newest first",
		Long:    "Every change by anybody is a revision. Deleted rulesets keep their history.",
		Example: "triptych rulesets history go_style\ntriptych rulesets diff go_style 3",
		Flags: func(set *pflag.FlagSet) {
			command.JSONFlag(set, &asJSON)
			set.BoolVar(&moves, "moves", false, "list the moves of labels instead")
			a.readingFlags(set)
		},
		Complete: a.completeRulesets,
		Run: func(ctx context.Context, args []string) error {
			h, err := a.history(ctx, args[0])
			switch {
			case err != nil:
				return err
			case moves:
				return printMoves(a.IO, h.moves, asJSON)
			}
			return printHistory(a.IO, h, asJSON)
		},
	}
}

// A rulesetHistory has the revisions of a ruleset and the moves of its labels, newest first.
type rulesetHistory struct {
	revisions []ruleset.Revision
	moves     []ruleset.LabelMove
}

// history reads the history of the ruleset that a word names.
func (b books) history(ctx context.Context, word string) (h rulesetHistory, err error) {
	name, err := ruleset.ParseName(word)
	if err != nil {
		return h, storeHint(err)
	}
	err = b.withRulebook(ctx, func(book rulebook) error {
		if h.revisions, err = book.History(ctx, name); err != nil {
			return err
		}
		if h.moves, err = book.LabelMoves(ctx, name); err != nil {
			return err
		}
		if _, remote := book.(*rulesclient.Client); remote {
			return nil // the server has named the authors
		}
		env, err := b.app.Env(slog.LevelWarn)
		h.revisions, h.moves = rulesets.NameSource(env.Names).WithNames(ctx, h.revisions, h.moves)
		return err
	})
	return h, err
}

// newest returns the number of the newest revision.
func (h *rulesetHistory) newest() int { return h.revisions[0].Number }

// revision returns the revision that a word names by its number or by a label.
func (h *rulesetHistory) revision(word string) (ruleset.Revision, error) {
	rev, err := strconv.Atoi(word)
	if err != nil {
		rev = ruleset.Labels(h.moves)[ruleset.Label(word)]
	}
	for _, r := range h.revisions {
		if r.Number == rev {
			return r, nil
		}
	}
	return ruleset.Revision{}, cmderr.UsageErrorf("%q is no revision: they are %d to %d", word, h.revisions[len(h.revisions)-1].Number, h.newest())
}

// before returns the revision before one, or that one if there is none.
func (h *rulesetHistory) before(r ruleset.Revision) ruleset.Revision {
	for _, other := range h.revisions {
		if other.Number < r.Number {
			return other
		}
	}
	return r
}

func printHistory(out *cmdio.IO, h rulesetHistory, asJSON bool) error {
	labels := map[int][]string{}
	for label, rev := range ruleset.Labels(h.moves) {
		labels[rev] = append(labels[rev], string(label))
		slices.Sort(labels[rev])
	}
	if asJSON {
		all := make([]revisionJSON, len(h.revisions))
		for i, r := range h.revisions {
			all[i] = revisionJSON{r.Number, r.At, r.By.Author, r.By.Name, r.By.Client, r.By.Message, r.By.Restores, r.By.Proposal, r.Deleted, labels[r.Number]}
		}
		return out.PrintJSON(all)
	}
	rows := [][]string{{"REV", "AT", "AUTHOR", "CLIENT", "LABELS", "WHAT"}}
	for _, r := range h.revisions {
		what := r.By.Message
		switch {
		case r.Deleted:
			what = "deleted " + what
		case r.By.Restores != 0:
			what = fmt.Sprintf("restores %d %s", r.By.Restores, what)
		case r.By.Proposal != 0:
			what = fmt.Sprintf("proposal %d %s", r.By.Proposal, what)
		}
		rows = append(rows, []string{strconv.Itoa(r.Number), r.At.Format(time.DateTime), r.By.Who(), r.By.Client, strings.Join(labels[r.Number], ","), what})
	}
	return out.PrintTable(rows)
}

func printMoves(out *cmdio.IO, moves []ruleset.LabelMove, asJSON bool) error {
	rows := [][]string{{"LABEL", "FROM", "TO", "AT", "AUTHOR", "CLIENT", "WHY"}}
	for _, m := range moves {
		rows = append(rows, []string{
			string(m.Label), revOrDash(m.From), revOrDash(m.To), m.At.Format(time.DateTime), m.By.Who(), m.By.Client, m.By.Message,
		})
	}
	if asJSON {
		return out.PrintJSON(rulesets.MovesOf(moves))
	}
	return out.PrintTable(rows)
}

// revOrDash is a revision, or a dash for none.
func revOrDash(rev int) string {
	if rev == 0 {
		return "-"
	}
	return strconv.Itoa(rev)
}

func (a commands) rulesetsDiff() command.Command {
	var asJSON, words bool
	return command.Command{
		Name: "diff", Args: "NAME [FROM [TO]]", Min: 1, Max: 3,
		Short: "show what changed between two revisions",
		Long: "Without FROM it is the last change, without TO everything since FROM; a label\n" +
			"stands for the revision that it is at.",
		Example: "triptych rulesets diff go_style production --words",
		Flags: func(set *pflag.FlagSet) {
			set.BoolVar(&words, "words", false, "show [-deleted-] and {+added+} words, for prose")
			command.JSONFlag(set, &asJSON)
			a.readingFlags(set)
		},
		Complete: a.completeRulesets,
		Run: func(ctx context.Context, args []string) error {
			h, err := a.history(ctx, args[0])
			if err != nil {
				return err
			}
			to := h.revisions[0]
			from := h.before(to)
			for i, bound := range []*ruleset.Revision{&from, &to} {
				if len(args) > i+1 {
					if *bound, err = h.revision(args[i+1]); err != nil {
						return err
					}
				}
			}
			return a.withRulebook(ctx, func(book rulebook) error {
				c, err := book.Compare(ctx, ruleset.Name(args[0]), from.Number, to.Number)
				switch {
				case err != nil:
					return err
				case asJSON:
					return a.PrintJSON(c)
				case words:
					return a.Printf("%s", c.Words)
				}
				return a.Printf("%s", c.Unified)
			})
		},
	}
}

func (a commands) rulesetsRestore() command.Command {
	var message string
	return command.Command{
		Name: "restore", Args: "NAME [REV]", Min: 1, Max: 2,
		Short: "give a ruleset the content of a revision again, as a new revision",
		Long: "Without REV it is the revision before the last change: a deleted ruleset comes\n" +
			"back as it was.",
		Flags: func(set *pflag.FlagSet) {
			messageFlag(set, &message)
			a.writingFlags(set)
		},
		Complete: a.completeRulesets,
		Run: func(ctx context.Context, args []string) error {
			h, err := a.history(ctx, args[0])
			if err != nil {
				return err
			}
			old := h.before(h.revisions[0])
			if len(args) > 1 {
				if old, err = h.revision(args[1]); err != nil {
					return err
				}
			}
			return a.withRulebook(ctx, func(book rulebook) error {
				made, err := book.Restore(ctx, ruleset.Name(args[0]), old.Number, byCommand(message))
				if err != nil {
					return err
				}
				return a.Printf("restored revision %d of %s as revision %d\n", old.Number, args[0], made)
			})
		},
	}
}
