package aoccmd

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/aoc"
	"github.com/triptych-mcp/triptych/aoc/race"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
)

func (a commands) aocRecords() command.Command {
	return command.Command{
		Name: "records", Args: "DAY", Min: 1, Max: 1,
		Short: "list the records of a day, newest first, with their numbers",
		Flags: a.bookFlags, Complete: a.completeDays,
		Run: func(_ context.Context, args []string) error {
			_, speeds, err := a.recordsOf(args[0])
			if err != nil {
				return err
			}
			rows := [][]string{{"NUMBER", "PHASE", "LLM", "KIND", "TIME", "TIMED", "CORRECT", "RECORDED"}}
			for i, s := range speeds {
				correct := ""
				if s.Details.Correct != nil {
					correct = strconv.FormatBool(*s.Details.Correct)
				}
				timed := ""
				if s.Details.TimedMS != nil {
					timed = race.Duration(*s.Details.TimedMS)
				}
				rows = append(rows, []string{
					strconv.Itoa(i + 1), strconv.Itoa(int(s.Phase)), s.LLM, string(s.Details.RunKind()), race.Duration(s.SpeedMS), timed, correct,
					s.Timestamp.Format(time.RFC3339),
				})
			}
			return a.PrintTable(rows)
		},
	}
}

// recordsOf returns the records of a day and the book that they are in.
func (a commands) recordsOf(word string) (*aoc.Book, []aoc.Speed, error) {
	day, err := parseDay(word)
	if err != nil {
		return nil, nil, err
	}
	book, err := a.bookOfSpeeds()
	if err != nil {
		return nil, nil, err
	}
	speeds, err := book.Speeds(day)
	return book, speeds, err
}

func (a commands) aocEdit() command.Command {
	var e recordEdit
	return command.Command{
		Name: "edit", Args: "DAY NUMBER", Min: 2, Max: 2,
		Short:   "correct a record; the old one stays in the file's history",
		Example: "triptych aoc edit 1 3 --llm gpt4\ntriptych aoc edit 1 3 --ms 1250 --correct false",
		Flags: func(set *pflag.FlagSet) {
			set.StringVar(&e.llm, "llm", "", "the `name` of the LLM")
			set.Int64Var(&e.ms, "ms", -1, "the time in `milliseconds`")
			set.StringVar(&e.correct, "correct", "", "whether the answer was right: `true` or false")
			set.StringVar(&e.kind, "kind", "", "the `kind` of the run: solve or program")
			a.bookFlags(set)
		},
		Complete: a.completeDays,
		Run: func(ctx context.Context, args []string) error {
			return a.changeRecord(ctx, args, func(s aoc.Speed) (*aoc.Speed, error) { return e.apply(s) })
		},
	}
}

// A recordEdit holds the flags of edit; unset flags leave the record as it is.
type recordEdit struct {
	llm     string
	ms      int64
	correct string
	kind    string
}

func (e recordEdit) apply(s aoc.Speed) (*aoc.Speed, error) {
	if e == (recordEdit{ms: -1}) {
		return nil, cmderr.UsageErrorf("nothing to change: give --llm, --ms, --correct or --kind")
	}
	if e.kind != "" {
		if err := checkKind(e.kind); err != nil {
			return nil, err
		}
		s.Details.Kind = &e.kind
	}
	if e.llm != "" {
		s.LLM = e.llm
	}
	if e.ms >= 0 {
		s.SpeedMS = e.ms
	}
	if e.correct != "" {
		correct, err := strconv.ParseBool(e.correct)
		if err != nil {
			return nil, cmderr.UsageErrorf("--correct must be true or false")
		}
		s.Details.Correct = &correct
	}
	return &s, nil
}

func (a commands) aocDelete() command.Command {
	return command.Command{
		Name: "delete", Args: "DAY NUMBER", Min: 2, Max: 2,
		Short: "delete a record; it stays in the file's history",
		Flags: a.bookFlags, Complete: a.completeDays,
		Run: func(ctx context.Context, args []string) error {
			return a.changeRecord(ctx, args, func(aoc.Speed) (*aoc.Speed, error) { return nil, nil })
		},
	}
}

// changeRecord replaces a record by what change returns; nil deletes it.
func (a commands) changeRecord(ctx context.Context, args []string, change func(aoc.Speed) (*aoc.Speed, error)) error {
	book, speeds, err := a.recordsOf(args[0])
	if err != nil {
		return err
	}
	number, err := strconv.Atoi(args[1])
	if err != nil || number < 1 || number > len(speeds) {
		return cmderr.WithHints(cmderr.UsageErrorf("there is no record %s", args[1]), "triptych aoc records "+args[0]+" lists them")
	}
	was := speeds[number-1]
	becomes, err := change(was)
	if err != nil {
		return err
	}
	day, err := parseDay(args[0])
	if err != nil {
		return err
	}
	if err := book.Change(ctx, day, number-1, was, becomes, a.app.Now()); err != nil {
		return err
	}
	verb := "changed"
	if becomes == nil {
		verb = "deleted"
	}
	return a.Printf("%s record %d of day %d: %s, %s\n", verb, number, int(day), was.LLM, race.Duration(was.SpeedMS))
}

func (a commands) aocAlias() command.Command {
	var remove bool
	return command.Command{
		Name: "alias", Args: "[ALIAS NAME]", Max: 2,
		Short:   "count a model under another name in statistics",
		Example: "triptych aoc alias GPT-4 gpt4\ntriptych aoc alias --remove GPT-4",
		Flags: func(set *pflag.FlagSet) {
			set.BoolVar(&remove, "remove", false, "remove the alias")
			a.bookFlags(set)
		},
		Run: func(ctx context.Context, args []string) error {
			book, _, err := a.openBook()
			if err != nil {
				return err
			}
			switch {
			case len(args) == 0 && !remove:
				return printAliases(a.IO, book)
			case len(args) == 1 && remove:
				return book.SetAlias(ctx, args[0], "")
			case len(args) == 2 && !remove:
				return book.SetAlias(ctx, args[0], args[1])
			}
			return cmderr.UsageErrorf("give ALIAS and NAME, or --remove and ALIAS")
		},
	}
}

func printAliases(out *cmdio.IO, book *aoc.Book) error {
	aliases, err := book.Aliases()
	if err != nil {
		return err
	}
	rows := [][]string{{"ALIAS", "NAME"}}
	for _, alias := range slices.Sorted(maps.Keys(aliases)) {
		rows = append(rows, []string{alias, aliases[alias]})
	}
	return out.PrintTable(rows)
}
