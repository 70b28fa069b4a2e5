package rulesetscmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
	"github.com/triptych-mcp/triptych/rulesets"
	"github.com/triptych-mcp/triptych/rulesets/editors"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

func (a commands) rulesetsFind() command.Command {
	var asJSON bool
	var q rulesets.Query
	return command.Command{
		Name: "find", Args: "[WORD...]", Min: 0, Max: command.AnyNumber,
		Short: "search the texts of rulesets, or list those that apply to a file",
		Long: "Rulesets that have one of the words are listed, best first: words count more in\n" +
			"names, tags, descriptions and headings than in the text, and in any English form.\n" +
			"With --path all rulesets are listed: those that apply to the file in the order in\n" +
			"which they are read, then the others, each with the reason.",
		Example: "triptych rulesets find error handling --tag go\ntriptych rulesets find --path src/api/x.go --client cursor",
		Flags: func(set *pflag.FlagSet) {
			command.JSONFlag(set, &asJSON)
			set.StringArrayVarP(&q.Tags, "tag", "t", nil, "only those with this `tag`; may be given several times")
			set.StringVarP(&q.Regexp, "regexp", "e", "", "only those that this regular `expression` (RE2) matches")
			set.StringVar(&q.Path, "path", "", "say which apply to this `file`, a path from the root of the project")
			set.StringVar(&q.Client, "client", "", "only those for this `client`, such as cursor")
			command.Offer(set, "client", editors.Names())
			set.IntVar(&q.Limit, "limit", 50, "list at most this `number`, up to 200")
			set.StringVar(&q.Cursor, "cursor", "", "go on after this `cursor` of an earlier answer")
			a.storeFlags(set)
		},
		Run: func(ctx context.Context, args []string) error {
			q.Text = strings.Join(args, " ")
			if q.Limit < 1 {
				return cmderr.UsageErrorf("--limit is %d, want at least 1", q.Limit)
			}
			return a.withStore(ctx, func(store ruleset.Store) error {
				found, err := rulesets.Find(ctx, store, q)
				if wrong, ok := errors.AsType[*rulesets.QueryError](err); ok {
					return cmderr.UsageErrorf("--%v", wrong)
				}
				if err != nil {
					return err
				}
				return printFound(a.IO, q, found, asJSON)
			})
		},
	}
}

// A foundJSON is a ruleset that was found, for programs.
type foundJSON struct {
	rulesetJSON
	Applies *bool   `json:"applies,omitempty"`
	Reason  string  `json:"reason,omitempty"`
	Layer   string  `json:"layer,omitempty"`
	Score   float32 `json:"score,omitempty"`
	Line    int     `json:"line,omitempty"`
	Snippet string  `json:"snippet,omitempty"`
}

func printFound(out *cmdio.IO, q rulesets.Query, found rulesets.Found, asJSON bool) error {
	if asJSON {
		return printFoundJSON(out, q, found)
	}
	if len(found.Hits) == 0 {
		fmt.Fprintln(out.Err, "triptych: no rulesets")
		return nil
	}
	rows := [][]string{{"NAME", "TAGS", "WHERE"}}
	if q.Path != "" {
		rows[0] = []string{"NAME", "APPLIES", "LAYER", "BECAUSE"}
	}
	for _, h := range found.Hits {
		if q.Path != "" {
			applies := "no"
			if h.Decision.Applies {
				applies = "yes"
			}
			rows = append(rows, []string{string(h.Name), applies, h.Layer.String(), h.Decision.Reason})
			continue
		}
		where := h.Description
		if h.Line > 0 {
			where = fmt.Sprintf("%d: %s", h.Line, h.Snippet)
		}
		rows = append(rows, []string{string(h.Name), strings.Join(h.Tags, ","), where})
	}
	if err := out.PrintTable(rows); err != nil {
		return err
	}
	if found.Next != "" {
		fmt.Fprintf(out.Err, "triptych: %d of %d are listed; --cursor %s lists the next\n", len(found.Hits), found.Total, found.Next)
	}
	return nil
}

func printFoundJSON(out *cmdio.IO, q rulesets.Query, found rulesets.Found) error {
	all := struct {
		Total    int         `json:"total"`
		Rulesets []foundJSON `json:"rulesets"`
		Next     string      `json:"next_cursor,omitempty"`
	}{found.Total, []foundJSON{}, found.Next}
	for _, h := range found.Hits {
		one := foundJSON{rulesetJSON: metaJSON(h.Meta), Score: h.Score, Line: h.Line, Snippet: h.Snippet}
		if q.Path != "" {
			one.Applies, one.Reason, one.Layer = &h.Decision.Applies, h.Decision.Reason, h.Layer.String()
		}
		all.Rulesets = append(all.Rulesets, one)
	}
	return out.PrintJSON(all)
}
