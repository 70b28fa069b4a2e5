package rulesetscmd

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

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/rulefiles"
	"github.com/triptych-mcp/triptych/mcp/plain"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// RulesetsCommand returns the row of triptych rulesets.
func RulesetsCommand(a *app.App) command.Command { return newCommands(a).rulesetsCommand() }

func (a commands) rulesetsCommand() command.Command {
	return command.Command{
		Name:  "rulesets",
		Short: "work with rulesets",
		Sub: append([]command.Command{
			a.rulesetsList(), a.rulesetsSearch(), a.rulesetsFind(), a.rulesetsLint(), a.rulesetsEffective(), a.rulesetsShow(), a.rulesetsCreate(),
			a.rulesetsEdit(), a.rulesetsDelete(), a.rulesetsHistory(), a.rulesetsDiff(), a.rulesetsRestore(), a.rulesetsLabel(), a.rulesetsGC(),
			a.rulesetsPropose(), a.rulesetsProposals(), a.rulesetsAccept(), a.rulesetsDecide("refuse"), a.rulesetsDecide("withdraw"), a.rulesetsDecide("comment"),
			a.rulesetsApply(), a.rulesetsImport(), a.rulesetsUpdate(), a.rulesetsExport(),
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

func (a commands) rulesetsList() command.Command {
	var asJSON bool
	var tag string
	return command.Command{
		Name: "list", Short: "list all rulesets, oldest first",
		Flags: func(set *pflag.FlagSet) {
			command.JSONFlag(set, &asJSON)
			set.StringVar(&tag, "tag", "", "only those with this `tag`")
			a.readingFlags(set)
		},
		Run: func(ctx context.Context, _ []string) error {
			return a.withRulebook(ctx, func(book rulebook) error {
				metas, err := book.List(ctx)
				if err != nil {
					return err
				}
				if tag != "" {
					metas = slices.DeleteFunc(metas, func(m ruleset.Meta) bool { return !slices.Contains(m.Tags, tag) })
				}
				return printMetas(a.IO, metas, asJSON)
			})
		},
	}
}

func (a commands) rulesetsSearch() command.Command {
	var asJSON bool
	return command.Command{
		Name: "search", Args: "PATTERN", Min: 1, Max: 1,
		Short:   "list the rulesets whose name matches a pattern",
		Long:    "In a pattern * stands for any text, ? for one character, [a-z] for one of a\nclass ([!a-z] for one outside it), and {a,b} for alternatives.",
		Example: "triptych rulesets search 'python_*'",
		Flags: func(set *pflag.FlagSet) {
			command.JSONFlag(set, &asJSON)
			a.readingFlags(set)
		},
		Run: func(ctx context.Context, args []string) error {
			return a.withRulebook(ctx, func(book rulebook) error {
				metas, err := book.Search(ctx, args[0])
				if err != nil {
					return err
				}
				return printMetas(a.IO, metas, asJSON)
			})
		},
	}
}

func printMetas(out *cmdio.IO, metas []ruleset.Meta, asJSON bool) error {
	if asJSON {
		all := make([]rulesetJSON, len(metas))
		for i, m := range metas {
			all[i] = metaJSON(m)
		}
		return out.PrintJSON(all)
	}
	if len(metas) == 0 {
		fmt.Fprintln(out.Err, "triptych: no rulesets")
		return nil
	}
	rows := [][]string{{"NAME", "MODIFIED", "TAGS", "DESCRIPTION"}}
	for _, m := range metas {
		rows = append(rows, []string{
			string(m.Name), m.LastModified.UTC().Format("2006-01-02 15:04"), strings.Join(m.Tags, ","), m.Description,
		})
	}
	return out.PrintTable(rows)
}

func (a commands) rulesetsShow() command.Command {
	var asJSON, whole bool
	return command.Command{
		Name: "show", Args: "NAME", Min: 1, Max: 1,
		Short: "print the Markdown of a ruleset",
		Flags: func(set *pflag.FlagSet) {
			command.JSONFlag(set, &asJSON)
			set.BoolVar(&whole, "all", false, "print the front matter too, as edit shows it")
			a.readingFlags(set)
		},
		Complete: a.completeRulesets,
		Run: func(ctx context.Context, args []string) error {
			return a.withRulebook(ctx, func(book rulebook) error {
				r, err := getNamed(ctx, book, args[0])
				switch {
				case err != nil:
					return err
				case asJSON:
					shown := metaJSON(r.Meta)
					shown.Markdown, shown.Rev = &r.Markdown, r.Rev
					return a.PrintJSON(shown)
				case whole:
					return printEditable(a.IO, r)
				}
				return a.Printf("%s", cmdio.EndLine(r.Markdown))
			})
		},
	}
}

func printEditable(out *cmdio.IO, r ruleset.Ruleset) error {
	text, err := rulefiles.Editable(r)
	if err != nil {
		return err
	}
	return out.Printf("%s", cmdio.EndLine(string(text)))
}

func getNamed(ctx context.Context, book rulebook, word string) (ruleset.Ruleset, error) {
	name, err := ruleset.ParseName(word)
	if err != nil {
		return ruleset.Ruleset{}, err
	}
	return book.Get(ctx, name)
}

func (a commands) rulesetsCreate() command.Command {
	var message, folder string
	var description *string // nil if no flag gives it
	var tags []string
	return command.Command{
		Name: "create", Args: "NAME [FILE]", Min: 1, Max: 2,
		Short: "create a ruleset from a file or from standard input",
		Long: "Front matter gives the description and the tags that no flag gives, and says where the\n" +
			"rules apply. A file of an editor is for triptych rulesets import.",
		Example: "triptych rulesets create go_style style.md --description 'How we write Go' --tag go --tag style\n" +
			"triptych rulesets create pdf_forms forms.md -d 'Fill in PDF forms' --files forms",
		Flags: func(set *pflag.FlagSet) {
			set.FuncP("description", "d", "what it is for, one `line`", func(line string) error {
				description = &line
				return nil
			})
			set.StringArrayVarP(&tags, "tag", "t", nil, "a `tag`; may be given several times")
			set.StringVar(&folder, "files", "", "the files beside the text: those in this `folder`")
			messageFlag(set, &message)
			a.writingFlags(set)
		},
		Run: func(ctx context.Context, args []string) error {
			name, err := ruleset.ParseName(args[0])
			if err != nil {
				return storeHint(err)
			}
			text, err := readText(a.IO, args[1:])
			if err != nil {
				return err
			}
			draft, front, err := rulefiles.Text(text)
			if err != nil {
				return err
			}
			for _, note := range front.Notes {
				fmt.Fprintf(a.Err, "triptych: %s: %s\n", name, note)
			}
			draft.Name, draft.By = name, byCommand(message)
			if description != nil {
				draft.Description = *description
			}
			if tags != nil {
				draft.Tags = tags
			}
			if folder != "" {
				if draft.Files, _, err = rulefiles.FilesIn(folder); err != nil {
					return err
				}
			}
			return a.withRulebook(ctx, func(book rulebook) error {
				if _, err := book.Create(ctx, draft); err != nil {
					return err
				}
				return a.Printf("created %s\n", name)
			})
		},
	}
}

// maxText is the longest file that is read as a ruleset.
const maxText = 64 << 20

// readText reads the named file, or standard input when there is none or it
// is "-".
func readText(std *cmdio.IO, args []string) (string, error) {
	in := io.Reader(std.In)
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

func (a commands) rulesetsDelete() command.Command {
	return command.Command{
		Name: "delete", Args: "NAME...", Min: 1, Max: command.AnyNumber,
		Short:    "delete rulesets",
		Flags:    a.writingFlags,
		Complete: a.completeRulesets,
		Run: func(ctx context.Context, args []string) error {
			return a.withRulebook(ctx, func(book rulebook) error {
				var errs []error
				for _, word := range args {
					errs = append(errs, deleteOne(ctx, a.IO, book, word))
				}
				return errors.Join(errs...)
			})
		},
	}
}

func deleteOne(ctx context.Context, out *cmdio.IO, book rulebook, word string) error {
	name, err := ruleset.ParseName(word)
	if err != nil {
		return err
	}
	if err := book.Delete(ctx, name, ruleset.Removal{By: byCommand("")}); err != nil {
		return err
	}
	return out.Printf("deleted %s\n", name)
}

// completeRulesets offers the names of the rulesets.
func (b books) completeRulesets(ctx context.Context, before []string) []string {
	var names []string
	_ = b.withRulebook(ctx, func(book rulebook) error { // completion stays silent
		metas, err := book.List(ctx)
		for _, m := range metas {
			if !slices.Contains(before, string(m.Name)) {
				names = append(names, string(m.Name)+"\t"+plain.Line(m.Description))
			}
		}
		return err
	})
	return names
}
