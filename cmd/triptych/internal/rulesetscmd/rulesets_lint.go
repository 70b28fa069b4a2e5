package rulesetscmd

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/buildinfo"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
	"github.com/triptych-mcp/triptych/mcp/plain"
	"github.com/triptych-mcp/triptych/rulesets"
	"github.com/triptych-mcp/triptych/rulesets/lint"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

func (a commands) rulesetsLint() command.Command {
	var asJSON, asSARIF bool
	var project string
	return command.Command{
		Name: "lint", Args: "[NAME...]", Min: 0, Max: command.AnyNumber,
		Short: "look for hidden text, secrets and mistakes in rulesets",
		Long: "The status is 1 if there is an error or a warning. Notes, such as a text that is\n" +
			"longer than a client reads, are only printed.",
		Example: "triptych rulesets lint\ntriptych rulesets lint go_style --project . --sarif > lint.sarif",
		Flags: func(set *pflag.FlagSet) {
			command.JSONFlag(set, &asJSON)
			set.BoolVar(&asSARIF, "sarif", false, "print a log of SARIF 2.1.0, for code scanning")
			set.StringVar(&project, "project", "", "report globs that match no file of this `folder`")
			a.storeFlags(set)
		},
		Complete: a.completeRulesets,
		Run: func(ctx context.Context, args []string) error {
			names, err := parseNames(args)
			if err != nil {
				return storeHint(err)
			}
			o := lint.Options{Now: a.app.Now()}
			if project != "" {
				o.Project = os.DirFS(project)
			}
			return a.withStore(ctx, func(store ruleset.Store) error {
				found, n, err := rulesets.Lint(ctx, store, names, o)
				if err != nil {
					return err
				}
				return printLint(a.IO, found, n, asJSON, asSARIF)
			})
		},
	}
}

// parseNames reads names, nil if there are none.
func parseNames(words []string) ([]ruleset.Name, error) {
	var names []ruleset.Name
	for _, word := range words {
		name, err := ruleset.ParseName(word)
		if err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, nil
}

// printLint prints findings, and fails if there are errors or warnings.
func printLint(out *cmdio.IO, found []lint.Finding, checked int, asJSON, asSARIF bool) error {
	var err error
	switch {
	case asSARIF:
		err = printSARIF(out, found)
	case asJSON:
		err = out.PrintJSON(append([]lint.Finding{}, found...)) // [], not null
	default:
		for _, f := range found {
			if err = out.Printf("%s\n", plain.Line(f.String())); err != nil {
				return err
			}
		}
	}
	if err != nil {
		return err
	}
	if worst := lint.Worst(found); worst == lint.Error || worst == lint.Warning {
		return fmt.Errorf("%d finding(s) in %d ruleset(s)", len(found), checked)
	}
	return nil
}

func printSARIF(out *cmdio.IO, found []lint.Finding) error {
	log, err := lint.SARIF(found, buildinfo.Read().Version, func(f lint.Finding) (string, int) { return string(f.Name) + ".md", 0 })
	if err != nil {
		return err
	}
	return out.Printf("%s\n", log)
}
