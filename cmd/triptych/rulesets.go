package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/rulefiles"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

func (a *app) rulesetsCommand() command {
	return command{
		name:  "rulesets",
		short: "work with rulesets",
		sub: append([]command{
			a.rulesetsList(), a.rulesetsSearch(), a.rulesetsFind(), a.rulesetsLint(), a.rulesetsEffective(), a.rulesetsShow(), a.rulesetsCreate(),
			a.rulesetsEdit(), a.rulesetsDelete(), a.rulesetsHistory(), a.rulesetsDiff(), a.rulesetsRestore(), a.rulesetsLabel(), a.rulesetsGC(),
			a.rulesetsApply(), a.rulesetsImport(), a.rulesetsExport(),
		}, a.projectCommands()...),
	}
}

// A rulesetJSON is a ruleset for programs.
type rulesetJSON struct {
	Name         string    `json:"name"`
	Description  string    `json:"description"`
	Tags         []string  `json:"tags"`
	CreatedAt    time.Time `json:"created_at"`
	LastModified time.Time `json:"last_modified"`
	Rev          int       `json:"rev,omitempty"`
	Markdown     *string   `json:"markdown,omitempty"`
}

func metaJSON(m ruleset.Meta) rulesetJSON {
	return rulesetJSON{
		Name: string(m.Name), Description: m.Description, Tags: append([]string{}, m.Tags...),
		CreatedAt: m.CreatedAt, LastModified: m.LastModified,
	}
}

func (a *app) rulesetsList() command {
	var asJSON bool
	var tag string
	return command{
		name: "list", short: "list all rulesets, oldest first",
		flags: func(set *pflag.FlagSet) {
			jsonFlag(set, &asJSON)
			set.StringVar(&tag, "tag", "", "only those with this `tag`")
			a.rulebookFlags(set)
		},
		run: func(ctx context.Context, _ []string) error {
			return a.withRulebook(ctx, func(book rulebook) error {
				metas, err := book.List(ctx)
				if err != nil {
					return err
				}
				if tag != "" {
					metas = slices.DeleteFunc(metas, func(m ruleset.Meta) bool { return !slices.Contains(m.Tags, tag) })
				}
				return a.printMetas(metas, asJSON)
			})
		},
	}
}

func (a *app) rulesetsSearch() command {
	var asJSON bool
	return command{
		name: "search", args: "PATTERN", min: 1, max: 1,
		short:   "list the rulesets whose name matches a pattern",
		long:    "In a pattern * stands for any text, ? for one character, [a-z] for one of a\nclass ([!a-z] for one outside it), and {a,b} for alternatives.",
		example: "triptych rulesets search 'python_*'",
		flags: func(set *pflag.FlagSet) {
			jsonFlag(set, &asJSON)
			a.rulebookFlags(set)
		},
		run: func(ctx context.Context, args []string) error {
			return a.withRulebook(ctx, func(book rulebook) error {
				metas, err := book.Search(ctx, args[0])
				if err != nil {
					return err
				}
				return a.printMetas(metas, asJSON)
			})
		},
	}
}

func (a *app) printMetas(metas []ruleset.Meta, asJSON bool) error {
	if asJSON {
		all := make([]rulesetJSON, len(metas))
		for i, m := range metas {
			all[i] = metaJSON(m)
		}
		return a.printJSON(all)
	}
	if len(metas) == 0 {
		fmt.Fprintln(a.err, "triptych: no rulesets")
		return nil
	}
	rows := [][]string{{"NAME", "MODIFIED", "TAGS", "DESCRIPTION"}}
	for _, m := range metas {
		rows = append(rows, []string{
			string(m.Name), m.LastModified.UTC().Format("2006-01-02 15:04"), strings.Join(m.Tags, ","), m.Description,
		})
	}
	return a.printTable(rows)
}

