package aoccmd

import (
	"context"
	"encoding/csv"
	"strconv"
	"time"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/aoc"
	"github.com/triptych-mcp/triptych/aoc/race"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
)

func (a commands) aocLeaderboard() command.Command {
	var format string
	return command.Command{
		Name: "leaderboard", Args: "[YEAR] NUMBER|LINK", Min: 1, Max: 2,
		Short:   "show a private leaderboard, at most 15 minutes old",
		Long:    "NUMBER is that in the leaderboard's address; a read-only link needs no cookie.",
		Example: "triptych aoc leaderboard 2025 123456 --format csv\ntriptych aoc leaderboard 'https://adventofcode.com/2025/leaderboard/private/view/1?view_key=…'",
		Flags: func(set *pflag.FlagSet) {
			set.StringVar(&format, "format", "text", "the `format`: text, json (the site's own), csv or markdown")
			a.bookFlags(set)
		},
		Run: func(ctx context.Context, args []string) error {
			last := len(args) - 1
			year, err := aoc.YearOfBoard(args[last]), error(nil)
			if year == 0 || last > 0 {
				year, err = a.yearOrEvent(args[:last])
			}
			if err != nil {
				return err
			}
			user, err := a.localUser()
			if err != nil {
				return err
			}
			board, err := user.Leaderboard(ctx, year, args[last])
			if err != nil {
				return err
			}
			if format == "json" {
				return a.PrintJSON(board.Board)
			}
			members, err := aoc.MembersOf(board.Board)
			if err != nil {
				return err
			}
			return printMembers(a.IO, members, format)
		},
	}
}

func printMembers(out *cmdio.IO, members []aoc.Member, format string) error {
	rows := [][]string{{"RANK", "NAME", "SCORE", "STARS", "LAST STAR"}}
	for i, m := range members {
		last := ""
		if !m.LastStar.IsZero() {
			last = m.LastStar.Format(time.RFC3339)
		}
		rows = append(rows, []string{strconv.Itoa(i + 1), m.Name, strconv.Itoa(m.Score), strconv.Itoa(m.Stars), last})
	}
	switch format {
	case "text":
		return out.PrintTable(rows)
	case "csv":
		w := csv.NewWriter(out.Out)
		return w.WriteAll(rows)
	case "markdown":
		return out.Printf("%s", race.MarkdownTable(rows))
	}
	return cmderr.UsageErrorf("format %q is none of text, json, csv and markdown", format)
}
