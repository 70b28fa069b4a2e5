package aoccmd

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/aoc"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/toolcmd"
	"github.com/triptych-mcp/triptych/mcp/host"
)

// AoCCommand returns the row of triptych aoc.
func AoCCommand(a *app.App) command.Command { return newCommands(a).aocCommand() }

func (a commands) aocCommand() command.Command {
	return command.Command{
		Name:  "aoc",
		Short: "work with Advent of Code puzzles and solving speeds",
		Sub: []command.Command{
			a.aocLogin(), a.aocWatch(), a.aocFetch(), a.aocList(), a.aocShow(), a.aocInput(), a.aocOpen(), a.aocSubmit(), a.aocGuesses(), a.aocStars(),
			a.aocLeaderboard(), a.aocRace(), a.aocStats(), a.aocVerify(), a.aocRecord(), a.aocRecords(), a.aocEdit(), a.aocDelete(), a.aocAlias(),
		},
	}
}

// openBook opens the book of all years, and returns the year that the flags or the
// environment name, 0 if they name none.
func (a commands) openBook() (*aoc.Book, int, error) {
	config, env, err := a.aocConfig()
	if err != nil {
		return nil, 0, err
	}
	year, err := config.DefaultYear(env)
	return config.Book(env), year, err
}

// bookOfPuzzles opens the book of the year that the flags or the environment name, else
// one that has what is wanted, which it says.
func (a commands) bookOfPuzzles(has func(*aoc.Book) bool) (*aoc.Book, error) {
	book, year, err := a.openBook()
	if err != nil || year != 0 {
		return book.Year(year), err
	}
	return a.bookToRead(book, has)
}

// bookOfSpeeds opens the book of the year that the arguments name, else the flags or the
// environment, else one that has speeds, which it says.
func (a commands) bookOfSpeeds(args ...string) (*aoc.Book, error) {
	book, year, err := a.openBook()
	if err == nil && len(args) > 0 {
		year, err = parseYear(args[0])
	}
	switch {
	case err != nil:
		return nil, err
	case year != 0:
		return book.YearToRead(year), nil
	}
	return a.bookToRead(book, (*aoc.Book).HasSpeeds)
}

// bookToRead returns the book that is meant where no year is given, and says which.
func (a commands) bookToRead(book *aoc.Book, has func(*aoc.Book) bool) (*aoc.Book, error) {
	user, err := a.localUser()
	if err != nil {
		return nil, err
	}
	found, err := aoc.BookToRead(a.app.Now(), book, user, has)
	if err != nil {
		return nil, err
	}
	years, err := aoc.YearsOf(book, user)
	switch {
	case found.HasYear():
		tellYear(a.IO, found.EventYear())
	case len(years) > 0:
		fmt.Fprintln(a.Err, "triptych: the files without a year are meant; --aoc-year names another year")
	}
	return found, err
}

// eventYear returns the year that is meant where nothing names one.
func (a commands) eventYear() (int, error) {
	config, env, err := a.aocConfig()
	if err != nil {
		return 0, err
	}
	if year, err := config.DefaultYear(env); err != nil || year != 0 {
		return year, err
	}
	return aoc.EventYear(env.Now(), config.Book(env), config.User(env, host.Local().ID))
}

// tellYear says which year is meant where nothing names one.
func tellYear(out *cmdio.IO, year int) {
	fmt.Fprintf(out.Err, "triptych: Advent of Code %d\n", year)
}

func parseYear(word string) (int, error) {
	year, err := strconv.Atoi(word)
	if err != nil {
		return 0, cmderr.UsageErrorf("year %q is not a number", word)
	}
	if _, err := aoc.ParseYear(year); err != nil {
		return 0, cmderr.UsageErrorf("%v", err)
	}
	return year, nil
}

// parseDay reads a day from the command line.
func parseDay(word string) (aoc.Day, error) {
	n, err := strconv.Atoi(word)
	if err != nil {
		return 0, cmderr.UsageErrorf("day %q is not a number", word)
	}
	day, err := aoc.ParseDay(n)
	if err != nil {
		return 0, cmderr.UsageErrorf("%v", err)
	}
	return day, nil
}

// A dayJSON is a day of the list for programs.
type dayJSON struct {
	Day      int `json:"day"`
	Phases   int `json:"phases"`
	Recorded int `json:"recorded"`
}

func (a commands) aocList() command.Command {
	var asJSON bool
	return command.Command{
		Name: "list", Short: "list the days that have a puzzle",
		Flags: func(set *pflag.FlagSet) {
			command.JSONFlag(set, &asJSON)
			a.bookFlags(set)
		},
		Run: func(context.Context, []string) error {
			user, err := a.localUser()
			if err != nil {
				return err
			}
			book, err := a.bookOfPuzzles(func(b *aoc.Book) bool {
				days, err := aoc.DaysOf(b, user)
				return err != nil || len(days) > 0
			})
			if err != nil {
				return err
			}
			days, err := listDays(book, user)
			switch {
			case err != nil:
				return err
			case asJSON:
				return a.PrintJSON(days)
			}
			return printDays(a.IO, days)
		},
	}
}