func (a *app) rulesetsShow() command {
	var asJSON, whole bool
	return command{
		name: "show", args: "NAME", min: 1, max: 1,
		short: "print the Markdown of a ruleset",
		flags: func(set *pflag.FlagSet) {
			jsonFlag(set, &asJSON)
			set.BoolVar(&whole, "all", false, "print the front matter too, as edit shows it")
			a.rulebookFlags(set)
		},
		complete: a.completeRulesets,
		run: func(ctx context.Context, args []string) error {
			return a.withRulebook(ctx, func(book rulebook) error {
				r, err := getNamed(ctx, book, args[0])
				switch {
				case err != nil:
					return err
				case asJSON:
					shown := metaJSON(r.Meta)
					shown.Markdown, shown.Rev = &r.Markdown, r.Rev
					return a.printJSON(shown)
				case whole:
					return a.printEditable(r)
				}
				return a.printf("%s", endLine(r.Markdown))
			})
		},
	}
}

func (a *app) printEditable(r ruleset.Ruleset) error {
	text, err := rulefiles.Editable(r)
	if err != nil {
		return err
	}
	return a.printf("%s", endLine(string(text)))
}

func getNamed(ctx context.Context, book rulebook, word string) (ruleset.Ruleset, error) {
	name, err := ruleset.ParseName(word)
	if err != nil {
		return ruleset.Ruleset{}, err
	}
	return book.Get(ctx, name)
}

func (a *app) rulesetsCreate() command {
	var description, message string
	var tags []string
	return command{
		name: "create", args: "NAME [FILE]", min: 1, max: 2,
		short:   "create a ruleset from a file or from standard input",
		example: "triptych rulesets create go_style style.md --description 'How we write Go' --tag go --tag style",
		flags: func(set *pflag.FlagSet) {
			set.StringVarP(&description, "description", "d", "", "what it is for, one `line`")
			set.StringArrayVarP(&tags, "tag", "t", nil, "a `tag`; may be given several times")
			messageFlag(set, &message)
			a.rulebookFlags(set)
		},
		run: func(ctx context.Context, args []string) error {
			name, err := ruleset.ParseName(args[0])
			if err != nil {
				return storeHint(err)
			}
			markdown, err := a.readText(args[1:])
			if err != nil {
				return err
			}
			draft := ruleset.Draft{Name: name, Description: description, Tags: tags, Markdown: markdown, By: byCommand(message)}
			return a.withRulebook(ctx, func(book rulebook) error {
				if _, err := book.Create(ctx, draft); err != nil {
					return err
				}
				return a.printf("created %s\n", name)
			})
		},
	}
}

// maxText is the longest file that is read as a ruleset.
const maxText = 64 << 20

// readText reads the named file, or standard input when there is none or it
// is "-".
func (a *app) readText(args []string) (string, error) {
	in := io.Reader(a.in)
	if len(args) > 0 && args[0] != "-" {
		f, err := os.Open(args[0])
		if err != nil {
			return "", err
		}
		defer func() { _ = f.Close() }() // it was only read
		in = f
	}
	text, err := io.ReadAll(io.LimitReader(in, maxText+1))
	if err == nil && len(text) > maxText {
		err = fmt.Errorf("the text is longer than %d bytes", maxText)
	}
	return string(text), err
}

func (a *app) rulesetsDelete() command {
	return command{
		name: "delete", args: "NAME...", min: 1, max: many,
		short:    "delete rulesets",
		flags:    a.rulebookFlags,
		complete: a.completeRulesets,
		run: func(ctx context.Context, args []string) error {
			return a.withRulebook(ctx, func(book rulebook) error {
				var errs []error
				for _, word := range args {
					errs = append(errs, a.deleteOne(ctx, book, word))
				}
				return errors.Join(errs...)
			})
		},
	}
}

func (a *app) deleteOne(ctx context.Context, book rulebook, word string) error {
	name, err := ruleset.ParseName(word)
	if err != nil {
		return err
	}
	if err := book.Delete(ctx, name, ruleset.Removal{By: byCommand("")}); err != nil {
		return err
	}
	return a.printf("deleted %s\n", name)
}

// completeRulesets offers the names of the rulesets.
func (a *app) completeRulesets(ctx context.Context, before []string) []string {
	var names []string
	_ = a.withRulebook(ctx, func(book rulebook) error { // completion stays silent
		metas, err := book.List(ctx)
		for _, m := range metas {
			if !slices.Contains(before, string(m.Name)) {
				names = append(names, string(m.Name)+"\t"+oneLine(m.Description))
			}
		}
		return err
	})
	return names
}
