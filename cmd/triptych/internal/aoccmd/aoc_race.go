package aoccmd

import (
	"context"
	"errors"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/aoc"
	"github.com/triptych-mcp/triptych/aoc/race"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
)

// A raceRun holds the flags of race.
type raceRun struct {
	day, phase   int
	format, plot string
	picture      string
}

// raceFormats print a race.
var raceFormats = map[string]func(*race.Race) string{
	"text": (*race.Race).Text, "markdown": (*race.Race).Markdown, "csv": (*race.Race).CSV,
}

// racePlots draw a race.
var racePlots = map[string]func(*race.Race) *race.Plot{
	"bars": (*race.Race).Bars, "cumulative": (*race.Race).Cumulative, "heat": (*race.Race).Heat,
}

func (a commands) aocRace() app.Command {
	var r raceRun
	return app.Command{
		Name: "race", Args: "[YEAR]", Max: 1,
		Short:   "compare models: ranks, medals, medians, head to head",
		Long:    "A model's time for a part is the median of its successful runs. With --picture a plot is written to a file; its name ends in .svg or .png.",
		Example: "triptych aoc race 2025\ntriptych aoc race 2025 --plot cumulative --picture race.png\ntriptych aoc race 2025 --format csv",
		Flags: func(set *pflag.FlagSet) {
			set.IntVar(&r.day, "day", 0, "only this `day`")
			set.IntVar(&r.phase, "phase", 0, "only this `phase`: 1 or 2")
			set.StringVar(&r.format, "format", "text", "the `format`: text, json, csv or markdown")
			set.StringVar(&r.plot, "plot", "bars", "the `plot` of --picture: bars, cumulative or heat")
			set.StringVar(&r.picture, "picture", "", "write a plot to this `file`")
			a.FamilyFlags("aoc")(set)
		},
		Run: func(_ context.Context, args []string) error { return a.race(r, args) },
	}
}

func (a commands) race(r raceRun, args []string) error {
	book, err := a.openBook()
	if err != nil {
		return err
	}
	if len(args) > 0 {
		year, err := strconv.Atoi(args[0])
		if err != nil {
			return app.UsageErrorf("year %q is not a number", args[0])
		}
		if _, err := aoc.ParseYear(year); err != nil {
			return app.UsageErrorf("%v", err)
		}
		book = book.Year(year)
	}
	runs, unreadable := book.Runs(aoc.Filter{Day: aoc.Day(r.day), Phase: aoc.Phase(r.phase)})
	result := race.New(runs)
	if r.picture != "" {
		return errors.Join(a.savePlot(result, r), unreadable)
	}
	if r.format == "json" {
		return errors.Join(a.PrintJSON(result), unreadable)
	}
	format, ok := raceFormats[r.format]
	if !ok {
		return app.UsageErrorf("format %q is none of text, json, csv and markdown", r.format)
	}
	return errors.Join(a.Printf("%s", format(result)), unreadable)
}

func (a commands) savePlot(result *race.Race, r raceRun) error {
	draw, ok := racePlots[r.plot]
	if !ok {
		return app.UsageErrorf("plot %q is none of bars, cumulative and heat", r.plot)
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
		return app.UsageErrorf("%s: the name must end in .svg or .png", r.picture)
	}
	if err != nil {
		return err
	}
	if err := os.WriteFile(r.picture, data, 0o644); err != nil {
		return err
	}
	return a.Printf("wrote %s\n", r.picture)
}
