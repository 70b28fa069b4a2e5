package aoccmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/aoc"
	"github.com/triptych-mcp/triptych/aoc/race"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
)

// chartWidth is the number of characters of the longest bar of a chart.
const chartWidth = 40

func (a commands) aocStats() command.Command {
	var s statsRun
	return command.Command{
		Name: "stats", Args: "[DAY]", Max: 1,
		Short:   "compare recorded solving times by day",
		Long:    "Prints a table and a chart of the medians of successful runs. With --svg it becomes a picture. triptych aoc race compares models over all days.",
		Example: "triptych aoc stats\ntriptych aoc stats 1 --phase 2 --svg day1.svg",
		Flags: func(set *pflag.FlagSet) {
			command.JSONFlag(set, &s.asJSON)
			set.IntVar(&s.phase, "phase", 0, "only this `phase`: 1 or 2")
			set.StringVar(&s.svg, "svg", "", "write the chart as a picture to this `file`; - is standard output")
			a.bookFlags(set)
		},
		Run: func(ctx context.Context, args []string) error { return a.stats(ctx, args, s) },
	}
}

// A statsRun holds the flags of stats.
type statsRun struct {
	asJSON bool
	phase  int
	svg    string
}

// A statistic sums up the runs of a model that solved a part, in milliseconds.
type statistic struct {
	Day        int    `json:"day"`
	Phase      int    `json:"phase"`
	LLM        string `json:"llm"`
	Count      int    `json:"count"` // of successful runs
	Failures   int    `json:"failures,omitempty"`
	Unverified bool   `json:"unverified,omitempty"`
	Min        int64  `json:"min_ms"`
	Median     int64  `json:"median_ms"`
	Mean       int64  `json:"mean_ms"`
	Max        int64  `json:"max_ms"`
}

func (a commands) stats(_ context.Context, args []string, s statsRun) error {
	filter := aoc.Filter{Phase: aoc.Phase(s.phase)}
	if len(args) > 0 {
		day, err := parseDay(args[0])
		if err != nil {
			return err
		}
		filter.Day = day
	}
	book, err := a.bookOfSpeeds()
	if err != nil {
		return err
	}
	runs, unreadable := book.Runs(filter)
	return errors.Join(printStats(a.IO, race.New(race.Solve, runs), s), unreadable)
}

// statistics returns the results that have a rank: the race's order is that of the
// table.
func statistics(all *race.Race) []statistic {
	list := []statistic{}
	for _, r := range all.Results {
		if r.Rank > 0 {
			list = append(list, statistic{
				Day: r.Day, Phase: r.Part, LLM: r.Model, Count: r.Runs - r.Failures, Failures: r.Failures, Unverified: r.Unverified,
				Min: r.Best, Median: r.Median, Mean: r.Mean, Max: r.Worst,
			})
		}
	}
	return list
}

func printStats(out *cmdio.IO, all *race.Race, s statsRun) error {
	stats := statistics(all)
	switch {
	case s.asJSON:
		return out.PrintJSON(stats)
	case s.svg == "-":
		return out.Printf("%s", all.Bars().SVG())
	case len(stats) == 0:
		fmt.Fprintln(out.Err, "triptych: no speeds are recorded")
		return nil
	case s.svg != "":
		return saveChart(out, all, s.svg)
	}
	if err := out.PrintTable(statsRows(stats)); err != nil {
		return err
	}
	if err := out.Printf("\n"); err != nil {
		return err
	}
	return chartOf(stats).text(out.Out, chartWidth)
}

func statsRows(stats []statistic) [][]string {
	rows := [][]string{{"DAY", "PHASE", "LLM", "RUNS", "MIN", "MEDIAN", "MEAN", "MAX"}}
	for _, s := range stats {
		name := s.LLM
		if s.Failures > 0 {
			name += fmt.Sprintf(" (%d failed)", s.Failures)
		}
		rows = append(rows, []string{
			strconv.Itoa(s.Day), strconv.Itoa(s.Phase), name, strconv.Itoa(s.Count),
			millis(s.Min), millis(s.Median), millis(s.Mean), millis(s.Max),
		})
	}
	return rows
}

func millis(ms int64) string { return strconv.FormatInt(ms, 10) + "ms" }

func saveChart(out *cmdio.IO, all *race.Race, path string) error {
	if err := os.WriteFile(path, all.Bars().SVG(), 0o644); err != nil {
		return err
	}
	return out.Printf("wrote %s\n", path)
}