func listDays(book *aoc.Book, user *aoc.User) ([]dayJSON, error) {
	days, err := aoc.DaysOf(book, user)
	if err != nil {
		return nil, err
	}
	list := make([]dayJSON, 0, len(days))
	for _, day := range days {
		puzzle, err := aoc.InstructionOf(book, user, day)
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

func printDays(out *cmdio.IO, days []dayJSON) error {
	if len(days) == 0 {
		fmt.Fprintln(out.Err, "triptych: no puzzles; run triptych aoc fetch, or put Day01_phase1.md into the folder instructions")
		return nil
	}
	rows := [][]string{{"DAY", "PHASES", "RECORDED"}}
	for _, d := range days {
		rows = append(rows, []string{strconv.Itoa(d.Day), strconv.Itoa(d.Phases), strconv.Itoa(d.Recorded)})
	}
	return out.PrintTable(rows)
}

func (a commands) aocShow() command.Command {
	return command.Command{
		Name: "show", Args: "DAY", Min: 1, Max: 1,
		Short:    "print the puzzle of a day",
		Flags:    a.bookFlags,
		Complete: a.completeDays,
		Run: func(_ context.Context, args []string) error {
			day, err := parseDay(args[0])
			if err != nil {
				return err
			}
			user, err := a.localUser()
			if err != nil {
				return err
			}
			book, err := a.bookOfPuzzles(func(b *aoc.Book) bool {
				_, err := aoc.InstructionOf(b, user, day)
				return err == nil
			})
			if err != nil {
				return err
			}
			puzzle, err := aoc.InstructionOf(book, user, day)
			if err != nil {
				return cmderr.WithHints(err, "triptych aoc list shows what there is", "triptych aoc fetch downloads puzzles")
			}
			return a.Printf("%s", cmdio.EndLine(puzzle.Text()))
		},
	}
}

func (a commands) completeDays(_ context.Context, before []string) []string {
	book, year, err := a.openBook()
	if err != nil || len(before) > 0 {
		return nil
	}
	user, err := a.localUser()
	if err != nil {
		return nil
	}
	days, _ := aoc.DaysOf(book.Year(year), user) // completion stays silent
	words := make([]string, len(days))
	for i, day := range days {
		words[i] = strconv.Itoa(int(day))
	}
	return words
}

// A recordRun holds the flags of record.
type recordRun struct {
	correct  string
	language string
	notes    string
	attempts int
	in, out  int64
	cost     float64
}

func (a commands) aocRecord() command.Command {
	var r recordRun
	return command.Command{
		Name: "record", Args: "DAY PHASE LLM MILLISECONDS", Min: 4, Max: 4,
		Short:   "record how long an LLM took to solve a puzzle",
		Long:    "The record is one of solving: from the instruction to the answer. triptych aoc verify records how long a program ran.",
		Example: "triptych aoc record 1 2 gpt4 1250\ntriptych aoc record 1 2 gpt4 90000 --correct false --attempts 3 --cost 0.12",
		Flags: func(set *pflag.FlagSet) {
			set.StringVar(&r.correct, "correct", "", "whether the answer was right: `true` or false; unverified if left out")
			set.IntVar(&r.attempts, "attempts", 0, "the `number` of answers that were tried")
			set.StringVar(&r.language, "language", "", "the programming `language`")
			set.Int64Var(&r.in, "tokens-in", 0, "the `number` of tokens that the model read")
			set.Int64Var(&r.out, "tokens-out", 0, "the `number` of tokens that the model wrote")
			set.Float64Var(&r.cost, "cost", 0, "the cost in US `dollars`")
			set.StringVar(&r.notes, "notes", "", "a `text` to keep with the record")
			a.bookFlags(set)
		},
		Complete: a.completeDays,
		Run: func(ctx context.Context, args []string) error {
			arguments, err := recordArguments(args, r)
			if err != nil {
				return err
			}
			if err := a.nameYear(arguments); err != nil {
				return err
			}
			text, err := json.Marshal(arguments)
			if err != nil {
				return err
			}
			// The tool has the rules and the text of the answer.
			return toolcmd.Call(ctx, a.app.Only("aoc"), "record_speed", toolcmd.Arguments{JSON: text}, false)
		},
	}
}

// recordArguments returns the arguments of the tool from the words and flags of the
// command line.
func recordArguments(words []string, r recordRun) (map[string]any, error) {
	day, err := parseDay(words[0])
	if err != nil {
		return nil, err
	}
	phase, err := strconv.Atoi(words[1])
	if err != nil {
		return nil, cmderr.UsageErrorf("phase %q is not a number", words[1])
	}
	ms, err := strconv.ParseInt(words[3], 10, 64)
	if err != nil {
		return nil, cmderr.UsageErrorf("%q is not a number of milliseconds", words[3])
	}
	arguments := map[string]any{"day": day, "phase": phase, "llm_name": words[2], "speed_ms": ms}
	if r.correct != "" {
		correct, err := strconv.ParseBool(r.correct)
		if err != nil {
			return nil, cmderr.UsageErrorf("--correct must be true or false")
		}
		arguments["correct"] = correct
	}
	for name, value := range map[string]any{
		"attempts": r.attempts, "language": r.language, "tokens_in": r.in, "tokens_out": r.out, "cost_usd": r.cost, "notes": r.notes,
	} {
		if !reflect.ValueOf(value).IsZero() {
			arguments[name] = value
		}
	}
	return arguments, nil
}

// nameYear adds the year of the record to the arguments, and says it, if the flags and
// the environment name none.
func (a commands) nameYear(arguments map[string]any) error {
	book, year, err := a.openBook()
	if err != nil || year != 0 {
		return err
	}
	user, err := a.localUser()
	if err != nil {
		return err
	}
	day, _ := arguments["day"].(aoc.Day)
	part, _ := arguments["phase"].(int)
	found, err := aoc.BookToRecord(a.app.Now(), book, user, day, aoc.Phase(part))
	if err == nil && found.HasYear() {
		arguments["year"] = found.EventYear()
		tellYear(a.IO, found.EventYear())
	}
	return err
}
