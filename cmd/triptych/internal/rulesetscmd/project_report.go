package rulesetscmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/buildinfo"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/rulesclient"
	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/rulesets"
	"github.com/triptych-mcp/triptych/rulesets/consumers"
	"github.com/triptych-mcp/triptych/rulesets/project"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// useReport returns the report of a project, nil if it makes none: only projects that
// have a name report, and only to servers.
func (r *projectRun) useReport(plan project.Plan) *rulesclient.Report {
	if _, remote := r.source.(*serverSource); !remote || r.project.Selection.Project == "" {
		return nil
	}
	s := r.project.Selection
	report := &rulesclient.Report{Project: s.Project, Clients: s.Targets, Label: s.Label}
	seen := map[string]bool{}
	for _, i := range plan.Items {
		for _, part := range i.Parts {
			if word := part.String(); !seen[word] {
				seen[word] = true
				report.Rulesets = append(report.Rulesets, word)
			}
		}
	}
	return report
}

// reportText returns a report as pull --dry-run shows it.
func reportText(r *rulesclient.Report) string {
	text := fmt.Sprintf("project %s, clients %s, rulesets %s", r.Project, strings.Join(r.Clients, " "), strings.Join(r.Rulesets, " "))
	if r.Label != "" {
		text += ", label " + r.Label
	}
	return text
}

// sendReport tells the server what the project has now. A pull does not fail for it.
func (r *projectRun) sendReport(ctx context.Context, plan project.Plan) error {
	report := r.useReport(plan)
	if report == nil {
		return nil
	}
	err := r.source.(*serverSource).client.Report(ctx, *report)
	if err != nil {
		return r.printWarnings([]string{"the server did not take the report of " + report.Project + ": " + err.Error()})
	}
	return nil
}

func (a commands) rulesetsConsumers() command.Command {
	var behind, asJSON bool
	return command.Command{
		Name:  "consumers",
		Short: "list who has which revision of the rulesets, and who is behind",
		Long: "A server that was started with --consumers records which revisions its clients read\n" +
			"and projects pull; projects report only if " + project.SelectionFile + " gives them a name (project:).\n" +
			"Asking a server takes a key with the scope rulesets:admin.",
		Flags: func(set *pflag.FlagSet) {
			set.BoolVar(&behind, "behind", false, "only those with an older revision")
			command.JSONFlag(set, &asJSON)
			a.readingFlags(set)
		},
		Run: func(ctx context.Context, _ []string) error {
			all, err := a.standings(ctx, behind)
			if err != nil {
				return err
			}
			if asJSON {
				return a.PrintJSON(append([]consumers.Standing{}, all...))
			}
			return printStandings(a.IO, all)
		},
	}
}

// standings asks the server, or reads the record in the store or the data folder.
func (b books) standings(ctx context.Context, behind bool) ([]consumers.Standing, error) {
	r, err := b.app.DialRemote()
	if err != nil {
		return nil, err
	}
	if r != nil && b.app.Flags.Store == "" {
		all, err := rulesclient.New(r.Endpoint, buildinfo.Read().Version).Consumers(ctx, "", behind)
		if _, unknown := errors.AsType[*jsonrpc.Error](err); unknown {
			err = cmderr.WithHints(err, "the server records consumers if it is started with --consumers, and shows them to keys with the scope rulesets:admin")
		}
		return all, app.WithReachHint(err)
	}
	env, err := b.app.Env(slog.LevelWarn)
	if err != nil {
		return nil, err
	}
	book, err := rulesets.OpenBook(ctx, env)
	if err != nil {
		return nil, err
	}
	known, err := book.All(ctx)
	if err = errors.Join(err, book.Close()); err != nil {
		return nil, err
	}
	var standings []consumers.Standing
	err = b.withStore(ctx, func(store ruleset.Store) error {
		all, err := consumers.Standings(ctx, rulesets.NewestIn(store, false), known)
		for _, s := range all {
			if !behind || s.Behind() {
				standings = append(standings, s)
			}
		}
		return err
	})
	return standings, err
}

func printStandings(out *cmdio.IO, all []consumers.Standing) error {
	if len(all) == 0 {
		return out.Printf("no consumers\n")
	}
	rows := [][]string{{"PROJECT", "CLIENT", "RULESET", "HAS", "NEWEST", "BEHIND SINCE", "SEEN"}}
	for _, s := range all {
		who, newest, since := s.Project, fmt.Sprint(s.Newest), "-"
		if who == "" {
			who = "key " + cmp.Or(s.KeyName, s.Key)
		}
		switch {
		case s.Newest == 0 && s.Label != "":
			newest = "none at " + string(s.Label)
		case s.Newest == 0:
			newest = "deleted"
		case s.Label != "":
			newest += " at " + string(s.Label)
		}
		if !s.Since.IsZero() {
			since = s.Since.UTC().Format(time.DateTime)
		}
		rows = append(rows, []string{who, s.Client, string(s.Name), fmt.Sprint(s.Rev), newest, since, s.Seen.UTC().Format(time.DateTime)})
	}
	return out.PrintTable(rows)
}
