package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strconv"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/aoc"
)

func (a *app) aocCommand() command {
	return command{
		name:  "aoc",
		short: "work with Advent of Code puzzles and solving speeds",
		sub: []command{
			a.aocList(), a.aocShow(), a.aocFetch(), a.aocLogin(), a.aocRecord(), a.aocRecords(), a.aocEdit(), a.aocDelete(),
			a.aocAlias(), a.aocStats(), a.aocRace(), a.aocVerify(),
		},
	}
}

// openBook opens the book, and in it the year, that the flags and the environment
// name.
func (a *app) openBook() (*aoc.Book, error) {
	env, err := a.env(slog.LevelWarn)
	if err != nil {
		return nil, err
	}
	year, err := a.configs.aoc.DefaultYear(env)
	if err != nil {
		return nil, err
	}
	return a.configs.aoc.Book(env).Year(year), nil
}

// parseDay reads a day from the command line.
func parseDay(word string) (aoc.Day, error) {
	n, err := strconv.Atoi(word)
	if err != nil {
		return 0, misused("day %q is not a number", word)
	}
	day, err := aoc.ParseDay(n)
	if err != nil {
		return 0, misused("%v", err)
	}
	return day, nil
}

// A dayJSON is a day of the list for programs.
type dayJSON struct {
	Day      int `json:"day"`
	Phases   int `json:"phases"`
	Recorded int `json:"recorded"`
}

func (a *app) aocList() command {
	var asJSON bool
	return command{
		name: "list", short: "list the days that have a puzzle",
		flags: func(set *pflag.FlagSet) {
			jsonFlag(set, &asJSON)
			a.familyFlags("aoc")(set)
		},
		run: func(context.Context, []string) error {
			book, err := a.openBook()
			if err != nil {
				return err
			}
			days, err := listDays(book)
			switch {
			case err != nil:
				return err
			case asJSON:
				return a.printJSON(days)
			}
			return a.printDays(days)
		},
	}
}

func listDays(book *aoc.Book) ([]dayJSON, error) {
	days, err := book.Days()
	if err != nil {
		return nil, err
	}
	list := make([]dayJSON, 0, len(days))
	for _, day := range days {
		puzzle, err := book.Instruction(day)
		if err != nil {
			return nil, err
		}
		speeds, err := book.Speeds(day)
		if err != nil {
			return nil, err
		}
		phases := 1
		if puzzle.Phase2 != nil {
			phases = 2
		}
		list = append(list, dayJSON{int(day), phases, len(speeds)})
	}
	return list, nil
}

func (a *app) printDays(days []dayJSON) error {
	if len(days) == 0 {
		fmt.Fprintln(a.err, "triptych: no puzzles; put Day01_phase1.md into the folder instructions")
		return nil
	}
	rows := [][]string{{"DAY", "PHASES", "RECORDED"}}
	for _, d := range days {
		rows = append(rows, []string{strconv.Itoa(d.Day), strconv.Itoa(d.Phases), strconv.Itoa(d.Recorded)})
	}
	return a.printTable(rows)
}

func (a *app) aocShow() command {
	return command{
		name: "show", args: "DAY", min: 1, max: 1,
		short:    "print the puzzle of a day",
		flags:    a.familyFlags("aoc"),
		complete: a.completeDays,
		run: func(_ context.Context, args []string) error {
			day, err := parseDay(args[0])
			if err != nil {
				return err
			}
			book, err := a.openBook()
			if err != nil {
				return err
			}
			puzzle, err := book.Instruction(day)
			if err != nil {
				return hinted(err, "triptych aoc list shows what there is")
			}
			return a.printf("%s", endLine(puzzle.Text()))
		},
	}
}

func (a *app) completeDays(_ context.Context, before []string) []string {
	book, err := a.openBook()
	if err != nil || len(before) > 0 {
		return nil
	}
	days, _ := book.Days() // completion stays silent
	words := make([]string, len(days))
	for i, day := range days {
		words[i] = strconv.Itoa(int(day))
	}
	return words
}

func (a *app) aocRecord() command {
	return command{
		name: "record", args: "DAY PHASE LLM MILLISECONDS", min: 4, max: 4,
		short:    "record how long an LLM took",
		example:  "triptych aoc record 1 2 gpt4 1250",
		flags:    a.familyFlags("aoc"),
		complete: a.completeDays,
		run: func(ctx context.Context, args []string) error {
			arguments, err := recordArguments(args)
			if err != nil {
				return err
			}
			// The tool has the rules and the text of the answer.
			return callTool(ctx, a.only("aoc"), "record_speed", callArguments{json: arguments}, false)
		},
	}
}

// recordArguments returns the arguments of the tool from the words of the command
// line.
func recordArguments(words []string) (json.RawMessage, error) {
	day, err := parseDay(words[0])
	if err != nil {
		return nil, err
	}
	phase, err := strconv.Atoi(words[1])
	if err != nil {
		return nil, misused("phase %q is not a number", words[1])
	}
	ms, err := strconv.ParseInt(words[3], 10, 64)
	if err != nil {
		return nil, misused("%q is not a number of milliseconds", words[3])
	}
	return json.Marshal(map[string]any{"day": day, "phase": phase, "llm_name": words[2], "speed_ms": ms})
}
