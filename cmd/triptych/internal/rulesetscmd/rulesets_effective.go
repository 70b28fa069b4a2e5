package rulesetscmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
	"github.com/triptych-mcp/triptych/rulesets/composition"
	"github.com/triptych-mcp/triptych/rulesets/editors"
	"github.com/triptych-mcp/triptych/rulesets/frontmatter"
	"github.com/triptych-mcp/triptych/rulesets/project"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
	"github.com/triptych-mcp/triptych/rulesets/selection"
)

func (a commands) rulesetsEffective() command.Command {
	var plain bool
	var dir string
	var q selection.Query
	return command.Command{
		Name:    "effective",
		Short:   "print the merged text of the rulesets that apply, and where each line came from",
		Long:    "Rulesets come in the order org/, team/, project/, user/ (tags), then by the key\norder, then by name; includes come before the ruleset that includes them. With\n--project they are those that .triptych.yaml of the project selects, at its label.",
		Example: "triptych rulesets effective --path src/api/x.go --client cursor\ntriptych rulesets effective --project . --path src/api/x.go",
		Flags: func(set *pflag.FlagSet) {
			set.StringVar(&q.Path, "path", "", "merge the rulesets for this `file`, a path from the root of the project")
			set.StringVar(&dir, "project", "", "merge the rulesets that the project in this `folder` selects")
			set.StringVar(&q.Client, "client", "", "merge the rulesets for this `client`, such as cursor")
			command.Offer(set, "client", editors.Names())
			set.BoolVar(&plain, "plain", false, "print the text alone")
			a.app.RemoteFlags(set)
			a.storeFlags(set)
		},
		Run: func(ctx context.Context, _ []string) error {
			if q.Path != "" {
				clean, err := selection.CleanPath(q.Path)
				if err != nil {
					return cmderr.UsageErrorf("--path: %v", err)
				}
				q.Path = clean
			}
			text, err := a.effective(ctx, dir, q)
			if err != nil {
				return storeHint(err)
			}
			return printEffective(a.IO, text, plain)
		},
	}
}

// effective returns the merged text of the rulesets that apply: all, or those that a
// project selects.
func (a commands) effective(ctx context.Context, dir string, q selection.Query) (_ composition.Text, err error) {
	var wanted project.Selection
	if dir != "" {
		if wanted, err = readSelection(dir); err != nil {
			return composition.Text{}, err
		}
	}
	source, done, err := a.openSource(ctx)
	if err != nil {
		return composition.Text{}, err
	}
	defer func() { err = errors.Join(err, done()) }()
	all, warnings, err := project.Select(ctx, source, wanted)
	if err != nil {
		return composition.Text{}, err
	}
	for _, warning := range warnings {
		fmt.Fprintf(a.Err, "triptych: %s\n", warning)
	}
	var chosen []ruleset.Ruleset
	for _, c := range composition.Choose(all.Rulesets, q) {
		if c.Decision.Applies {
			chosen = append(chosen, c.Ruleset)
		}
	}
	return composition.Compose(ctx, func(ctx context.Context, ref frontmatter.Reference) (ruleset.Ruleset, error) {
		return source.Get(ctx, ref.Name, cmp.Or(ref.At, wanted.Label))
	}, chosen...)
}

// readSelection reads what the project of a folder selects.
func readSelection(dir string) (project.Selection, error) {
	p, err := project.Open(project.FindRoot(dir))
	if err != nil {
		return project.Selection{}, err
	}
	defer p.Close()
	if !p.HasFile {
		return project.Selection{}, cmderr.WithHints(fmt.Errorf("%s has no %s", p.Dir, project.SelectionFile), "triptych rulesets pull --help says how a project selects rulesets")
	}
	return p.Selection, nil
}

func printEffective(out *cmdio.IO, text composition.Text, plain bool) error {
	if plain {
		return out.Printf("%s", text)
	}
	for _, line := range text.Lines {
		if err := out.Printf("%-32s %s\n", line.From, line.Text); err != nil {
			return err
		}
	}
	return nil
}
