package aoccmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/aoc"
	"github.com/triptych-mcp/triptych/aoc/race"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
)

// A raceRun holds the flags of race.
type raceRun struct {
	day, phase int
	kind, by   string
	details    bool
	format     string
	plot       string
	picture    string
}

// racePlots draw a race.
var racePlots = map[string]func(*race.Race) *race.Plot{
	"bars": (*race.Race).Bars, "cumulative": (*race.Race).Cumulative, "heat": (*race.Race).Heat,
}

// byLanguage is a value of --by beside the orders of standings.
const byLanguage = "language"

func (a commands) aocRace() command.Command {
	var r raceRun
	return command.Command{
		Name: "race", Args: "[YEAR]", Max: 1,
		Short: "compare models: solved parts, times, tokens, cost",
		Long: "Models that solved more parts come first, then those that took less time. A model's time for a part is the median of its " +
			"successful runs; runs whose answers are not verified are marked and come last. With --picture a plot is written to a file; " +
			"its name ends in .svg or .png. With --format leaderboard the race becomes a private leaderboard in the site's own JSON.",
		Example: "triptych aoc race 2025\ntriptych aoc race 2025 --by cost\ntriptych aoc race 2025 --plot cumulative --picture race.png\n" +
			"triptych aoc race 2025 --format leaderboard >leaderboard.json",
		Flags: func(set *pflag.FlagSet) {
			set.IntVar(&r.day, "day", 0, "only this `day`")
			set.IntVar(&r.phase, "phase", 0, "only this `phase`: 1 or 2")
			set.StringVar(&r.kind, "kind", string(race.Solve), "the `kind` of runs: solve, by models, or program, running")
			set.StringVar(&r.by, "by", string(race.ByTime), "rank by this `quantity`: time, timed, tokens, cost, attempts or language")
			set.BoolVar(&r.details, "details", false, "add the tables by puzzle and by pair of models")
			set.StringVar(&r.format, "format", "text", "the `format`: text, json, csv, markdown or leaderboard")
			set.StringVar(&r.plot, "plot", "bars", "the `plot` of --picture: bars, cumulative or heat")
			set.StringVar(&r.picture, "picture", "", "write a plot to this `file`")
			a.bookFlags(set)
		},
		Run: func(_ context.Context, args []string) error { return a.race(r, args) },
	}
}

func (a commands) race(r raceRun, args []string) error {
	if err := checkKind(r.kind); err != nil {
		return err
	}
	if r.by != byLanguage && !slices.Contains(race.Orders, race.Order(r.by)) {
		return cmderr.UsageErrorf("--by %q is none of time, timed, tokens, cost, attempts and language", r.by)
	}
	book, err := a.bookOfSpeeds(args...)
	if err != nil {
		return err
	}
	runs, unreadable := book.Runs(aoc.Filter{Day: aoc.Day(r.day), Phase: aoc.Phase(r.phase)})
	kind := race.Kind(r.kind)
	result := race.New(kind, runs)
	tellOtherKind(a.IO, kind, runs)
	if r.picture != "" {
		return errors.Join(savePlot(a.IO, result, r), unreadable)
	}
	if r.by == byLanguage {
		return errors.Join(printLanguages(a.IO, race.Languages(kind, runs), r.format), unreadable)
	}
	return errors.Join(a.printRace(result, book, r), unreadable)
}

func checkKind(kind string) error {
	if kind != string(race.Solve) && kind != string(race.Program) {
		return cmderr.UsageErrorf("kind %q is neither solve nor program", kind)
	}
	return nil
}

func (a commands) printRace(result *race.Race, book *aoc.Book, r raceRun) error {
	order := race.Order(r.by)
	switch r.format {
	case "text":
		text := result.Text(order)
		if r.details && len(result.Standings) > 0 {
			text = result.Details() + "\n" + text
		}
		return a.Printf("%s", text)
	case "json":
		result.Standings = result.Sorted(order)
		return a.PrintJSON(result)
	case "csv":
		return a.Printf("%s", result.CSV())
	case "markdown":
		return a.Printf("%s", result.Markdown(order))
	case "leaderboard":
		return a.printLeaderboardOf(result, book)
	}
	return cmderr.UsageErrorf("format %q is none of text, json, csv, markdown and leaderboard", r.format)
}

func printLanguages(out *cmdio.IO, list []race.LanguageResult, format string) error {
	switch format {
	case "text":
		return out.Printf("%s", race.LanguageTable(list))
	case "json":
		return out.PrintJSON(list)
	}
	return cmderr.UsageErrorf("--by language has the formats text and json")
}

// printLeaderboardOf prints the race as a private leaderboard.
func (a commands) printLeaderboardOf(result *race.Race, book *aoc.Book) error {
	year := book.EventYear()
	user, err := a.localUser()
	if err != nil {
		return err
	}
	text, err := result.Leaderboard(year, user.EventDays(year), func(day int) time.Time {
		return aoc.Puzzle{Year: year, Day: day}.Opens()
	})
	if err != nil {
		return err
	}
	return a.Printf("%s\n", text)
}

// tellOtherKind says how many runs are of another kind.
func tellOtherKind(out *cmdio.IO, kind race.Kind, runs []race.Run) {
	others := 0
	for i := range runs {
		if runs[i].Kind != kind {
			others++
		}
	}
	if others == 0 {
		return
	}
	other := race.Program
	if kind == race.Program {
		other = race.Solve
	}
	fmt.Fprintf(out.Err, "triptych: %d runs of the kind %s are not in this table; --kind %s shows them\n", others, other, other)
}

func savePlot(out *cmdio.IO, result *race.Race, r raceRun) error {
	draw, ok := racePlots[r.plot]
	if !ok {
		return cmderr.UsageErrorf("plot %q is none of bars, cumulative and heat", r.plot)
	}
	plot := draw(result)
	var data []byte
	var err error
	switch {
	case strings.HasSuffix(r.picture, ".svg"):
		data = plot.SVG()
	case strings.HasSuffix(r.picture, ".png"):
		data, err = plot.PNG()
	default:
		return cmderr.UsageErrorf("%s: the name must end in .svg or .png", r.picture)
	}
	if err != nil {
		return err
	}
	if err := os.WriteFile(r.picture, data, 0o644); err != nil {
		return err
	}
	return out.Printf("wrote %s\n", r.picture)
}
