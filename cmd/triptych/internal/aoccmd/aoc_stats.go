package aoccmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/aoc"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
)

// chartWidth is the number of characters of the longest bar of a chart.
const chartWidth = 40

func (a commands) aocStats() app.Command {
	var s statsRun
	return app.Command{
		Name: "stats", Args: "[DAY]", Max: 1,
		Short:   "compare recorded solving speeds",
		Long:    "Prints a table and a chart of the means. With --svg the chart becomes a picture.",
		Example: "triptych aoc stats\ntriptych aoc stats 1 --phase 2 --svg day1.svg",
		Flags: func(set *pflag.FlagSet) {
			app.JSONFlag(set, &s.asJSON)
			set.IntVar(&s.phase, "phase", 0, "only this `phase`: 1 or 2")
			set.StringVar(&s.svg, "svg", "", "write the chart as a picture to this `file`; - is standard output")
			a.FamilyFlags("aoc")(set)
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

func (a commands) stats(_ context.Context, args []string, s statsRun) error {
	days := make([]aoc.Day, 0, aoc.LastDay)
	for day := aoc.Day(1); day <= aoc.LastDay; day++ {
		days = append(days, day)
	}
	if len(args) > 0 {
		day, err := parseDay(args[0])
		if err != nil {
			return err
		}
		days = []aoc.Day{day}
	}
	book, err := a.openBook()
	if err != nil {
		return err
	}
	speeds, unreadable := readSpeeds(book, days)
	if s.phase != 0 {
		speeds = slices.DeleteFunc(speeds, func(one speed) bool { return one.phase != s.phase })
	}
	return errors.Join(a.printStats(summarize(speeds), s), unreadable)
}

// readSpeeds reads the speeds of the days. The error names the files that cannot be
// read; the other days count all the same.
func readSpeeds(book *aoc.Book, days []aoc.Day) (all []speed, unreadable error) {
	for _, day := range days {
		entries, err := book.Speeds(day)
		unreadable = errors.Join(unreadable, err)
		for _, e := range entries {
			all = append(all, speed{int(day), int(e.Phase), e.LLM, e.SpeedMS})
		}
	}
	return all, unreadable
}

func (a commands) printStats(stats []statistic, s statsRun) error {
	switch {
	case s.asJSON:
		return a.PrintJSON(stats)
	case s.svg == "-":
		return chartOf(stats).svg(a.Out)
	case len(stats) == 0:
		fmt.Fprintln(a.Err, "triptych: no speeds are recorded")
		return nil
	case s.svg != "":
		return a.saveChart(stats, s.svg)
	}
	if err := a.PrintTable(statsRows(stats)); err != nil {
		return err
	}
	if err := a.Printf("\n"); err != nil {
		return err
	}
	return chartOf(stats).text(a.Out, chartWidth)
}

func statsRows(stats []statistic) [][]string {
	rows := [][]string{{"DAY", "PHASE", "LLM", "RUNS", "MIN", "MEDIAN", "MEAN", "MAX"}}
	for _, s := range stats {
		rows = append(rows, []string{
			strconv.Itoa(s.Day), strconv.Itoa(s.Phase), s.LLM, strconv.Itoa(s.Count),
			millis(s.Min), millis(s.Median), millis(s.Mean), millis(s.Max),
		})
	}
	return rows
}

func millis(ms int64) string { return strconv.FormatInt(ms, 10) + "ms" }

func (a commands) saveChart(stats []statistic, path string) error {
	var picture strings.Builder
	if err := chartOf(stats).svg(&picture); err != nil {
		return err
	}
	if err := os.WriteFile(path, []byte(picture.String()), 0o644); err != nil {
		return err
	}
	return a.Printf("wrote %s\n", path)
}
