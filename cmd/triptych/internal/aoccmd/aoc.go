package aoccmd

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strconv"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/aoc"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/toolcmd"
)

// AoCCommand returns the row of triptych aoc.
func AoCCommand(a *app.App) app.Command { return commands{a}.aocCommand() }

func (a commands) aocCommand() app.Command {
	return app.Command{
		Name:  "aoc",
		Short: "work with Advent of Code puzzles and solving speeds",
		Sub: []app.Command{
			a.aocList(), a.aocShow(), a.aocFetch(), a.aocLogin(), a.aocRecord(), a.aocRecords(), a.aocEdit(), a.aocDelete(),
			a.aocAlias(), a.aocStats(), a.aocRace(), a.aocVerify(),
		},
	}
}

// openBook opens the book, and in it the year, that the flags and the environment
// name.
func (a commands) openBook() (*aoc.Book, error) {
	env, err := a.Env(slog.LevelWarn)
	if err != nil {
		return nil, err
	}
	year, err := a.Configs.AoC.DefaultYear(env)
	if err != nil {
		return nil, err
	}
	return a.Configs.AoC.Book(env).Year(year), nil
}

// parseDay reads a day from the command line.
func parseDay(word string) (aoc.Day, error) {
	n, err := strconv.Atoi(word)
	if err != nil {
		return 0, app.UsageErrorf("day %q is not a number", word)
	}
	day, err := aoc.ParseDay(n)
	if err != nil {
		return 0, app.UsageErrorf("%v", err)
	}
	return day, nil
}

// A dayJSON is a day of the list for programs.
type dayJSON struct {
	Day      int `json:"day"`
	Phases   int `json:"phases"`
	Recorded int `json:"recorded"`
}

func (a commands) aocList() app.Command {
	var asJSON bool
	return app.Command{
		Name: "list", Short: "list the days that have a puzzle",
		Flags: func(set *pflag.FlagSet) {
			app.JSONFlag(set, &asJSON)
			a.FamilyFlags("aoc")(set)
		},
		Run: func(context.Context, []string) error {
			book, err := a.openBook()
			if err != nil {
				return err
			}
			days, err := listDays(book)
			switch {
			case err != nil:
				return err
			case asJSON:
				return a.PrintJSON(days)
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

func (a commands) printDays(days []dayJSON) error {
	if len(days) == 0 {
		fmt.Fprintln(a.Err, "triptych: no puzzles; put Day01_phase1.md into the folder instructions")
		return nil
	}
	rows := [][]string{{"DAY", "PHASES", "RECORDED"}}
	for _, d := range days {
		rows = append(rows, []string{strconv.Itoa(d.Day), strconv.Itoa(d.Phases), strconv.Itoa(d.Recorded)})
	}
	return a.PrintTable(rows)
}

func (a commands) aocShow() app.Command {
	return app.Command{
		Name: "show", Args: "DAY", Min: 1, Max: 1,
		Short:    "print the puzzle of a day",
		Flags:    a.FamilyFlags("aoc"),
		Complete: a.completeDays,
		Run: func(_ context.Context, args []string) error {
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
				return app.WithHints(err, "triptych aoc list shows what there is")
			}
			return a.Printf("%s", app.EndLine(puzzle.Text()))
		},
	}
}

func (a commands) completeDays(_ context.Context, before []string) []string {
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

func (a commands) aocRecord() app.Command {
	return app.Command{
		Name: "record", Args: "DAY PHASE LLM MILLISECONDS", Min: 4, Max: 4,
		Short:    "record how long an LLM took",
		Example:  "triptych aoc record 1 2 gpt4 1250",
		Flags:    a.FamilyFlags("aoc"),
		Complete: a.completeDays,
		Run: func(ctx context.Context, args []string) error {
			arguments, err := recordArguments(args)
			if err != nil {
				return err
			}
			// The tool has the rules and the text of the answer.
			return toolcmd.Call(ctx, a.Only("aoc"), "record_speed", toolcmd.Arguments{JSON: arguments}, false)
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
		return nil, app.UsageErrorf("phase %q is not a number", words[1])
	}
	ms, err := strconv.ParseInt(words[3], 10, 64)
	if err != nil {
		return nil, app.UsageErrorf("%q is not a number of milliseconds", words[3])
	}
	return json.Marshal(map[string]any{"day": day, "phase": phase, "llm_name": words[2], "speed_ms": ms})
}
