package aoccmd

import (
	"bufio"
	"context"
	"fmt"
	"maps"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/aoc"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
)

// puzzleOf returns the puzzle that the words [YEAR] DAY name.
func (a commands) puzzleOf(words []string) (aoc.Puzzle, *aoc.User, error) {
	user, err := a.localUser()
	if err != nil {
		return aoc.Puzzle{}, nil, err
	}
	last := len(words) - 1
	year, err := a.yearOrEvent(words[:last])
	if err != nil {
		return aoc.Puzzle{}, nil, err
	}
	day, err := dayOf(user, year, words[last])
	return aoc.Puzzle{Year: year, Day: day}, user, err
}

func (a commands) aocInput() command.Command {
	return command.Command{
		Name: "input", Args: "[YEAR] DAY", Min: 1, Max: 2,
		Short:   "print your input for a puzzle, byte for byte; it is downloaded once",
		Example: "triptych aoc input 1 >input.txt",
		Flags:   a.bookFlags,
		Run: func(ctx context.Context, args []string) error {
			puzzle, _, err := a.puzzleOf(args)
			if err != nil {
				return err
			}
			text, err := a.inputFor(ctx, puzzle)
			if err != nil {
				return err
			}
			return a.Printf("%s", text)
		},
	}
}

func (a commands) aocOpen() command.Command {
	return command.Command{
		Name: "open", Args: "[YEAR] DAY", Min: 1, Max: 2,
		Short: "open a puzzle in the browser",
		Flags: a.bookFlags,
		Run: func(ctx context.Context, args []string) error {
			puzzle, user, err := a.puzzleOf(args)
			if err != nil {
				return err
			}
			address := user.Address(puzzle)
			if err := browse(ctx, address); err != nil {
				fmt.Fprintf(a.Err, "triptych: no browser could be started (%v); open this address\n", err)
			}
			return a.Printf("%s\n", address)
		},
	}
}

// openers are the commands that open an address in the browser.
var openers = map[string][]string{
	"darwin": {"open"}, "windows": {"rundll32", "url.dll,FileProtocolHandler"},
}

func browse(ctx context.Context, address string) error {
	opener, ok := openers[runtime.GOOS]
	if !ok {
		opener = []string{"xdg-open"}
	}
	return exec.CommandContext(ctx, opener[0], append(opener[1:], address)...).Run()
}

func (a commands) aocSubmit() command.Command {
	var yes, again bool
	return command.Command{
		Name: "submit", Args: "[YEAR] DAY PART ANSWER", Min: 3, Max: 4,
		Short: "submit an answer; a wrong one locks the puzzle for a minute or more",
		Long: "Nothing is sent that cannot be right: an answer that was rejected before or lies beyond a known bound, a float, a list, " +
			"or an answer to a part that is solved or not open. On a terminal the command asks before it sends.",
		Example: "triptych aoc submit 1 1 1234\ntriptych aoc submit 2025 1 2 1234 --yes",
		Flags: func(set *pflag.FlagSet) {
			set.BoolVar(&yes, "yes", false, "do not ask")
			set.BoolVar(&again, "again", false, "send an answer again whose verdict was lost")
			a.bookFlags(set)
		},
		Run: func(ctx context.Context, args []string) error {
			n := len(args)
			puzzle, user, err := a.puzzleOf(args[:n-2])
			if err != nil {
				return err
			}
			part, err := strconv.Atoi(args[n-2])
			if err != nil || part != 1 && part != 2 {
				return cmderr.UsageErrorf("part %q is neither 1 nor 2", args[n-2])
			}
			answer := args[n-1]
			if !yes && !confirm(a.IO, fmt.Sprintf("Submit %q as the answer to %s, part %d?", answer, puzzle, part)) {
				return fmt.Errorf("the answer was not sent")
			}
			return submit(ctx, a.IO, user, puzzle, part, answer, again)
		},
	}
}

func submit(ctx context.Context, out *cmdio.IO, user *aoc.User, puzzle aoc.Puzzle, part int, answer string, again bool) error {
	text, accepted, err := aoc.Submit(ctx, user, puzzle, part, answer, again)
	if err != nil {
		return err
	}
	if err := out.Printf("%s\n", text); err != nil {
		return err
	}
	if !accepted {
		return cmderr.ErrReported
	}
	if part == 1 { // the page of the second part is wanted next
		_, err = user.Puzzle(ctx, puzzle)
	}
	return err
}

// confirm asks on a terminal; without one the answer is yes.
func confirm(std *cmdio.IO, question string) bool {
	if !cmdio.IsTerminal(std.In) {
		return true
	}
	fmt.Fprintf(std.Err, "%s [y/N] ", question)
	line, _ := bufio.NewReader(std.In).ReadString('\n') // no answer is no
	return strings.HasPrefix(strings.ToLower(strings.TrimSpace(line)), "y")
}

func (a commands) aocGuesses() command.Command {
	return command.Command{
		Name: "guesses", Args: "[YEAR] DAY", Min: 1, Max: 2,
		Short: "list the answers that were submitted, with their verdicts",
		Flags: a.bookFlags,
		Run: func(_ context.Context, args []string) error {
			puzzle, user, err := a.puzzleOf(args)
			if err != nil {
				return err
			}
			guesses, err := user.Guesses(puzzle)
			if err != nil {
				return err
			}
			if len(guesses) == 0 {
				fmt.Fprintf(a.Err, "triptych: no answers to %s were submitted\n", puzzle)
				return nil
			}
			rows := [][]string{{"PART", "ANSWER", "VERDICT", "SENT", "WAIT"}}
			for _, g := range guesses {
				wait := ""
				if g.WaitS > 0 {
					wait = fmt.Sprintf("%ds", g.WaitS)
				}
				rows = append(rows, []string{strconv.Itoa(g.Part), g.Answer, string(g.Outcome), g.At.Format("2006-01-02 15:04:05 UTC"), wait})
			}
			return a.PrintTable(rows)
		},
	}
}

func (a commands) aocStars() command.Command {
	var asJSON bool
	return command.Command{
		Name: "stars", Args: "[YEAR]", Max: 1,
		Short: "show your stars of a year, at most 15 minutes old",
		Flags: func(set *pflag.FlagSet) {
			command.JSONFlag(set, &asJSON)
			a.bookFlags(set)
		},
		Run: func(ctx context.Context, args []string) error {
			year, err := a.yearOrEvent(args)
			if err != nil {
				return err
			}
			user, err := a.localUser()
			if err != nil {
				return err
			}
			stars, err := user.Stars(ctx, year)
			if err != nil {
				return err
			}
			if asJSON {
				return a.PrintJSON(stars)
			}
			rows, total := [][]string{{"DAY", "STARS"}}, 0
			for _, day := range slices.Sorted(maps.Keys(stars.ByDay)) {
				rows = append(rows, []string{strconv.Itoa(day), strings.Repeat("*", stars.ByDay[day])})
				total += stars.ByDay[day]
			}
			if err := a.PrintTable(rows); err != nil {
				return err
			}
			return a.Printf("%d of %d stars in %d (as of %s)\n", total, 2*user.EventDays(year), year, stars.Fetched.Format("2006-01-02 15:04 UTC"))
		},
	}
}
